// The training: one puzzle at a time, judged by its proved line and, for other moves, by the solver.
// Invariant: what is shown is kept whenever it waits for the person, and is shown again after a
// reload.

import { batch, computed, signal } from '@preact/signals';
import { engine, fullStrength, solver } from '../clients';
import { moveArrow } from '../board/shapes';
import { blastText } from '../board/speech';
import type { LegalMove, Side } from '../clients/types';
import { Session } from '../game/session';
import { readTree, storeTree, type StoredTree } from '../game/stored';
import { moverOf, movesTo, type Node } from '../game/tree';
import { TabDocument, type Dated } from '../state/document';
import { replaceAddress } from '../state/route';
import { change, load, watch } from '../state/storage';
import { strings } from '../strings';
import { announce } from '../ui/notice';
import { readPuzzles, type Puzzle } from './file';
import { choose, toRepeat, type Tried } from './history';

export type State = 'loading' | 'missing' | 'unknown' | 'none' | 'find' | 'checking' | 'wrong' | 'solved' | 'shown';

interface Progress {
  history: Tried[];
  streak: number;
  grade: number;
}

/** A puzzle and how far it was played. */
interface Place extends Dated {
  id: string;
  tree: StoredTree;
  line: string[];
  state: State;
  hasFailed: boolean;
  /** A move that does not win and its answer, in SAN. */
  wrong: [string, string?] | null;
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
  /** By their names. */
  readonly #all = signal<ReadonlyMap<string, Puzzle>>(new Map());
  readonly toRepeat = computed(() => toRepeat(this.#all.value, this.progress.value.history));
  readonly #document = new TabDocument<Place>('puzzle');
  #opened: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #wrong: Place['wrong'] = null;
  /** What the solver's last capture explodes, in words. */
  #blast = '';
  /** The moves from the start of the tree to the proved end; an equal move replaces the rest. */
  #line: string[] = [];

  /** Shows the puzzle of a link; without one, what was shown last. The last of several calls decides. */
  open(id: string | null): Promise<void> {
    const done = this.#last.then(() => this.#openInTurn(id));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #openInTurn(id: string | null): Promise<void> {
    await (this.#opened ??= this.#open());
    if (!this.#all.value.size) return this.next();
    const { value: shown } = this.puzzle;
    if (shown && (id ?? shown.id) === shown.id) return;
    const place = shown ? undefined : ((await this.#document.restore()) ?? (id === null ? await this.#document.adopt() : undefined));
    if (place && (id ?? place.id) === place.id && (await this.#restore(place))) return;
    if (id === null) return this.next();
    const puzzle = this.#all.value.get(id);
    if (puzzle && (await this.show(puzzle).then(() => true, () => false))) return;
    batch(() => {
      this.puzzle.value = null;
      this.#tell('unknown', strings.puzzles.unknown(id));
    });
  }

  /** Reads the file once; after a failure the next call tries again. */
  async #open(): Promise<void> {
    await this.#read();
    watch('puzzles', () => void this.#read());
    const response = await fetch('./puzzles.epd').catch(() => null);
    const all = response?.ok ? readPuzzles(await response.text()) : [];
    if (!response?.ok) this.#opened = null;
    this.#all.value = new Map(all.map((puzzle) => [puzzle.id, puzzle]));
  }

  async next(): Promise<void> {
    const { grade, history } = this.progress.value;
    const puzzle = choose(this.#all.value, history, grade);
    if (!puzzle) {
      this.state.value = this.#all.value.size ? 'none' : 'missing';
      return;
    }
    try {
      await this.show(puzzle);
    } catch {
      // A position or a first move that the rules do not accept: the puzzle is left out.
      this.#all.value = new Map([...this.#all.value].filter(([id]) => id !== puzzle.id));
      await this.next();
    }
  }

  /** Shows a failed puzzle; called again, the one that failed after it. */
  async repeat(): Promise<void> {
    const { value: failed } = this.toRepeat;
    const at = failed.findIndex(({ id }) => id === this.puzzle.value?.id);
    const puzzle = failed[(at + 1) % failed.length];
    if (puzzle) await this.show(puzzle);
  }

  /** Shows a puzzle; it fails if the rules do not accept its position or its first move. */
  async show(puzzle: Puzzle): Promise<void> {
    const { session } = this;
    const { before, variant } = puzzle;
    await session.reset({ variant, fen: before?.fen ?? puzzle.fen, chess960: false });
    const tree = session.tree.value;
    batch(() => {
      this.#take(puzzle, before ? [before.uci, ...puzzle.line] : puzzle.line);
      this.state.value = 'loading';
    });
    // A reload shows how far it was played, not the link again.
    replaceAddress('puzzles', {});
    if (before) {
      await pause();
      if (tree !== session.tree.value) return;
      await session.play(this.#legal(before.uci));
    }
    this.#legal(puzzle.line[0] ?? '');
    this.#say('find');
  }

  #take(puzzle: Puzzle, line: string[]): void {
    this.puzzle.value = puzzle;
    this.session.orientation.value = this.side;
    this.#line = line;
    this.#hasFailed = false;
    this.#wrong = null;
    this.#blast = '';
    this.hints.value = 0;
  }

  /** Shows a puzzle as it was left; false if this is not possible. */
  async #restore(place: Place): Promise<boolean> {
    const puzzle = this.#all.value.get(place.id);
    if (!puzzle) return false;
    try {
      const { tree, shown } = readTree(place.tree);
      const info = await this.session.describe(tree.start, movesTo(shown));
      batch(() => {
        this.session.use(tree, shown, info);
        this.#take(puzzle, place.line);
        this.#hasFailed = place.hasFailed;
        this.#wrong = place.wrong;
      });
      // A move was being judged or answered.
      if (place.state === 'checking' || place.state === 'loading') await this.again();
      else this.#say(place.state);
      return true;
    } catch {
      // Kept by a version that this one cannot read.
      return false;
    }
  }

  #legal(uci: string): LegalMove {
    const move = this.session.info.value?.moves.find((legal) => legal.uci === uci);
    if (!move) throw new Error(strings.forbidden(uci, 'is not legal here'));
    return move;
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

  /** The number of moves of the solver before this position. */
  #solversMoves(node: Node): number {
    const moves = movesTo(node).length - (this.puzzle.value?.before ? 1 : 0);
    return Math.ceil(moves / 2);
  }

  async again(): Promise<void> {
    const { session } = this;
    const node = this.#reached();
    await session.goTo(node);
    for (const child of [...node.children]) session.tree.value.remove(child);
    this.#say('find');
  }

  /** The last position on the line where the solver is to move. */
  #reached(): Node {
    let node = this.session.tree.value.root;
    for (const uci of this.#line) {
      const next = node.children.find((child) => child.uci === uci);
      if (!next) break;
      node = next;
    }
    return moverOf(node) === this.side && node.parent ? node.parent : node;
  }

  /** First the piece, then the square. */
  hint(): void {
    this.#fail();
    this.hints.value++;
    const move = this.session.info.value?.moves.find(({ uci }) => uci === this.expected);
    const piece = move && this.session.pieces.get(move.from);
    if (piece && move) this.#tell('find', strings.puzzles.hintPiece(strings.pieces[piece.role], move.from));
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
    this.#say('shown');
  }

  #isKnown(move: LegalMove, before: Node): boolean {
    if (move.uci === this.#line[movesTo(before).length]) return true;
    const equal = this.puzzle.value?.equal.get(2 * this.#solversMoves(before))?.includes(move.uci) ?? false;
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
    const used = this.#solversMoves(session.node.value);
    if (found.verdict !== 'proved' || used + (found.moves ?? Infinity) > limit) return false;
    this.#line = [...moves, ...(found.line ?? [])];
    return true;
  }

  async #goOn(): Promise<void> {
    const { session } = this;
    if (!this.expected) {
      const atEnd = 2 * this.#solversMoves(session.node.value) > (this.puzzle.value?.line.length ?? 0);
      if (atEnd || !(await this.#isProved()) || !this.expected) return this.#solved();
    }
    announce(strings.puzzles.right);
    await pause();
    const reply = session.info.value?.moves.find(({ uci }) => uci === this.expected);
    if (!reply) return this.#solved();
    await session.play(reply);
    if (!this.expected) return this.#solved();
    this.#say('find', strings.puzzles.right);
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
    this.#wrong = reply ? [move.san, reply.san] : [move.san];
    this.#say('wrong');
  }

  #solved(): void {
    if (!this.#hasFailed) this.#record(true);
    this.#say('solved');
  }

  /** The first fault counts; what follows is practice. */
  #fail(): void {
    if (!this.#hasFailed) this.#record(false);
    this.#hasFailed = true;
    this.#keepPlace();
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

  #keepPlace(): void {
    const { tree, node } = this.session;
    const id = this.puzzle.value?.id ?? '';
    const [state, line, hasFailed, wrong] = [this.state.value, this.#line, this.#hasFailed, this.#wrong];
    void this.#document.save({ at: Date.now(), id, tree: storeTree(tree.value, node.value), line, state, hasFailed, wrong });
  }

  /** The puzzle waits for the person. */
  #say(state: State, praise = ''): void {
    this.#tell(state, this.#words(state, praise));
    this.#keepPlace();
  }

  #words(state: State, praise: string): string {
    const { puzzles: text, sides } = strings;
    const [san, reply] = this.#wrong ?? [];
    if (state === 'wrong' && san) return reply ? text.wrong(san, reply) : text.wrongPlain(san);
    if (state !== 'find') {
      const proved = text.proved(sides[this.side], this.puzzle.value?.moves ?? 0);
      return state === 'solved' ? [text.solved, this.#blast, proved].filter(Boolean).join(' ') : proved;
    }
    const { node } = this.session;
    const find = text.find(sides[this.side]);
    if (praise) return [praise, this.#blast, find].filter(Boolean).join(' ');
    const other = sides[this.side === 'white' ? 'black' : 'white'];
    return node.value.san ? `${text.before(other, node.value.san)} ${find}` : find;
  }

  #tell(state: State, words: string): void {
    this.state.value = state;
    this.message.value = words;
    announce(words);
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, replyDelay));
