// What is drawn over the pieces: blasts before they happen, indirect threats to the kings, and the
// engine's best moves.

import type { DrawBrushes, DrawShape } from '@lichess-org/chessground/draw';
import { from, neighbours, piecesOf, promotion, to } from '../game/squares';
import type { EngineLine } from '../clients/info';
import { colours, type Shape } from '../game/tree';
import type { Key, LegalMove, PositionInfo, Side } from '../clients/types';

const brush = (key: string, color: string, opacity: number, lineWidth: number) => ({
  key,
  color,
  opacity,
  lineWidth,
});

export const brushes: DrawBrushes = {
  green: brush('g', '#15781b', 1, 10),
  red: brush('r', '#882020', 1, 10),
  blue: brush('b', '#003088', 1, 10),
  yellow: brush('y', '#e68f00', 1, 10),
  best: brush('best', '#1a5fb4', 0.9, 13),
  second: brush('second', '#1a5fb4', 0.55, 9),
  danger: brush('danger', '#c01c28', 0.9, 9),
  threat: brush('threat', '#a51d2d', 0.8, 12),
};

/** The squares that will explode: own losses, the opponent's losses, kings and the centre. */
export function blastMarks(move: LegalMove, turn: Side): Map<Key, string> {
  const marks = new Map<Key, string>();
  for (const square of neighbours(move.to)) marks.set(square, 'blast-area');
  for (const { square, color, role } of move.losses) {
    const side = color === turn ? 'blast-own' : 'blast-other';
    marks.set(square, role === 'king' ? `${side} blast-king` : side);
  }
  marks.set(move.to, `${marks.get(move.to) ?? ''} blast-centre`.trim());
  return marks;
}

/** Pieces whose capture would explode a king; kings that touch are safe. */
export function dangerMarks(info: PositionInfo): Map<Key, string> {
  const marks = new Map<Key, string>();
  for (const { square, attackers } of info.danger) {
    marks.set(square, attackers.length ? 'danger danger-attacked' : 'danger');
  }
  if (info.touchingKings) {
    for (const [square, piece] of piecesOf(info.fen)) if (piece.role === 'king') marks.set(square, 'safe');
  }
  return marks;
}

export function dangerArrows(info: PositionInfo): DrawShape[] {
  return info.danger.flatMap(({ square, attackers }) =>
    attackers.map((attacker) => ({ orig: attacker, dest: square, brush: 'danger' })),
  );
}

/** One arrow for each line, the best one strongest. */
export function lineArrows(lines: readonly EngineLine[]): DrawShape[] {
  return lines.flatMap((line, index) => (line.pv[0] ? [moveArrow(line.pv[0], index ? 'second' : 'best')] : []));
}

export function moveArrow(uci: string, name: string): DrawShape {
  const role = promotion(uci);
  const label = role ? { label: { text: role === 'knight' ? 'N' : (role[0] ?? '').toUpperCase() } } : {};
  return { orig: from(uci), dest: to(uci), brush: name, ...label };
}

/** What the person has drawn, as it is kept; nothing for a shape with another brush. */
export function shapeOf({ orig, dest, brush: name }: DrawShape): Shape[] {
  const own = colours.find((colour) => colour === name);
  return own ? [{ orig: orig as Key, ...(dest ? { dest: dest as Key } : {}), brush: own }] : [];
}

export function joinMarks(...all: Map<Key, string>[]): Map<Key, string> {
  const joined = new Map<Key, string>();
  for (const marks of all) {
    for (const [key, name] of marks) joined.set(key, `${joined.get(key) ?? ''} ${name}`.trim());
  }
  return joined;
}
