// The positions that explain the rules, in order; their words are in `strings.rules.lessons`.

import type { strings } from '../strings';

export interface Lesson {
  id: keyof typeof strings.rules.lessons;
  fen: string;
  /** The moves that solve it; without them, any move that wins at once. */
  solutions?: string[];
}

export const lessons: readonly Lesson[] = [
  { id: 'capture', fen: 'rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2', solutions: ['e4d5'] },
  { id: 'pawns', fen: '4k3/8/2r1r3/2pnp3/8/8/8/3QK3 w - - 0 1', solutions: ['d1d5'] },
  { id: 'king', fen: 'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3' },
  { id: 'cheap', fen: '6k1/5ppp/8/3q4/4P3/8/6PP/3R2K1 w - - 0 1', solutions: ['e4d5'] },
  { id: 'own', fen: '7k/8/8/7r/8/8/P2n4/3QK3 w - - 0 1', solutions: ['d1h5'] },
  { id: 'guard', fen: 'rnbqkb1r/pppppppp/5n2/8/8/P7/1PPPPPPP/RNBQKBNR w KQkq - 1 2', solutions: ['f2f3'] },
  { id: 'beside', fen: 'r4rk1/5p1p/8/8/8/2Q5/8/3K4 w - - 0 1' },
  { id: 'check', fen: '4r1k1/5ppp/8/6N1/8/8/8/4K3 w - - 0 1' },
  { id: 'remove', fen: '7k/p7/3n4/4r3/1B6/8/P7/4K3 w - - 0 1', solutions: ['b4d6'] },
  { id: 'touch', fen: '8/8/8/4k3/8/q4K2/7P/8 w - - 0 1', solutions: ['f3e4', 'f3f4'] },
  { id: 'castle', fen: '8/8/b7/8/8/8/P5k1/4K2R w K - 0 1', solutions: ['e1g1'] },
  { id: 'passant', fen: '8/2k5/8/3pP3/8/8/8/4K3 w - d6 0 1' },
];
