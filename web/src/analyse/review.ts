// The review of a whole game: every position of the main line is searched with the same number of
// nodes, from an empty TT, and the core judges the moves. Better lines become variations, and a
// change of a forced result is proved where the refutation book or the solver can.

import { computed, signal } from '@preact/signals';
import { core, engine, fullStrength, solver } from '../clients';
import type { Eval, JudgedMove } from '../clients/core';
import type { EngineLine } from '../clients/info';
import { other } from '../game/squares';
import type { Session } from '../game/session';
import { moverOf, movesTo, type GameTree, type Judgement, type Node, type Proof } from '../game/tree';
import { bookProof, type Analysis } from './analysis';

/** Nodes for each position. */
export const efforts = { quick: 20_000, normal: 100_000, deep: 500_000 } as const;
export type Effort = keyof typeof efforts;

const nags = { '?!': 6, '?': 2, '??': 4 } as const;
/** Half-moves of a better line; a mate is shown to its end. */
const variationLength = 6;
const proofNodes = 200_000;

/** A position as the search has found it. */
interface Searched {
  eval: Eval;
  pv: string[];
}

export class Review {
  readonly progress = signal<{ done: number; all: number } | null>(null);
  readonly running = computed(() => this.progress.value !== null);
  #cancelled = false;
  readonly #analysis: Analysis;
  readonly #session: Session;

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
    this.#session = analysis.session;
  }

  cancel(): void {
    this.#cancelled = true;
    engine.stop();
  }

  async run(effort: Effort): Promise<void> {
    const tree = this.#session.tree.value;
    const line = tree.mainLine();
    this.#cancelled = false;
    tree.reviewed = null;
    this.#analysis.reviewing.value = true;
    try {
      const found = await this.#searchAll(tree, line, efforts[effort]);
      if (found) await this.#judge(tree, line, found);
    } finally {
      this.progress.value = null;
      this.#analysis.reviewing.value = false;
    }
  }

  #isOver(tree: GameTree): boolean {
    return this.#cancelled || tree !== this.#session.tree.value;
  }

  /** None when it is cancelled; what was found so far stays in the tree. */
  async #searchAll(tree: GameTree, line: Node[], nodes: number): Promise<Searched[] | null> {
    const found: Searched[] = [];
    // What was searched before must not change the result.
    engine.newGame();
    for (const [done, node] of line.entries()) {
      this.progress.value = { done, all: line.length };
      const moves = movesTo(node);
      const { best, lines } = await engine.search({
        start: tree.start,
        moves,
        go: `nodes ${nodes}`,
        options: { MultiPV: 1, Hash: 32, 'Skill Level': fullStrength },
      });
      if (this.#isOver(tree)) return null;
      const first = lines[0];
      if (first && best) {
        node.evaluation = first;
        tree.changed();
      }
      found.push(first && best ? { eval: evalOf(first, node, best), pv: first.pv } : await ended(tree, node));
    }
    return found;
  }

  async #judge(tree: GameTree, line: Node[], found: Searched[]): Promise<void> {
    const played = line.slice(1).map((node) => node.uci);
    const review = await core.judge(tree.start, played, found.map((position) => position.eval));
    for (const [index, judged] of review.moves.entries()) {
      const [before, node] = line.slice(index, index + 2);
      const [old, next] = found.slice(index, index + 2);
      if (!before || !node || !old || !next) continue;
      node.judgement = judgement(judged, old.eval, next.eval);
      if (judged.mark && old.eval.best !== node.uci) await addBetter(tree, before, old);
      const best = before.children.find(({ uci }) => uci === old.eval.best);
      node.judgement.bestSan = judged.mark && best && best !== node ? best.san : null;
    }
    const last = line.at(-1);
    if (last) tree.reviewed = { last, accuracy: review.accuracy };
    // The marks and lines are work that must not be lost.
    this.#analysis.work.edit(null, () => tree.changed());
    await this.#prove(tree, line);
  }

  /** Tries to prove the wins that the marked moves miss or allow. */
  async #prove(tree: GameTree, line: Node[]): Promise<void> {
    for (const node of line) {
      if (!node.judgement?.nag) continue;
      const { forced } = node.judgement;
      const at = forced === 'missed' ? node.parent : node;
      if (!at || at.proof) continue;
      const proof = await proofAt(tree, at, forced !== null);
      if (this.#isOver(tree)) return;
      at.proof = proof;
      tree.changed();
    }
  }
}

/** That the side to move wins: from the refutation book, or by the solver where a search has found it. */
async function proofAt(tree: GameTree, node: Node, isFound: boolean): Promise<Proof | null> {
  const before = movesTo(node);
  const { win } = await core.refutations(tree.start, before);
  if (win) return bookProof(node, win);
  if (!isFound) return null;
  const winner = other(moverOf(node));
  const { verdict, moves = 0, san = [] } = await solver.solve(tree.start, before, proofNodes, winner);
  return verdict === 'proved' ? { winner, moves, line: san.join(' ') } : null;
}

function judgement(judged: JudgedMove, before: Eval, after: Eval): Judgement {
  return {
    nag: judged.mark && nags[judged.mark],
    lost: judged.loss,
    best: before.best || null,
    bestSan: null,
    forced: judged.mark && forcedChange(before, after),
  };
}

/** Both from the point of view of the side to move: first the mover, then the opponent. */
function forcedChange(before: Eval, after: Eval): Judgement['forced'] {
  const wins = ({ mate }: Eval): boolean => mate !== undefined && mate > 0;
  if (wins(after) && !wins(before)) return 'allowed';
  return wins(before) && !(after.mate !== undefined && after.mate <= 0) ? 'missed' : null;
}

/** The line of the search as a variation beside the move that was played. */
async function addBetter(tree: GameTree, before: Node, { eval: { mate }, pv }: Searched): Promise<void> {
  const line = pv.slice(0, mate === undefined ? variationLength : Math.max(variationLength, 2 * Math.abs(mate)));
  const { san, fens } = await core.line(tree.start, movesTo(before), line);
  let at = before;
  for (const [index, name] of san.entries()) {
    at = tree.add(at, { uci: line[index] ?? '', san: name });
    at.fen = fens[index] ?? '';
  }
}

/** The score as the core wants it: for the side to move. */
export function evalOf(line: EngineLine, node: Node, best: string): Eval {
  const sign = node.ply % 2 ? -1 : 1;
  return 'mate' in line.score
    ? { mate: sign * line.score.mate, best }
    : { cp: sign * line.score.cp, best };
}

/** A finished game needs no search: the side to move has lost, or it is a draw. */
async function ended(tree: GameTree, node: Node): Promise<Searched> {
  const { outcome } = await core.position(tree.start, movesTo(node));
  return { eval: outcome?.winner ? { mate: 0, best: '' } : { cp: 0, best: '' }, pv: [] };
}
