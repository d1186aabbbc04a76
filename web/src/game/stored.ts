// A game tree as plain data, for the storage and for undo.
// Invariant: a tree that is read again has the same moves, notes and order of variations.

import type { Start } from '../clients/types';
import { GameTree, type Node, type Notes } from './tree';

interface StoredNode extends Partial<Notes> {
  /** The place of the parent in the list; the root has none. */
  parent: number | null;
  uci: string;
  san: string;
}

export interface StoredTree {
  start: Start;
  fen: string;
  /** Parents before their children. */
  nodes: StoredNode[];
  /** The place of the shown node. */
  shown: number;
  reviewed: { last: number; accuracy: NonNullable<GameTree['reviewed']>['accuracy'] } | null;
}

export function storeTree(tree: GameTree, shown: Node): StoredTree {
  const nodes: StoredNode[] = [];
  const places = new Map<Node, number>();
  const waiting: Node[] = [tree.root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { id: _id, ply: _ply, fen: _fen, parent, children, ...rest } = node;
    places.set(node, nodes.length);
    nodes.push({ ...structuredClone(rest), parent: parent && (places.get(parent) ?? null) });
    waiting.push(...[...children].reverse());
  }
  const place = (node: Node) => places.get(node) ?? 0;
  const { reviewed } = tree;
  return {
    start: tree.start,
    fen: tree.root.fen,
    nodes,
    shown: place(shown),
    reviewed: reviewed && { last: place(reviewed.last), accuracy: reviewed.accuracy },
  };
}

export function readTree(stored: StoredTree): { tree: GameTree; shown: Node } {
  const tree = new GameTree(stored.start, stored.fen);
  const nodes: Node[] = [];
  for (const { parent, ...rest } of structuredClone(stored.nodes)) {
    const above = parent === null ? null : nodes[parent];
    const node = above ? tree.add(above, rest) : tree.root;
    nodes.push(Object.assign(node, rest));
  }
  const { reviewed } = stored;
  const last = reviewed && nodes[reviewed.last];
  if (reviewed && last) tree.reviewed = { last, accuracy: reviewed.accuracy };
  return { tree, shown: nodes[stored.shown] ?? tree.root };
}
