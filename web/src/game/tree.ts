// A game as a tree of moves. The root has no move; the first child of a node is the main line. The
// tree is changed in place, and `version` tells the views.

import { signal, type Signal } from '@preact/signals';
import type { EngineLine } from '../clients/info';
import type { Key, LegalMove, Side, Start } from '../clients/types';

export interface Judgement {
  /** The mark: 2 is `?`, 4 is `??`, 6 is `?!`; none for a move without fault. */
  nag: 2 | 4 | 6 | null;
  /** Expected score that the move gave away, 0 to 1. */
  lost: number;
  best: string | null;
  bestSan: string | null;
  /** A forced win that the move misses, or one of the opponent that it allows. */
  forced: 'missed' | 'allowed' | null;
}

/** A proved forced win. */
export interface Proof {
  winner: Side;
  moves: number;
  /** The line in SAN. */
  line: string;
}

export const colours = ['green', 'red', 'blue', 'yellow'] as const;
export type Colour = (typeof colours)[number];

/** A circle or, with a destination, an arrow. */
export interface Shape {
  orig: Key;
  dest?: Key;
  brush: Colour;
}

/** What is known and said about a move. */
export interface Notes {
  comment: string;
  nags: number[];
  shapes: Shape[];
  /** Seconds left after the move. */
  clock: number | null;
  /** Seconds that the move took. */
  spent: number | null;
  evaluation: EngineLine | null;
  /** The evaluation came with the game and is written with it. */
  isGiven: boolean;
  proof: Proof | null;
  judgement: Judgement | null;
}

export interface Node extends Notes {
  readonly id: number;
  parent: Node | null;
  children: Node[];
  readonly ply: number;
  readonly uci: string;
  readonly san: string;
  /** The position after the move; empty until the core has answered. */
  fen: string;
}

/** Accuracy in percent by side; none for a side that has not moved. */
export type Accuracy = Record<Side, number | null>;

export class GameTree {
  readonly start: Start;
  readonly root: Node;
  /** The result of a review and the last position of the main line that it judged. */
  reviewed: { last: Node; accuracy: Accuracy } | null = null;
  readonly version: Signal<number> = signal(0);
  #ids = 0;

  constructor(start: Start, fen: string) {
    this.start = start;
    this.root = this.#node(null, { uci: '', san: '' }, firstPly(fen));
    this.root.fen = fen;
  }

  /** The child with this move, made if it does not exist. */
  add(parent: Node, move: Pick<LegalMove, 'uci' | 'san'>): Node {
    const existing = parent.children.find((child) => child.uci === move.uci);
    if (existing) return existing;
    const node = this.#node(parent, move, parent.ply + 1);
    parent.children.push(node);
    this.changed();
    return node;
  }

  /** Removes the node with all that follows; returns where to go instead. */
  remove(node: Node): Node {
    const parent = node.parent;
    if (!parent) return node;
    parent.children = parent.children.filter((child) => child !== node);
    this.changed();
    return parent;
  }

  /** Makes the line of this node the first one, at every branch above it. */
  promote(node: Node): void {
    for (let child = node; child.parent; child = child.parent) {
      child.parent.children = [child, ...child.parent.children.filter((other) => other !== child)];
    }
    this.changed();
  }

  changed(): void {
    this.version.value++;
  }

  /** None when the main line was not reviewed or has changed since. */
  get accuracy(): Accuracy | null {
    return this.reviewed?.last === this.mainLine().at(-1) ? (this.reviewed?.accuracy ?? null) : null;
  }

  mainLine(): Node[] {
    const line = [this.root];
    for (let node = this.root.children[0]; node; node = node.children[0]) line.push(node);
    return line;
  }

  #node(parent: Node | null, move: Pick<LegalMove, 'uci' | 'san'>, ply: number): Node {
    return {
      id: this.#ids++,
      parent,
      children: [],
      ply,
      uci: move.uci,
      san: move.san,
      fen: '',
      comment: '',
      nags: [],
      shapes: [],
      clock: null,
      spent: null,
      evaluation: null,
      isGiven: false,
      proof: null,
      judgement: null,
    };
  }
}

/** Half-moves played before this position, so that move numbers come out right. */
function firstPly(fen: string): number {
  const [, turn, , , , move] = fen.split(' ');
  return (Number(move ?? 1) - 1) * 2 + (turn === 'b' ? 1 : 0);
}

/** Who has played the move of this node. */
export const moverOf = (node: Node): Side => (node.ply % 2 ? 'white' : 'black');

/** The moves from the start to this node. */
export function movesTo(node: Node): string[] {
  const moves: string[] = [];
  for (let at = node; at.parent; at = at.parent) moves.unshift(at.uci);
  return moves;
}

export function isMainLine(node: Node): boolean {
  for (let at = node; at.parent; at = at.parent) if (at.parent.children[0] !== at) return false;
  return true;
}

export function lastOf(node: Node): Node {
  let at = node;
  while (at.children[0]) at = at.children[0];
  return at;
}

/** `12.` before White's moves, `12…` before Black's where a line starts. */
export function moveNumber(ply: number, always: boolean): string {
  const number = Math.ceil(ply / 2);
  if (ply % 2) return `${number}.`;
  return always ? `${number}…` : '';
}
