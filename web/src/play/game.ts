// A game against the engine: whose turn it is, the clocks, the result, and what both sides may do.

import { batch, computed, effect, signal } from '@preact/signals';
import { core, engine, fullStrength } from '../clients';
import { expected } from '../clients/info';
import type { LegalMove, Side, Start, Variant } from '../clients/types';
import { moveArrow } from '../board/shapes';
import { outcomeText } from '../board/speech';
import { other, piecesOf } from '../game/squares';
import { Session, standard } from '../game/session';
import { lastOf, movesTo, type Node } from '../game/tree';
import { route } from '../state/route';
import { TabDocument, type Dated } from '../state/document';
import { load, save } from '../state/storage';
import { strings } from '../strings';
import { announce, notify } from '../ui/notice';
import { Clock, timeControl, timesAt } from './clock';
import { nextHint, type Hint } from './hints';

export interface Setup {
  side: Side | 'random';
  skill: number;
  clock: keyof typeof strings.play.clocks;
  variant: Variant;
  chess960: boolean;
  /** Number of the Chess960 start position; none for a random one. */
  number: number | null;
  /** A position of the analysis to play from; it brings its own rules. */
  from: Start | null;
}

export interface Result {
  winner: Side | null;
  text: string;
}

interface Kept extends Dated {
  setup: Setup;
  side: Side;
  start: Start;
  moves: string[];
  /** Seconds left after each move, from the start position on. */
  clocks: (number | null)[];
  date: number;
  left: Record<Side, number> | null;
}

/** Full strength thinks so long, in milliseconds, without a clock. */
const fullStrengthTime = 2000;

export class Game {
  readonly session = new Session();
  readonly setup = signal<Setup>({
    side: 'white',
    skill: 4,
    clock: 'none',
    variant: 'atomic',
    chess960: false,
    number: null,
    from: null,
  });
  /** The person chooses the settings; a move or the button starts the game. */
  readonly preparing = signal(true);
  /** It is known whether there is an unfinished game: before, a choice would replace it. */
  readonly loaded = signal(false);
  readonly side = signal<Side>('white');
  readonly result = signal<Result | null>(null);
  readonly thinking = signal(false);
  readonly hint = signal<Hint | null>(null);
  readonly clock = new Clock((side) => this.#flag(side));
  /** When the game began. */
  date = new Date();
  readonly #document = new TabDocument<Kept>('game');
  #opened: Promise<void> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isKept = false;
  /** Counts the engine's searches; an answer to an older one is ignored. */
  #searches = 0;
  /** White's expected score in the engine's last search. */
  #outlook = 0.5;

  /** An unfinished game, or a board for a new one; safe to call more than once, and tried again after a failure. */
  open(): Promise<void> {
    return (this.#opened ??= this.#inTurn(() => this.#open()).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    }));
  }

  async #open(): Promise<void> {
    const kept = (await this.#document.restore()) ?? (await this.#document.adopt());
    const settings = await load<Setup>('setup');
    try {
      if (kept && (await this.#restore(kept))) return;
    } catch {
      // A game that this version cannot read is replaced by a new one.
    } finally {
      this.loaded.value = true;
    }
    this.setup.value = { ...this.setup.value, ...settings, from: null };
    await this.#layOut();
  }

  /** Steps between games wait for each other: a start never overtakes the board that it is for. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** A board with these settings, on which nothing happens yet. */
  async prepare(setup: Setup = this.setup.value): Promise<void> {
    // At once: the next choice of the person builds on it.
    this.setup.value = setup;
    await this.#inTurn(async () => {
      if (setup === this.setup.value) await this.#layOut();
    });
  }

  async #layOut(): Promise<void> {
    const setup = this.setup.value;
    const start: Start = setup.from ?? { ...standard, variant: setup.variant };
    if (!setup.from && setup.chess960) {
      start.fen = (await core.chess960(setup.number ?? undefined)).fen;
      start.chess960 = true;
    }
    await this.session.reset(start);
    this.#forgetSearch();
    this.date = new Date();
    this.#outlook = 0.5;
    batch(() => {
      this.preparing.value = true;
      this.#sit(setup.side === 'random' ? 'white' : setup.side);
      this.result.value = null;
      this.hint.value = null;
    });
    this.clock.reset(timeControl(setup.clock));
    this.#startKeeping();
  }

  /** Starts the game that was prepared. */
  async start(): Promise<void> {
    const isNew = await this.#inTurn(async () => {
      if (!this.preparing.value) return false;
      if (this.setup.value.side === 'random') this.#sit(Math.random() < 0.5 ? 'white' : 'black');
      engine.newGame();
      this.preparing.value = false;
      return true;
    });
    if (isNew) await this.#continue();
  }

  /** The view is left: nobody sees the clock, so it stops. */
  pause(): void {
    this.#forgetSearch();
    if (this.clock.running.value === null) return;
    this.clock.stop();
    notify(strings.play.paused);
  }

  #sit(side: Side): void {
    this.side.value = side;
    this.session.orientation.value = side;
  }

  /** The same settings with colours exchanged. */
  async rematch(): Promise<void> {
    await this.prepare({ ...this.setup.value, side: other(this.side.value) });
    await this.start();
  }

  /** Whether the person may move now; while the colour is left to chance, the game is to be started first. */
  get canMove(): boolean {
    return !this.result.value && this.atEnd && !(this.preparing.value && this.setup.value.side === 'random');
  }

  async move(move: LegalMove): Promise<void> {
    if (!this.canMove || this.session.info.value?.turn !== this.side.value) return;
    const at = this.session.node.value;
    if (this.preparing.value) await this.start();
    // Another board, laid out meanwhile, does not know the move.
    if (at !== this.session.node.value) return;
    await this.#play(move);
    await this.#continue();
  }

  /** The position before the person's last move. */
  get takebackTarget(): Node | null {
    const { root } = this.session.tree.value;
    void this.session.tree.value.version.value;
    let node = lastOf(root);
    while (node.parent && this.mover(node.parent.ply) !== this.side.value) node = node.parent;
    return node.parent;
  }

  /** Back to the person's previous turn, with the time of then. */
  async takeback(): Promise<void> {
    await this.#inTurn(async () => {
      const { session } = this;
      const target = this.takebackTarget;
      if (!target) return;
      this.#forgetSearch();
      this.result.value = null;
      this.hint.value = null;
      // The engine's move may arrive on the way.
      while (session.node.value !== target) await session.goTo(target);
      for (const child of [...target.children]) session.tree.value.remove(child);
      const control = timeControl(this.setup.value.clock);
      this.clock.reset(control, control ? timesAt(target, control) : undefined);
      if (target.parent) this.clock.run(this.side.value);
    });
  }

  /** The view is open again: another one may have taken the engine meanwhile. */
  async resume(): Promise<void> {
    if (route.value.view !== 'play') return;
    const turn = this.session.info.value?.turn;
    const hasMoves = this.session.tree.value.root.children.length > 0;
    if (turn && this.running && hasMoves && this.clock.running.value === null) this.clock.run(turn);
    if (!this.thinking.value && this.atEnd && !this.preparing.value) await this.#continue();
  }

  /** Each call says more. */
  async showHint(): Promise<void> {
    const node = this.session.node.value;
    if (this.thinking.value || this.result.value) return;
    const hint = await nextHint(this.session, this.hint.value);
    if (!hint || node !== this.session.node.value || this.result.value) return;
    this.hint.value = hint;
    announce(hint.text);
  }

  get hintArrows() {
    const hint = this.hint.value;
    return hint?.step === 'move' && hint.uci ? [moveArrow(hint.uci, 'green')] : [];
  }

  resign(): void {
    const winner = other(this.side.value);
    this.#end(winner, strings.won('resignation', strings.sides[winner]));
  }

  /** The engine agrees when it does not expect to win. */
  offerDraw(): void {
    const own = this.side.value === 'white' ? 1 - this.#outlook : this.#outlook;
    const late = movesTo(this.session.node.value).length >= 20;
    if (late && own <= 0.5) this.#end(null, strings.drawn('agreement'));
    else notify(strings.play.drawRefused);
  }

  /** An unfinished game is on the board. */
  get running(): boolean {
    return !this.preparing.value && this.result.value === null;
  }

  /** Whether the last position of the game is on the board. */
  get atEnd(): boolean {
    return this.session.node.value.children.length === 0;
  }

  /** Whose turn it is after this many half-moves. */
  readonly mover = (ply: number): Side => (ply % 2 ? 'black' : 'white');

  async #play(move: LegalMove): Promise<void> {
    const turn = this.session.info.value?.turn ?? 'white';
    const at = this.session.node.value;
    this.hint.value = null;
    await this.session.play(move);
    // Another board was laid out meanwhile.
    if (this.session.node.value.parent !== at) return;
    this.clock.press(turn);
    const left = this.clock.left.value;
    if (left) {
      this.session.node.value.clock = Math.round(left[turn] / 100) / 10;
      this.session.tree.value.changed();
    }
    const info = this.session.info.value;
    if (info?.outcome) this.#end(info.outcome.winner, outcomeText(info));
  }

  /** Lets the engine move when it is its turn. */
  async #continue(): Promise<void> {
    const { session } = this;
    const info = session.info.value;
    if (!info || this.result.value || info.turn === this.side.value) return;
    // Another view may use the engine; `resume` goes on here.
    if (route.value.view !== 'play') return;
    const node = session.node.value;
    const search = ++this.#searches;
    this.thinking.value = true;
    const { best, lines, stopped } = await engine.search({
      start: session.tree.value.start,
      moves: movesTo(node),
      go: this.#limits(),
      options: { 'Skill Level': this.setup.value.skill, MultiPV: 1, Hash: 32 },
    });
    if (search !== this.#searches) return;
    this.thinking.value = false;
    // Another view has stopped it on leaving: ask again, if this one is open.
    if (stopped) return this.#continue();
    if (lines[0]) this.#outlook = expected(lines[0].wdl);
    if (node !== session.node.value) await session.goTo(node);
    const move = session.info.value?.moves.find(({ uci }) => uci === best);
    if (move) await this.#play(move);
    // The engine's worker died and is new: ask again.
    else if (!session.info.value?.outcome) await this.#continue();
  }

  #forgetSearch(): void {
    this.#searches++;
    if (this.thinking.value) engine.stop();
    this.thinking.value = false;
  }

  #limits(): string {
    const left = this.clock.left.value;
    const control = this.clock.control;
    if (!left || !control) {
      return this.setup.value.skill === fullStrength ? `movetime ${fullStrengthTime}` : 'movetime 10000';
    }
    const { increment } = control;
    const [white, black] = [left.white, left.black].map(Math.floor);
    return `wtime ${white} btime ${black} winc ${increment} binc ${increment}`;
  }

  #flag(side: Side): void {
    const winner = other(side);
    const pieces = [...piecesOf(this.session.fen).values()].filter((piece) => piece.color === winner);
    if (pieces.length === 1) this.#end(null, strings.drawn('insufficient-material'));
    else this.#end(winner, strings.won('time', strings.sides[winner]));
  }

  #end(winner: Side | null, text: string): void {
    this.result.value = { winner, text };
    this.hint.value = null;
    this.clock.stop();
    this.#forgetSearch();
    announce(text);
  }

  /** False when the game is over. */
  async #restore(kept: Kept): Promise<boolean> {
    this.setup.value = { ...this.setup.value, ...kept.setup };
    await this.session.reset(kept.start, kept.moves);
    this.#sit(kept.side);
    this.clock.reset(timeControl(kept.setup.clock), kept.left ?? undefined);
    const info = this.session.info.value;
    if (!info || info.outcome) return false;
    this.date = new Date(kept.date);
    for (const [index, node] of this.session.tree.value.mainLine().entries()) node.clock = kept.clocks[index] ?? null;
    this.preparing.value = false;
    notify(strings.play.restored);
    this.#startKeeping();
    return true;
  }

  /** Only now: before, the empty board would replace the unfinished game. */
  #startKeeping(): void {
    if (this.#isKept) return;
    this.#isKept = true;
    effect(() => void this.#keep());
    // A reload must not give back the time of the move.
    const second = computed(() => {
      const { left, running } = this.clock;
      return running.value && left.value ? Math.ceil(left.value[running.value] / 1000) : null;
    });
    effect(() => {
      if (second.value !== null) void this.#keep();
    });
  }

  /** Saves the game after each move; a finished one is forgotten. */
  async #keep(): Promise<void> {
    const tree = this.session.tree.value;
    void tree.version.value;
    const line = tree.mainLine();
    void save('setup', this.setup.value);
    if (line.length === 1 || this.result.value) return this.#document.remove();
    const kept: Kept = {
      setup: this.setup.value,
      side: this.side.value,
      start: tree.start,
      moves: line.slice(1).map((node) => node.uci),
      clocks: line.map((node) => node.clock),
      left: this.clock.left.peek(),
      date: this.date.getTime(),
      at: Date.now(),
    };
    await this.#document.save(kept);
  }
}
