// Texts and files that the person gives to the page: dropped or pasted anywhere, opened, or typed
// into a field. Games and positions go to the analysis, books and tables to the core.
// Invariant: everything gets an answer: it is shown, or a message says why not.

import { addFiles } from '../files/files';
import { run } from '../game/SessionBoard';
import { address, route } from '../state/route';
import { strings } from '../strings';
import { notify } from '../ui/notice';
import type { Analysis } from './analysis';
import { readGame, splitGames } from './games';
import { positionIn, recognise, type position } from './recognise';

const binary = /\.(bin|atbw|atbz|rtbw|rtbz)$/i;
/** Games that are tried before a file is called unreadable. */
const attempts = 20;
const text = strings.share;

/** Listens for drops and pastes on the whole page. */
export function listenForFiles(analysis: Analysis): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const { files } = event.dataTransfer ?? {};
    const dropped = event.dataTransfer?.getData('text/plain') ?? '';
    if (files?.length) takeFiles(analysis, [...files]);
    else run(takeAndShow(analysis, dropped));
  };
  const paste = (event: ClipboardEvent) => {
    if (event.target instanceof HTMLElement && event.target.closest('input, textarea')) return;
    const { files } = event.clipboardData ?? {};
    if (files?.length) takeFiles(analysis, [...files]);
    else run(takeAndShow(analysis, event.clipboardData?.getData('text/plain') ?? ''));
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

function takeFiles(analysis: Analysis, files: readonly File[]): void {
  const booksAndTables = files.filter(({ name }) => binary.test(name));
  if (booksAndTables.length) run(add(booksAndTables));
  for (const file of files) if (!booksAndTables.includes(file)) run(takeFile(analysis, file));
}

async function add(files: readonly File[]): Promise<void> {
  const read = async (file: File) => ({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) });
  await addFiles(await Promise.all(files.map(read)));
  notify(strings.files.added(files.map(({ name }) => name)));
}

async function takeFile(analysis: Analysis, file: File): Promise<void> {
  const content = await file.text();
  // No text has such bytes.
  if (content.includes('\0')) return notify(text.unreadableFile(file.name));
  return takeAndShow(analysis, content);
}

async function takeAndShow(analysis: Analysis, given: string): Promise<void> {
  const problems = await take(analysis, given);
  if (problems[0]) notify(problems[0]);
}

/** Shows what the text holds; returns what is wrong with it. */
export async function take(analysis: Analysis, given: string): Promise<string[]> {
  const found = recognise(given);
  if (found.is === 'nothing') return [text.emptyPgn];
  if (found.is === 'other link') return [text.notPgn];
  if (found.is === 'games') return takeGames(analysis, found.text);
  if (found.is === 'own link') await analysis.openLink(found.params);
  else await takePosition(analysis, found);
  toAnalysis();
  return [];
}

/** Sets the position of a FEN, an address or a placement alone. */
export async function takeFen(analysis: Analysis, given: string): Promise<void> {
  const found = recognise(given);
  if (found.is === 'own link') return analysis.openLink(found.params);
  await takePosition(analysis, positionIn(given));
}

async function takePosition(analysis: Analysis, found: ReturnType<typeof position>): Promise<void> {
  await analysis.setFen(found.fen, found.isPlacementOnly ? text.placementOnly : '');
}

async function takeGames(analysis: Analysis, given: string): Promise<string[]> {
  const games = splitGames(given);
  const problems: string[] = [];
  for (const [index, raw] of games.slice(0, attempts).entries()) {
    const found = await readGame(raw, index);
    problems.push(...found.problems);
    if (!found.game || (!found.game.moves.length && !Object.keys(raw.tags).length)) continue;
    const words = [text.loaded(games.length), found.isAssumed ? text.assumed : '', found.problems[0] ?? ''];
    await analysis.useGame(found.game, words.filter(Boolean).join(' '));
    await analysis.games.use(games, index);
    toAnalysis();
    return found.problems;
  }
  return problems.length ? problems : [text.notRecognised];
}

/** Another game of the list. */
export async function openListed(analysis: Analysis, index: number): Promise<void> {
  const games = analysis.games.all.value;
  const raw = games[index];
  if (!raw) return;
  const { game, problems } = await readGame(raw, index);
  if (!game) return notify(problems[0] ?? text.notRecognised);
  await analysis.useGame(game, problems[0] ?? text.gameOf(index + 1, games.length));
  await analysis.games.use(games, index);
}

function toAnalysis(): void {
  if (route.value.view !== 'analyse') location.hash = address('analyse');
}
