// What Lichess writes into the comments of a PGN: clocks, evaluations, circles and arrows.
// Invariant: a comment that is read and written again says the same.

import { makeComment, parseComment, type CommentShapeColor, type Evaluation } from 'chessops/pgn';
import { makeSquare, parseSquare } from 'chessops/util';
import type { EngineLine, Score } from '../clients/info';
import type { Key } from '../clients/types';
import type { Notes, Shape } from '../game/tree';

/** The notes of a move from its comments. */
export function readNotes(comments: readonly string[]): Partial<Notes> {
  const notes: Partial<Notes> = {};
  const texts: string[] = [];
  const shapes: Shape[] = [];
  for (const comment of comments) {
    const found = parseComment(comment);
    texts.push(found.text.replace(/ {2,}/g, ' '));
    if (found.clock !== undefined) notes.clock = found.clock;
    if (found.emt !== undefined) notes.spent = found.emt;
    if (found.evaluation) Object.assign(notes, { evaluation: lineOf(found.evaluation), isGiven: true });
    for (const { color, from, to } of found.shapes) {
      const orig = makeSquare(from) as Key;
      shapes.push(from === to ? { orig, brush: color } : { orig, dest: makeSquare(to) as Key, brush: color });
    }
  }
  return { ...notes, comment: texts.filter(Boolean).join(' '), shapes };
}

/** One comment with everything; none when there is nothing to say. */
export function writeNotes(notes: Notes): string[] {
  const { comment, evaluation, clock, spent, shapes } = notes;
  const isWritten = evaluation !== null && (notes.isGiven || notes.judgement !== null);
  const text = makeComment({
    ...(comment ? { text: comment } : {}),
    ...(isWritten ? { evaluation: evaluationOf(evaluation) } : {}),
    ...(clock === null ? {} : { clock }),
    ...(spent === null ? {} : { emt: spent }),
    shapes: shapes.map(({ orig, dest, brush }) => ({
      color: brush as CommentShapeColor,
      from: parseSquare(orig) ?? 0,
      to: parseSquare(dest ?? orig) ?? 0,
    })),
  });
  return text ? [text] : [];
}

/** The engine replaces it at once: it has depth 0 if the file does not say how deep it is. */
function lineOf(found: Evaluation): EngineLine {
  const score: Score = 'mate' in found ? { mate: found.mate } : { cp: Math.round(found.pawns * 100) };
  const win = 'mate' in score ? Number(score.mate > 0) : 1 / (1 + 10 ** (-score.cp / 400));
  return {
    multipv: 1,
    depth: found.depth ?? 0,
    seldepth: 0,
    score,
    bound: 'exact',
    wdl: { win, draw: 0, loss: 1 - win },
    nodes: 0,
    nps: 0,
    tbhits: 0,
    pv: [],
  };
}

function evaluationOf({ score, depth }: EngineLine): Evaluation {
  const known = depth > 0 ? { depth } : {};
  return 'mate' in score ? { mate: score.mate, ...known } : { pawns: score.cp / 100, ...known };
}
