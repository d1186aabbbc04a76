// What was tried, and what comes next because of it.
// Invariant: a puzzle is to be repeated exactly while its last try in the history is not solved.

import type { Puzzle } from './file';

export interface Tried {
  id: string;
  solved: boolean;
  /** Milliseconds since 1970. */
  at: number;
}

/** A failed puzzle comes again after this many others. */
const others = 5;

/** The last try of each puzzle by its place in the history, the oldest first. */
function lastTries(history: readonly Tried[]): Map<string, number> {
  const last = new Map<string, number>();
  history.forEach(({ id }, place) => {
    last.delete(id);
    last.set(id, place);
  });
  return last;
}

/** The puzzles to repeat, the one that failed longest ago first. */
export function toRepeat(puzzles: ReadonlyMap<string, Puzzle>, history: readonly Tried[]): Puzzle[] {
  return [...lastTries(history)].flatMap(([id, place]) => (history[place]?.solved ? [] : (puzzles.get(id) ?? [])));
}

/** A failed puzzle that is due, one that was not tried yet, or the one tried longest ago. */
export function choose(puzzles: ReadonlyMap<string, Puzzle>, history: readonly Tried[], grade: number): Puzzle | undefined {
  const possible = [...puzzles.values()].filter((puzzle) => grade === 0 || puzzle.grade === grade);
  const last = lastTries(history);
  const place = ({ id }: Puzzle) => last.get(id) ?? -1;
  const isDue = (puzzle: Puzzle) => possible.includes(puzzle) && history.length - 1 - place(puzzle) >= others;
  const due = toRepeat(puzzles, history).find(isDue);
  const fresh = possible.filter(({ id }) => !last.has(id));
  return due ?? fresh[Math.floor(Math.random() * fresh.length)] ?? possible.sort((a, b) => place(a) - place(b))[0];
}
