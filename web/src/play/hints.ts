// What helps the person in a game, from a nudge to the move itself: first what is in danger, then the
// piece to move, then the move.

import { engine, fullStrength } from '../clients';
import type { PositionInfo } from '../clients/types';
import type { Session } from '../game/session';
import { other } from '../game/squares';
import { movesTo } from '../game/tree';
import { strings } from '../strings';

export interface Hint {
  step: 'danger' | 'piece' | 'move';
  text: string;
  uci: string | null;
}

const text = strings.play.hints;

/** What to say after the hint that is shown; none without a legal move. */
export async function nextHint(session: Session, shown: Hint | null): Promise<Hint | null> {
  const info = session.info.value;
  if (!info) return null;
  const danger = shown ? null : dangerHint(info);
  if (danger) return { step: 'danger', text: danger, uci: null };
  const pieces = session.pieces;
  const best = shown?.uci ?? (await bestMove(session));
  const move = info.moves.find(({ uci }) => uci === best);
  if (!move) return null;
  const role = pieces.get(move.from)?.role ?? 'pawn';
  return shown?.uci
    ? { step: 'move', text: text.move(move.san), uci: move.uci }
    : { step: 'piece', text: text.piece(strings.pieces[role], move.from), uci: move.uci };
}

async function bestMove(session: Session): Promise<string | null> {
  const { best } = await engine.search({
    start: session.tree.value.start,
    moves: movesTo(session.node.value),
    go: 'movetime 1000',
    options: { 'Skill Level': fullStrength, MultiPV: 1 },
  });
  return best;
}

/** In words: a king that can be exploded now, the opponent's first. */
function dangerHint({ turn, moves, danger }: PositionInfo): string | null {
  if (moves.some((move) => move.explodesKing)) return text.win(strings.sides[other(turn)]);
  const attacked = danger.find(({ color, attackers }) => color === turn && attackers.length > 0);
  return attacked ? text.danger(attacked.square) : null;
}
