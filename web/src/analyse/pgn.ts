// The tree as PGN, with variations, comments, marks and evaluations.

import { core } from '../clients';
import type { PgnMoveOut } from '../clients/core';
import { lastOf, movesTo, type Node } from '../game/tree';
import { proofText, type Analysis } from './analysis';
import { writeNotes } from './annotations';

const results = ['1-0', '0-1', '1/2-1/2'];

export async function pgnOf(analysis: Analysis): Promise<string> {
  const { session } = analysis;
  const tree = session.tree.value;
  const { start, root } = tree;
  const { outcome } = await core.position(start, movesTo(lastOf(root)));
  const tags = analysis.work.tags.value;
  const tagged = tags.find(([name, value]) => name === 'Result' && results.includes(value))?.[1];
  return core.writePgn({
    tags,
    result: tagged ?? outcome?.result ?? '*',
    variant: start.variant,
    ...(start.fen === null ? {} : { fen: start.fen }),
    comments: writeNotes(root),
    moves: movesFrom(root),
  });
}

function movesFrom(parent: Node): PgnMoveOut[] {
  const moves: PgnMoveOut[] = [];
  for (let at = parent; at.children[0]; at = at.children[0]) {
    const [main, ...others] = at.children as [Node, ...Node[]];
    moves.push({
      ...written(main),
      variations: others.map((other) => ({ moves: [written(other), ...movesFrom(other)] })),
    });
  }
  return moves;
}

function written(node: Node): PgnMoveOut {
  const nag = node.judgement?.nag;
  const nags = nag ? [nag, ...node.nags.filter((other) => other > 6)] : node.nags;
  const proof = node.proof ? `${proofText(node, node.proof)} ${node.proof.line}` : '';
  const comment = node.comment.includes(proof) ? node.comment : [node.comment, proof].filter(Boolean).join(' ');
  return { uci: node.uci, nags, comments: writeNotes({ ...node, comment }) };
}
