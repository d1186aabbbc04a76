// The puzzle file: one EPD line for each puzzle, as web/README.md describes.

import type { Variant } from '../clients/types';

export interface Puzzle {
  id: string;
  fen: string;
  variant: Variant;
  /** The position before and the move that led to the puzzle, where it is known. */
  before: { fen: string; uci: string } | null;
  /** UCI moves: the solver's and the defender's in turn; the last one is the solver's. */
  line: string[];
  /** Moves that are as good as the one in the line, by their place in it. */
  equal: Map<number, string[]>;
  /** 1 is easy, 4 very hard. */
  grade: number;
  /** Moves to the end, proved. */
  moves: number;
}

/** The puzzles of the file; lines that are not puzzles are left out. */
export function readPuzzles(text: string): Puzzle[] {
  return text.split('\n').flatMap((line, index) => readLine(line.trim(), index + 1) ?? []);
}

function readLine(line: string, number: number): Puzzle | null {
  const match = /^(\S+ [wb] \S+ \S+)\s+(.*)$/.exec(line);
  if (!match || line.startsWith('#')) return null;
  const [, position, rest] = match as unknown as [string, string, string];
  const operations = new Map<string, string>();
  for (const part of rest.split(';')) {
    const [code, ...words] = part.trim().split(/\s+/);
    if (code) operations.set(code, words.join(' ').replace(/^"|"$/g, ''));
  }
  const moves = (operations.get('line') ?? '').split(' ').filter(Boolean);
  if (moves.length === 0 || moves.length % 2 === 0) return null;
  return {
    id: operations.get('id') ?? String(number),
    fen: `${position} 0 1`,
    variant: operations.get('variant') === 'nocheckatomic' ? 'nocheckatomic' : 'atomic',
    before: readBefore(operations.get('before')),
    line: moves,
    equal: readEqual(operations.get('equal') ?? ''),
    grade: Number(operations.get('grade') ?? 1),
    moves: Number(operations.get('dm') ?? (moves.length + 1) / 2),
  };
}

/** The four fields of a position and a move. */
function readBefore(text = ''): Puzzle['before'] {
  const match = /^(\S+ [wb] \S+ \S+) (\S+)$/.exec(text);
  return match && { fen: `${match[1]} 0 1`, uci: match[2] as string };
}

/** `0:g1f3 2:d1h5,d1g4`: move numbers count from 0 through the line. */
function readEqual(text: string): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const word of text.split(' ').filter(Boolean)) {
    const [place, moves] = word.split(':');
    found.set(Number(place), (moves ?? '').split(','));
  }
  return found;
}
