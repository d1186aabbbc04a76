// Moves and blasts in words, for the line under the board and for screen readers.

import { piecesOf, promotion } from '../game/squares';
import { strings } from '../strings';
import type { LegalMove, Loss, PositionInfo, Side } from '../clients/types';

const name = ({ role, square }: Loss): string => strings.pieceOn(strings.pieces[role], square);

/** "Explodes knight f7, king e8. You lose knight g5. Black's king explodes." */
export function blastText(move: LegalMove, turn: Side): string {
  const own = move.losses.filter((loss) => loss.color === turn);
  const others = move.losses.filter((loss) => loss.color !== turn);
  const king = move.losses.find((loss) => loss.role === 'king');
  return strings.blast(move.san, others.map(name), own.map(name), king ? strings.sides[king.color] : null);
}

/** "Knight takes f7; explodes f7, king e8: White wins by explosion". */
export function moveText(move: LegalMove, before: PositionInfo, after: PositionInfo): string {
  const lost = move.losses.slice(1).map(name);
  const blast = move.capture ? strings.explodes(lost) : '';
  const ending = after.outcome ? outcomeText(after) : after.check ? strings.check : '';
  return [moved(move, before), blast, ending].filter(Boolean).join('; ');
}

function moved(move: LegalMove, before: PositionInfo): string {
  if (move.castle) return move.san.startsWith('O-O-O') ? strings.castlesLong : strings.castlesShort;
  const role = roleOf(move, before);
  const text = move.capture
    ? strings.takes(strings.pieces[role], move.to)
    : strings.movesTo(strings.pieces[role], move.to);
  const becomes = promotion(move.uci);
  return becomes ? `${text}, ${strings.becomes(strings.pieces[becomes])}` : text;
}

function roleOf(move: LegalMove, before: PositionInfo) {
  return piecesOf(before.fen).get(move.from)?.role ?? 'pawn';
}

/** How the game ended, or whose move it is. */
export function outcomeText(info: PositionInfo): string {
  const { outcome, turn, drawn } = info;
  const toMove = strings.toMove(strings.sides[turn]);
  if (drawn) return `${strings.drawn(drawn.reason)}. ${toMove}`;
  if (!outcome) return toMove;
  return outcome.winner ? strings.won(outcome.reason, strings.sides[outcome.winner]) : strings.drawn(outcome.reason);
}
