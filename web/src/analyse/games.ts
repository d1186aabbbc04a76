// A file with many games: it is split at once and each game is read when it is opened, so that
// thousands of games need no wait. The list stays over a reload.
// Invariant: the texts of the games in order are the file.

import { signal } from '@preact/signals';
import { core } from '../clients';
import type { PgnGame } from '../clients/core';
import { TabDocument, type Dated } from '../state/document';

export interface RawGame {
  text: string;
  /** The line of the file where it starts, from 0. */
  line: number;
  tags: Record<string, string>;
}

export interface ReadGame {
  game: PgnGame | null;
  problems: string[];
  /** No tag says that it is atomic chess. */
  isAssumed: boolean;
}

interface KeptGames extends Dated {
  text: string;
  index: number;
}

export class Games {
  readonly all = signal<readonly RawGame[]>([]);
  readonly index = signal(0);
  readonly #document = new TabDocument<KeptGames>('games');

  async restore(): Promise<void> {
    const kept = await this.#document.restore();
    if (kept) this.#set(splitGames(kept.text), kept.index);
    // Lists of tabs that are closed.
    else for (const { id } of await this.#document.all()) if (await this.#document.become(id)) await this.#document.remove();
  }

  async use(games: readonly RawGame[], index: number): Promise<void> {
    this.#set(games, index);
    if (games.length < 2) return this.#document.remove();
    await this.#document.save({ at: Date.now(), text: games.map(({ text }) => text).join(''), index });
  }

  #set(games: readonly RawGame[], index: number): void {
    this.all.value = games;
    this.index.value = index;
  }
}

/** Reads the game at this place of its file. */
export async function readGame(raw: RawGame, index: number): Promise<ReadGame> {
  const isAssumed = raw.tags.Variant === undefined;
  const { games, errors } = await core.readPgn(raw.text, isAssumed ? 'atomic' : undefined);
  const [game = null] = games;
  const place = (error: string) =>
    error.replace(/^game \d+(.*?), line (\d+)/, (_, who: string, line: string) => `game ${index + 1}${who}, line ${raw.line + Number(line)}`);
  return { game, problems: [...errors.map(place), ...(game?.warnings ?? [])], isAssumed };
}

/** Splits a PGN file where a result or moves are followed by tags, and after a result. */
export function splitGames(text: string): RawGame[] {
  const games: RawGame[] = [];
  // Comments, tags, brackets of variations, results and other words.
  const token = /\{[^}]*\}?|;[^\n]*|^\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]|[()]|(1-0|0-1|1\/2-1\/2|\*)(?=\s|$)|[^\s{};()]+/gm;
  let start = 0;
  let tags: Record<string, string> = {};
  let depth = 0;
  let hasMoves = false;
  let isOver = false;
  let line = 0;
  const close = (end: number) => {
    const game = text.slice(start, end);
    games.push({ text: game, line, tags });
    line += game.split('\n').length - 1;
    [start, tags, depth, hasMoves, isOver] = [end, {}, 0, false, false];
  };
  for (const found of text.matchAll(token)) {
    const [word, name, value = '', result] = found;
    if (isOver || (name && hasMoves)) close(found.index);
    if (name) tags[name] = value.replace(/\\(.)/g, '$1');
    else if (word === '(') depth++;
    else if (word === ')') depth--;
    else if (word[0] !== '{' && word[0] !== ';') hasMoves = true;
    isOver = Boolean(result) && depth <= 0;
  }
  if (hasMoves || Object.keys(tags).length || text.slice(start).trim()) close(text.length);
  return games;
}
