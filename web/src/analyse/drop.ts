// Files dropped on the page: games go to the analysis, books and tables to the core.

import { core } from '../clients';
import { run } from '../game/SessionBoard';
import { address } from '../state/route';
import { strings } from '../strings';
import { notify } from '../ui/notice';
import type { Analysis } from './analysis';

const binary = /\.(bin|atbw|atbz|rtbw|rtbz)$/i;

export function dropFiles(analysis: Analysis): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) run(take(analysis, file));
  };
  document.addEventListener('dragover', over);
  document.addEventListener('drop', drop);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('drop', drop);
  };
}

async function take(analysis: Analysis, file: File): Promise<void> {
  if (binary.test(file.name)) {
    await core.load(file.name, new Uint8Array(await file.arrayBuffer()));
    notify(strings.share.tableLoaded(file.name));
    return;
  }
  const { games, errors } = await core.readPgn(await file.text());
  if (errors[0]) notify(errors[0]);
  if (!games[0]) return;
  await analysis.useGame(games[0]);
  location.hash = address('analyse');
  notify(strings.share.loaded(games.length));
}
