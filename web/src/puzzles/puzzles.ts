// The training: one puzzle at a time, judged by its proved line and, for other moves, by the solver.

import { signal } from '@preact/signals';
import { engine, fullStrength, solver } from '../clients';
import { moveArrow } from '../board/shapes';
import { blastText } from '../board/speech';
import type { LegalMove, Side } from '../clients/types';
import { Session } from '../game/session';
import { movesTo, type Node } from '../game/tree';
import { change, load, watch } from '../state/storage';
import { strings } from '../strings';
import { announce } from '../ui/notice';
import { readPuzzles, type Puzzle } from './file';

export type State = 'loading' | 'missing' | 'none' | 'find' | 'checking' | 'wrong' | 'solved' | 'shown';

export interface Tried {
  id: string;
  solved: boolean;
  /** Milliseconds since 1970. */
  at: number;
}

interface Progress {
  history: Tried[];
  streak: number;
  grade: number;
}

const solverNodes = 200_000;
const replyDelay = 450;
const historyLength = 10_000;

export class Puzzles {
  readonly session = new Session();
  readonly state = signal<State>('loading');
  readonly puzzle = signal<Puzzle | null>(null);
  readonly message = signal('');
  readonly progress = signal<Progress>({ history: [], streak: 0, grade: 0 });
  readonly hints = signal(0);
  #all: Puzzle[] = [];
  #opened: Promise<void> | null = null;
  #failed = false;
  /** What the solver's last capture explodes, in words. */
  #blast = '';
  /** The proved moves from the start of the puzzle; an equal move replaces the rest. */
  #line: string[] = [];

  /** Reads the file once; after a failure the next call tries again. */
  open(): Promise<void> {
    return (this.#opened ??= this.#open());
  }

  async #open(): Promise<void> {
    await this.#read();
    watch('puzzles', () => void this.#read());
    const response = await fetch('./puzzles.epd').catch(() => null);
    if (response?.ok) this.#all = readPuzzles(await response.text());
    else this.#opened = null;
    await this.next();
  }

  /** A puzzle that was not tried yet or, when all were, the one tried longest ago. */
  async next(): Promise<void> {
    const { grade, history } = this.progress.value;
    const possible = this.#all.filter((puzzle) => grade === 0 || puzzle.grade === grade);
    const tried = new Map(history.map(({ id, at }) => [id, at]));
    const fresh = possible.filter(({ id }) => !tried.has(id));
    const oldest = [...possible].sort((a, b) => (tried.get(a.id) ?? 0) - (tried.get(b.id) ?? 0))[0];
    const puzzle = fresh[Math.floor(Math.random() * fresh.length)] ?? oldest;
    if (!puzzle) {
      this.state.value = this.#all.length ? 'none' : 'missing';
      return;
    }
    try {
      await this.show(puzzle);
    } catch {
      // A position or a first move that the rules do not accept: the puzzle is left out.
      this.#all = this.#all.filter((other) => other !== puzzle);
      await this.next();
    }
  }

  /** Shows a puzzle; it fails if the rules do not accept its position or its first move. */
  async show(puzzle: Puzzle): Promise<void> {
    await this.session.reset({ variant: puzzle.variant, fen: puzzle.fen, chess960: false });
    const legal = this.session.info.value?.moves.some(({ uci }) => uci === puzzle.line[0]);
    if (!legal) throw new Error(strings.forbidden(puzzle.line[0] ?? '', 'is not legal here'));
    this.puzzle.value = puzzle;
    this.session.orientation.value = this.side;
    this.#line = puzzle.line;
    this.#failed = false;
    this.#blast = '';
    this.hints.value = 0;
    this.#say('find', strings.puzzles.find(strings.sides[this.side]));
  }

  async setGrade(grade: number): Promise<void> {
    await this.#keep((kept) => ({ ...kept, grade }));
    await this.next();
  }

  get side(): Side {
    return this.puzzle.value?.fen.split(' ')[1] === 'b' ? 'black' : 'white';
  }

  get expected(): string | null {
    return this.#line[movesTo(this.session.node.value).length] ?? null;
  }

  async try(move: LegalMove): Promise<void> {
    const { session } = this;
    const before = session.node.value;
    if (this.state.value !== 'find') return;
    this.state.value = 'checking';
    this.#blast = move.capture ? blastText(move, this.side) : '';
    await session.play(move);
    const { outcome } = session.info.value ?? {};
    if (outcome?.winner === this.side) return this.#solved();
    if (this.#isKnown(move, before) || (await this.#isProved())) return this.#goOn();
    await this.#refute(move);
  }

  async again(): Promise<void> {
    const { session } = this;
    let node: Node = session.node.value;
    while (node.parent && !this.#onLine(node)) node = node.parent;
    await session.goTo(node);
    for (const child of [...node.children]) session.tree.value.remove(child);
    this.#say('find', strings.puzzles.find(strings.sides[this.side]));
  }

  /** First the piece, then the square. */
  hint(): void {
    this.#fail();
    this.hints.value++;
    const move = this.session.info.value?.moves.find(({ uci }) => uci === this.expected);
    const piece = move && this.session.pieces.get(move.from);
    if (piece && move) this.#say('find', strings.puzzles.hintPiece(strings.pieces[piece.role], move.from));
  }

  get hintArrows() {
    return this.hints.value > 1 && this.expected && this.state.value === 'find' ? [moveArrow(this.expected, 'green')] : [];
  }

  async showSolution(): Promise<void> {
    this.#fail();
    if (this.state.value === 'wrong') await this.again();
    this.state.value = 'shown';
    while (this.expected) {
      const move = this.session.info.value?.moves.find(({ uci }) => uci === this.expected);
      if (!move) break;
      await this.session.play(move);
      await pause();
    }
    this.#say('shown', strings.puzzles.proved(strings.sides[this.side], this.puzzle.value?.moves ?? 0));
  }

  #isKnown(move: LegalMove, before: Node): boolean {
    const place = movesTo(before).length;
    if (move.uci === this.#line[place]) return true;
    const equal = this.puzzle.value?.equal.get(place)?.includes(move.uci) ?? false;
    // What follows an equal move comes from the solver.
    if (equal) this.#line = movesTo(this.session.node.value);
    return equal;
  }

  /** Whether the move wins as well, by a proof; its line is then the solution. */
  async #isProved(): Promise<boolean> {
    const { session } = this;
    const moves = movesTo(session.node.value);
    const found = await solver.solve(session.tree.value.start, moves, solverNodes, this.side);
    const limit = this.puzzle.value?.moves ?? 0;
    const used = Math.ceil(moves.length / 2);
    if (found.verdict !== 'proved' || used + (found.moves ?? Infinity) > limit) return false;
    this.#line = [...moves, ...(found.line ?? [])];
    return true;
  }

  async #goOn(): Promise<void> {
    const { session } = this;
    if (!this.expected) {
      const atEnd = movesTo(session.node.value).length >= (this.puzzle.value?.line.length ?? 0);
      if (atEnd || !(await this.#isProved()) || !this.expected) return this.#solved();
    }
    announce(strings.puzzles.right);
    await pause();
    const reply = session.info.value?.moves.find(({ uci }) => uci === this.expected);
    if (!reply) return this.#solved();
    await session.play(reply);
    if (!this.expected) return this.#solved();
    this.#say('find', this.#words(strings.puzzles.right, strings.puzzles.find(strings.sides[this.side])));
  }

  /** Plays the reply that shows why the move does not win. */
  async #refute(move: LegalMove): Promise<void> {
    this.#fail();
    const { session } = this;
    const node = session.node.value;
    const { best } = await engine.search({
      start: session.tree.value.start,
      moves: movesTo(node),
      go: 'movetime 400',
      options: { 'Skill Level': fullStrength, MultiPV: 1 },
    });
    const reply = session.info.value?.moves.find(({ uci }) => uci === best);
    if (node !== session.node.value) return;
    if (reply) await session.play(reply);
    const text = strings.puzzles;
    this.#say('wrong', reply ? text.wrong(move.san, reply.san) : text.wrongPlain(move.san));
  }

  #onLine(node: Node): boolean {
    const moves = movesTo(node);
    return moves.length % 2 === 0 && moves.every((uci, index) => uci === this.#line[index]);
  }

  #solved(): void {
    if (!this.#failed) this.#record(true);
    const { moves = 0 } = this.puzzle.value ?? {};
    this.#say('solved', this.#words(strings.puzzles.solved, strings.puzzles.proved(strings.sides[this.side], moves)));
  }

  /** The blast of the last move goes between. */
  #words(before: string, after: string): string {
    return [before, this.#blast, after].filter(Boolean).join(' ');
  }

  /** The first fault counts; what follows is practice. */
  #fail(): void {
    if (!this.#failed) this.#record(false);
    this.#failed = true;
  }

  #record(solved: boolean): void {
    const id = this.puzzle.value?.id ?? '';
    const tried: Tried = { id, solved, at: Date.now() };
    void this.#keep(({ history, streak, ...rest }) => ({
      ...rest,
      history: [...history, tried].slice(-historyLength),
      streak: solved ? streak + 1 : 0,
    }));
  }

  async #read(): Promise<void> {
    this.progress.value = (await load<Progress>('puzzles')) ?? this.progress.value;
  }

  /** Other tabs count as well. */
  async #keep(next: (kept: Progress) => Progress): Promise<void> {
    this.progress.value = await change<Progress>('puzzles', (kept) => next(kept ?? this.progress.value));
  }

  #say(state: State, text: string): void {
    this.state.value = state;
    this.message.value = text;
    announce(text);
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, replyDelay));
