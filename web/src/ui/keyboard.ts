// The keys of the page. They do nothing while the person types or a dialog is open.

import type { Analysis } from '../analyse/analysis';
import { step } from '../game/Controls';
import { run } from '../game/SessionBoard';
import type { Session } from '../game/session';
import { change, settings } from '../state/settings';

interface Targets {
  /** The board of the open view, if it has one. */
  session(): Session | null;
  /** The analysis, while its view is open. */
  analysis(): Analysis | null;
  showKeys(): void;
}

export function listen(targets: Targets): () => void {
  const onKey = (event: KeyboardEvent) => {
    const analysis = targets.analysis();
    // Text fields have an undo of their own.
    if (analysis && event.key === 'z' && (event.ctrlKey || event.metaKey) && !inside(event.target, textFields)) {
      event.preventDefault();
      run(analysis.work.undo());
    }
    if (event.key === 'Escape' && !inside(event.target, 'dialog')) analysis?.drawing.take(false);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (inside(event.target, `${textFields}, [role=tablist]`)) return;
    if (act(event.key, targets, event.target)) event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

const textFields = 'input:not([type=checkbox]), textarea, select, dialog';

function inside(target: EventTarget | null, what: string): boolean {
  return target instanceof HTMLElement && target.closest(what) !== null;
}

function act(key: string, targets: Targets, target: EventTarget | null): boolean {
  if (key === '?') {
    targets.showKeys();
    return true;
  }
  const session = targets.session();
  if (!session) return false;
  return actOnBoard(key, session) || actOnAnalysis(key, targets.analysis(), target);
}

function actOnBoard(key: string, session: Session): boolean {
  switch (key) {
    case 'ArrowLeft':
      step(session, 'previous');
      return true;
    case 'ArrowRight':
      step(session, 'next');
      return true;
    case 'ArrowUp':
      step(session, 'first');
      return true;
    case 'ArrowDown':
      step(session, 'last');
      return true;
    case 'f':
      session.flip();
      return true;
    case 't':
      session.danger.value = !session.danger.value;
      return true;
    case 'm':
      document.getElementById('move-input')?.focus();
      return true;
    default:
      return false;
  }
}

function actOnAnalysis(key: string, analysis: Analysis | null, target: EventTarget | null): boolean {
  if (!analysis) return false;
  const onButton = target instanceof HTMLElement && target.closest('button, a, summary, input') !== null;
  if (key === ' ' && !onButton) run(analysis.playBest());
  else if (key === 'x') run(analysis.toggleThreat());
  else if (key === 'd') analysis.drawing.take(!analysis.drawing.on.value);
  else if (key === 'e') change({ engineOn: !settings.value.engineOn });
  else return false;
  return true;
}
