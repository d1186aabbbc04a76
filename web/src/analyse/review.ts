// The review of a whole game: every position of the main line is searched with the same number of
// nodes, and the core judges the moves.

import { computed, signal } from '@preact/signals';
import { core, engine } from '../clients';
import type { Eval } from '../clients/core';
import type { EngineLine } from '../clients/info';
import type { Session } from '../game/session';
import { movesTo, type GameTree, type Judgement, type Node } from '../game/tree';
import type { Analysis } from './analysis';

/** Nodes for each position. */
export const efforts = { quick: 20_000, normal: 100_000, deep: 500_000 } as const;
export type Effort = keyof typeof efforts;

const nags = { '?!': 6, '?': 2, '??': 4 } as const;

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
      const evals = await this.#searchAll(tree, line, efforts[effort]);
      if (evals) await this.#judge(tree, line, evals);
    } finally {
      this.progress.value = null;
      this.#analysis.reviewing.value = false;
    }
  }

  /** None when it is cancelled; what was found so far stays in the tree. */
  async #searchAll(tree: GameTree, line: Node[], nodes: number): Promise<Eval[] | null> {
    const evals: Eval[] = [];
    // What was searched before must not change the result.
    engine.newGame();
    for (const [done, node] of line.entries()) {
      this.progress.value = { done, all: line.length };
      const moves = movesTo(node);
      const { best, lines } = await engine.search({
        start: tree.start,
        moves,
        go: `nodes ${nodes}`,
        options: { MultiPV: 1, 'Skill Level': 20 },
      });
      if (this.#cancelled || tree !== this.#session.tree.value) return null;
      const first = lines[0];
      if (first && best) {
        node.evaluation = first;
        tree.changed();
      }
      evals.push(first && best ? evalOf(first, node, best) : await ended(tree, node));
    }
    return evals;
  }

  async #judge(tree: GameTree, line: Node[], evals: Eval[]): Promise<void> {
    const played = line.slice(1).map((node) => node.uci);
    const review = await core.judge(tree.start, played, evals);
    for (const [index, judged] of review.moves.entries()) {
      const node = line[index + 1];
      const before = line[index];
      if (!node || !before) continue;
      node.judgement = await this.#judgement(tree, before, node, judged.loss, judged.mark, evals[index]?.best ?? '');
    }
    const last = line.at(-1);
    if (last) tree.reviewed = { last, accuracy: review.accuracy };
    tree.changed();
  }

  async #judgement(
    tree: GameTree,
    before: Node,
    node: Node,
    lost: number,
    mark: keyof typeof nags | null,
    best: string,
  ): Promise<Judgement> {
    const different = mark !== null && best !== '' && best !== node.uci;
    const line = different ? await core.line(tree.start, movesTo(before), [best]) : null;
    return { nag: mark && nags[mark], lost, best: best || null, bestSan: line?.san[0] ?? null };
  }
}

/** The score as the core wants it: for the side to move. */
function evalOf(line: EngineLine, node: Node, best: string): Eval {
  const sign = node.ply % 2 ? -1 : 1;
  return 'mate' in line.score
    ? { mate: sign * line.score.mate, best }
    : { cp: sign * line.score.cp, best };
}

/** A finished game needs no search: the side to move has lost, or it is a draw. */
async function ended(tree: GameTree, node: Node): Promise<Eval> {
  const { outcome } = await core.position(tree.start, movesTo(node));
  return outcome?.winner ? { mate: 0, best: '' } : { cp: 0, best: '' };
}
