// Learning from mistakes: each marked move of one side becomes a question on a board of its own, so
// that tries leave nothing in the analysis. A wrong answer is refuted by the engine's reply.

import { batch, signal } from '@preact/signals';
import { core, engine, fullStrength } from '../clients';
import type { LegalMove, Side } from '../clients/types';
import { Session } from '../game/session';
import { moverOf, movesTo, type Node } from '../game/tree';
import { strings } from '../strings';
import { announce } from '../ui/notice';
import type { Analysis } from './analysis';
import { evalOf } from './review';

export type LearnState = 'find' | 'checking' | 'wrong' | 'right' | 'done';

const nodes = 100_000;
const text = strings.learn;

export class Learn {
  readonly session = new Session();
  /** The marked moves that are asked; none while the mode is off. */
  readonly questions = signal<readonly Node[] | null>(null);
  readonly index = signal(0);
  readonly state = signal<LearnState>('find');
  readonly message = signal('');
  readonly #analysis: Analysis;

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
  }

  /** The marked moves of a side for which a better move is known. */
  mistakes(side: Side): Node[] {
    const line = this.#analysis.session.tree.value.mainLine();
    return line.filter((node) => node.parent && node.judgement?.bestSan && moverOf(node) === side);
  }

  async begin(side: Side): Promise<void> {
    const found = this.mistakes(side);
    if (found.length === 0) return;
    this.#analysis.reviewing.value = true;
    this.session.orientation.value = side;
    this.questions.value = found;
    await this.ask(0);
  }

  end(): void {
    this.questions.value = null;
    this.#analysis.reviewing.value = false;
  }

  get question(): Node | null {
    return this.questions.value?.[this.index.value] ?? null;
  }

  async ask(index: number): Promise<void> {
    const question = this.questions.value?.[index];
    if (!question?.parent) return this.#say('done', text.done);
    const { start } = this.#analysis.session.tree.value;
    // The node knows its position only once it was shown, which a reload forgets.
    const { fen } = await core.position(start, movesTo(question.parent));
    await this.session.reset({ ...start, fen });
    this.index.value = index;
    this.#say('find', text.find(question.san));
  }

  async try(move: LegalMove): Promise<void> {
    const { question, session } = this;
    if (this.state.value !== 'find' || !question?.parent) return;
    this.state.value = 'checking';
    await session.play(move);
    if (move.uci === question.judgement?.best) return this.#say('right', text.right(move.san));
    const asked = session.node.value;
    const { best, lines } = await engine.search({
      start: session.tree.value.start,
      moves: [move.uci],
      go: `nodes ${nodes}`,
      options: { MultiPV: 1, 'Skill Level': fullStrength },
    });
    if (asked !== session.node.value || this.state.value !== 'checking') return;
    if (move.uci !== question.uci && (await this.#isGood(question.parent, move, best && lines[0] ? lines[0] : null))) {
      return this.#say('right', text.alsoGood(move.san));
    }
    const reply = session.info.value?.moves.find(({ uci }) => uci === best);
    if (reply) await session.play(reply);
    this.#say('wrong', reply ? text.wrong(move.san, reply.san) : text.wrongPlain(move.san));
  }

  /** Plays the best move on the board of the question. */
  async solve(): Promise<void> {
    const { question, session } = this;
    if (!question?.parent) return;
    await session.goTo(session.tree.value.root);
    const best = session.info.value?.moves.find(({ uci }) => uci === question.judgement?.best);
    if (best) await session.play(best);
    this.#say('right', text.shown(question.judgement?.bestSan ?? ''));
  }

  /** A move is good when the core gives it no mark. */
  async #isGood(before: Node, move: LegalMove, line: Parameters<typeof evalOf>[0] | null): Promise<boolean> {
    const { value: info } = this.session.info;
    if (info?.outcome) return info.outcome.winner === info.turn ? false : info.outcome.winner !== null;
    if (!before.evaluation || !line) return false;
    const evals = [evalOf(before.evaluation, before, ''), evalOf(line, this.session.node.value, '')];
    const { moves } = await core.judge(this.session.tree.value.start, [move.uci], evals);
    return moves[0]?.mark === null;
  }

  #say(state: LearnState, words: string): void {
    batch(() => {
      this.state.value = state;
      this.message.value = words;
    });
    announce(words);
  }
}
