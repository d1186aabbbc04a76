// The position in words: as a table, and as answers to "?N" (where the knights are), "?f7" (what
// stands there), "?7" and "?f" (a rank, a file).

import type { Piece, Role } from '@lichess-org/chessground/types';
import type { Key } from '../clients/types';
import { letters, piecesOf } from '../game/squares';
import { strings } from '../strings';

const text = strings.position;
export const files = [...'abcdefgh'];
export const ranks = [...'87654321'];

export function pieceName(piece: Piece | undefined): string {
  return piece ? text.piece(strings.sides[piece.color], strings.pieces[piece.role]) : text.empty;
}

/** The answer to a question, or how to ask. */
export function answer(fen: string, question: string): string {
  const pieces = piecesOf(fen);
  const asked = question.replace(/^\?\s*/, '');
  const role = asked === 'P' ? 'pawn' : letters[asked];
  if (/^[a-h][1-8]$/.test(asked)) return text.on(asked, pieceName(pieces.get(asked as Key)));
  if (/^[a-h]$/.test(asked)) return along(pieces, [...'12345678'].map((rank) => `${asked}${rank}` as Key));
  if (/^[1-8]$/.test(asked)) return along(pieces, files.map((file) => `${file}${asked}` as Key));
  return role ? whereIs(pieces, role) : text.help;
}

function along(pieces: Map<Key, Piece>, squares: Key[]): string {
  const taken = squares.filter((square) => pieces.has(square));
  return taken.map((square) => text.on(square, pieceName(pieces.get(square)))).join(', ') || text.empty;
}

function whereIs(pieces: Map<Key, Piece>, role: Role): string {
  const sides = (['white', 'black'] as const).map((side) => {
    const squares = [...pieces].filter(([, piece]) => piece.role === role && piece.color === side);
    return text.list(text.piece(strings.sides[side], strings.pieces[role]), squares.map(([square]) => square).sort());
  });
  return sides.join('. ');
}
