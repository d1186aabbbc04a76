// Files dropped on the page and text pasted outside of fields: games and positions go to the
// analysis, books and tables to the core.

import { core } from '../clients';
import { run } from '../game/SessionBoard';
import { address } from '../state/route';
import { strings } from '../strings';
import { notify } from '../ui/notice';
import type { Analysis } from './analysis';

const fen = /^\S+(\/\S+){7} [wb] \S+ \S+( \d+ \d+)?$/;
const binary = /\.(bin|atbw|atbz|rtbw|rtbz)$/i;

export function dropFiles(analysis: Analysis): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) run(take(analysis, file));
  };
  const paste = (event: ClipboardEvent) => {
    const inField = event.target instanceof HTMLElement && event.target.closest('input, textarea');
    const text = event.clipboardData?.getData('text/plain').trim();
    if (!inField && text) run(takeText(analysis, text));
  };
  document.addEventListener('dragover', over);
  document.addEventListener('drop', drop);
  document.addEventListener('paste', paste);
  return () => {
    document.removeEventListener('paste', paste);
    document.removeEventListener('dragover', over);
    document.removeEventListener('drop', drop);
  };
}

async function take(analysis: Analysis, file: File): Promise<void> {
  if (binary.test(file.name)) {
    await analysis.addFile(file);
    return;
  }
  await takeText(analysis, await file.text());
}

async function takeText(analysis: Analysis, text: string): Promise<void> {
  if (fen.test(text)) {
    await analysis.setFen(text);
    location.hash = address('analyse');
    return;
  }
  const { games, errors } = await core.readPgn(text);
  if (errors[0]) notify(errors[0]);
  if (!games[0]) return;
  await analysis.useGame(games[0]);
  location.hash = address('analyse');
  notify(strings.share.loaded(games.length));
}
