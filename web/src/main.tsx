// The start of the page.

// First: the module is on its way while everything else waits for the settings.
import './clients/wasm';
import { render } from 'preact';
import { App } from './app';
import { wasDeleted } from './state/storage';
import { strings } from './strings';
import { notify } from './ui/notice';
import { registerOffline } from './ui/update';
import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './style/base.css';
import './style/layout.css';
import './style/board.css';
import './style/parts.css';

render(<App />, document.getElementById('app') as HTMLElement);
registerOffline();
if (wasDeleted()) notify(strings.about.deleted);
