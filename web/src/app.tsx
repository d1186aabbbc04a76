// The shell: navigation, the open view, notices, the live region and the dialogs.

import { useSignalEffect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Analysis } from './analyse/analysis';
import { AnalyseView } from './analyse/AnalyseView';
import { listenForFiles } from './analyse/intake';
import { Learn } from './analyse/learn';
import { Review } from './analyse/review';
import { run } from './game/SessionBoard';
import { shown } from './game/shown';
import { Game } from './play/game';
import { PlayView } from './play/PlayView';
import { tagsOf } from './play/tags';
import { address, route, views } from './state/route';
import { settings } from './state/settings';
import { isUnkept } from './state/storage';
import { strings } from './strings';
import { IconButton } from './ui/IconButton';
import { KeysDialog } from './ui/KeysDialog';
import { listen } from './ui/keyboard';
import { later } from './ui/later';
import { dismiss, notice, notify, spoken } from './ui/notice';
import { SettingsDialog } from './ui/SettingsDialog';
import { applyUpdate, updateReady } from './ui/update';

const game = new Game();
const analysis = new Analysis();
const review = new Review(analysis);
const learn = new Learn(analysis);
const PuzzlesView = later(() => import('./puzzles/PuzzlesView').then((file) => file.PuzzlesView));
const RulesView = later(() => import('./rules/RulesView').then((file) => file.RulesView));
const AboutView = later(() => import('./about/AboutView').then((file) => file.AboutView));
/** The one that the texts have. */
const { language } = settings.peek();

/** Shows the game of the play view in the analysis. */
async function analyseGame(): Promise<void> {
  await analysis.usePlayed(game.session, await tagsOf(game));
  location.hash = address('analyse');
}

export function App() {
  const [dialog, setDialog] = useState<'settings' | 'keys' | null>(null);
  const { view } = route.value;

  useEffect(() => {
    run(game.open());
    run(analysis.open());
    const stopDrop = listenForFiles(analysis);
    const stopKeys = listen({
      session: () => (learn.questions.value ? null : shown.value),
      analysis: () => (route.value.view === 'analyse' && !learn.questions.value ? analysis : null),
      showKeys: () => setDialog('keys'),
    });
    return () => {
      stopDrop();
      stopKeys();
    };
  }, []);
  useSignalEffect(() => {
    // Another tab or an import has changed it. A reload keeps everything but a review and its questions.
    const isBusy = review.running.value || learn.questions.value !== null;
    if (settings.value.language !== language && !isBusy) location.reload();
  });
  useSignalEffect(() => {
    if (isUnkept.value) notify(strings.work.unkept);
  });
  useEffect(() => {
    window.scrollTo(0, 0);
    document.title = `${strings.views[view]} · ${strings.title}`;
  }, [view]);

  return (
    <>
      <button type="button" class="button skip" onClick={() => document.getElementById('move-input')?.focus()}>
        {strings.skip}
      </button>
      <header class="top">
        <a class="brand" href={address('play')}>
          {strings.title}
        </a>
        <nav aria-label={strings.mainNavigation}>
          {views.map((name) => (
            <a key={name} href={address(name)} aria-current={name === view ? 'page' : undefined}>
              {strings.views[name]}
            </a>
          ))}
        </nav>
        <div class="top-buttons">
          <IconButton icon="keys" name={strings.controls.keys} onClick={() => setDialog('keys')} />
          <IconButton icon="settings" name={strings.controls.settings} onClick={() => setDialog('settings')} />
        </div>
      </header>
      <main>
        {view === 'play' && <PlayView game={game} onAnalyse={() => run(analyseGame())} />}
        {view === 'analyse' && <AnalyseView analysis={analysis} review={review} learn={learn} game={game} />}
        {view === 'puzzles' && <PuzzlesView />}
        {view === 'rules' && <RulesView />}
        {view === 'about' && <AboutView />}
      </main>
      <div class="live" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <Notices />
      {dialog === 'settings' && <SettingsDialog onClose={() => setDialog(null)} />}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
    </>
  );
}

function Notices() {
  if (updateReady.value) {
    return (
      <div class="notice" role="alert">
        {strings.updateReady}{' '}
        <button type="button" class="button small" onClick={applyUpdate}>
          {strings.update}
        </button>
      </div>
    );
  }
  if (!notice.value) return null;
  const { text, action } = notice.value;
  return (
    <div class="notice" role="alert">
      {text}{' '}
      {action && (
        <>
          <button type="button" class="button small" onClick={action.act}>
            {action.name}
          </button>
          <IconButton icon="close" name={strings.close} onClick={dismiss} />
        </>
      )}
    </div>
  );
}
