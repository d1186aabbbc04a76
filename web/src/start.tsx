// The page is drawn. All that it needs for that is in this chunk and in the texts.

// First: the module is on its way while the page is drawn.
import './clients/wasm';
import { render } from 'preact';
import { App } from './app';
import { wasDeleted } from './state/storage';
import { strings } from './strings';
import { loadRest } from './ui/later';
import { notify } from './ui/notice';
import { registerOffline } from './ui/update';

render(<App />, document.getElementById('app') as HTMLElement);
requestAnimationFrame(() =>
  setTimeout(() => {
    loadRest();
    registerOffline();
    if (wasDeleted()) notify(strings.about.deleted);
  }),
);
