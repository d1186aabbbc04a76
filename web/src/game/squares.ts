// Squares, pieces and UCI moves as the page needs them; the rules themselves are in the core.

import { read } from '@lichess-org/chessground/fen';
import type { Dests, Piece, Role } from '@lichess-org/chessground/types';
import type { Key, LegalMove, PositionInfo, Side } from '../clients/types';

export const other = (side: Side): Side => (side === 'white' ? 'black' : 'white');

export const from = (uci: string): Key => uci.slice(0, 2) as Key;
export const to = (uci: string): Key => uci.slice(2, 4) as Key;

const promotions: Record<string, Role> = { q: 'queen', r: 'rook', b: 'bishop', n: 'knight' };

export function promotion(uci: string): Role | null {
  return promotions[uci[4] ?? ''] ?? null;
}

export function piecesOf(fen: string): Map<Key, Piece> {
  return read(fen);
}

export function dests(info: PositionInfo): Dests {
  return new Map(Object.entries(info.legal)) as Dests;
}

/** The moves that a drag or two clicks can mean: several only for promotions. */
export function movesBetween(info: PositionInfo, orig: Key, dest: Key): LegalMove[] {
  const exact = info.moves.filter((move) => move.from === orig && move.to === dest);
  if (exact.length) return exact;
  return info.moves.filter(
    ({ castle }) => castle?.king[0] === orig && (castle.king[1] === dest || castle.rook[0] === dest),
  );
}

/** The promotions that "e8", "dxe8" or "e7e8" leaves open. */
export function promotionsOf(info: PositionInfo, text: string): LegalMove[] {
  const bare = text.replace(/[+#]+$/, '');
  return info.moves.filter(
    ({ uci, san, promotion }) => promotion && (uci.slice(0, 4) === bare || san.split('=')[0] === bare),
  );
}

/** The move that "Kxd2" or "e1d2" means, if the rules of the variant forbid it and allow no other. */
export function forbiddenMove(info: PositionInfo, text: string): PositionInfo['forbidden'][number] | undefined {
  const [, letter, file, rank, dest] = /^([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])\W*$/.exec(text) ?? [];
  if (!dest) return undefined;
  const pieces = piecesOf(info.fen);
  const isMeant = (move: { from: Key; to: Key }): boolean => {
    const role = pieces.get(move.from)?.role;
    const named = file && rank && !letter ? true : role === (letter ? letters[letter] : 'pawn');
    return move.to === dest && named && (!file || move.from[0] === file) && (!rank || move.from[1] === rank);
  };
  return info.moves.some(isMeant) ? undefined : info.forbidden.find(isMeant);
}

export const letters: Record<string, Role> = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight' };

/** The squares to mark as the last move; castling marks the squares as written. */
export function lastMove(uci: string): Key[] | undefined {
  return uci ? [from(uci), to(uci)] : undefined;
}

/** Squares that touch this one. */
export function neighbours(square: Key): Key[] {
  const found: Key[] = [];
  const file = square.charCodeAt(0);
  const rank = square.charCodeAt(1);
  for (let f = file - 1; f <= file + 1; f++) {
    for (let r = rank - 1; r <= rank + 1; r++) {
      if ((f !== file || r !== rank) && f >= 97 && f <= 104 && r >= 49 && r <= 56) {
        found.push(String.fromCharCode(f, r) as Key);
      }
    }
  }
  return found;
}
