// A game against the engine: whose turn it is, the clocks, the result, and what both sides may do.

import { computed, effect, signal } from '@preact/signals';
import { core, engine } from '../clients';
import { expected } from '../clients/info';
import type { LegalMove, Side, Start, Variant } from '../clients/types';
import { moveArrow } from '../board/shapes';
import { outcomeText } from '../board/speech';
import { other, piecesOf } from '../game/squares';
import { Session, standard } from '../game/session';
import { movesTo } from '../game/tree';
import { route } from '../state/route';
import { TabDocument, type Dated } from '../state/document';
import { strings } from '../strings';
import { announce, notify } from '../ui/notice';
import { Clock, type TimeControl } from './clock';

export interface Setup {
  side: Side | 'random';
  skill: number;
  clock: keyof typeof strings.play.clocks;
  variant: Variant;
  chess960: boolean;
  /** Number of the Chess960 start position; none for a random one. */
  number: number | null;
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

/** Full strength has no level of its own: it thinks so long, in milliseconds, without a clock. */
const fullStrengthTime = 2000;
const fullStrength = 20;

export class Game {
  readonly session = new Session();
  readonly setup = signal<Setup>({
    side: 'white',
    skill: 4,
    clock: 'none',
    variant: 'atomic',
    chess960: false,
    number: null,
  });
  readonly side = signal<Side>('white');
  readonly result = signal<Result | null>(null);
  readonly thinking = signal(false);
  readonly hint = signal<{ uci: string; san: string } | null>(null);
  readonly clock = new Clock((side) => this.#flag(side));
  readonly #document = new TabDocument<Kept>('game');
  /** When the game began. */
  #date = new Date();
  #isKept = false;
  /** Counts the engine's searches; an answer to an older one is ignored. */
  #searches = 0;
  /** White's expected score in the engine's last search. */
  #outlook = 0.5;

  /** The board is ready at once: an unfinished game, or a new one. */
  async open(): Promise<void> {
    const kept = (await this.#document.restore()) ?? (await this.#document.adopt());
    try {
      if (kept) await this.#restore(kept);
      else await this.begin();
    } catch {
      // A game that this version cannot read is replaced by a new one.
      await this.begin();
    }
  }

  async begin(setup: Setup = this.setup.value): Promise<void> {
    this.#forgetSearch();
    const side = setup.side === 'random' ? (Math.random() < 0.5 ? 'white' : 'black') : setup.side;
    const start: Start = { ...standard, variant: setup.variant };
    if (setup.chess960) {
      start.fen = (await core.chess960(setup.number ?? undefined)).fen;
      start.chess960 = true;
    }
    await this.session.reset(start);
    engine.newGame();
    this.setup.value = setup;
    this.side.value = side;
    this.session.orientation.value = side;
    this.#date = new Date();
    this.result.value = null;
    this.hint.value = null;
    this.#outlook = 0.5;
    this.clock.reset(timeControl(setup.clock));
    this.#startKeeping();
    await this.#continue();
  }

  /** The view is left: nobody sees the clock, so it stops. */
  pause(): void {
    this.#forgetSearch();
    if (this.clock.running.value === null) return;
    this.clock.stop();
    notify(strings.play.paused);
  }

  /** What a PGN says about this game. */
  async tags(): Promise<[string, string][]> {
    const { skill } = this.setup.value;
    const level = (await core.levels()).find((found) => found.skill === skill);
    const engineName = [strings.play.engine, level && strings.play.levelName(level.name, level.elo)].filter(Boolean).join(', ');
    const [white, black] = this.side.value === 'white' ? [strings.play.you, engineName] : [engineName, strings.play.you];
    const winner = this.result.value?.winner;
    const { control } = this.clock;
    const tags: [string, string][] = [
      ['Event', strings.play.event],
      ['Site', '?'],
      ['Date', this.#date.toISOString().slice(0, 10).replaceAll('-', '.')],
      ['Round', '-'],
      ['White', white],
      ['Black', black],
      ['Result', !this.result.value ? '*' : winner ? { white: '1-0', black: '0-1' }[winner] : '1/2-1/2'],
      ['TimeControl', control ? `${control.base / 1000}+${control.increment / 1000}` : '-'],
    ];
    return this.result.value ? [...tags, ['Termination', this.result.value.text]] : tags;
  }

  /** The same settings with colours exchanged. */
  async rematch(): Promise<void> {
    await this.begin({ ...this.setup.value, side: other(this.side.value) });
  }

  async move(move: LegalMove): Promise<void> {
    if (this.result.value || this.session.info.value?.turn !== this.side.value) return;
    await this.#play(move);
    await this.#continue();
  }

  /** Back to the person's previous turn. */
  async takeback(): Promise<void> {
    const { session } = this;
    const { mover } = this;
    this.#forgetSearch();
    const tree = session.tree.value;
    let node = tree.mainLine().at(-1) ?? tree.root;
    do {
      if (node.parent) node = node.parent;
    } while (node.parent && mover(node.ply) !== this.side.value);
    this.result.value = null;
    this.hint.value = null;
    await session.goTo(node);
    for (const child of [...node.children]) tree.remove(child);
    if (node.parent) this.clock.run(this.side.value);
    else this.clock.reset(timeControl(this.setup.value.clock));
    await this.#continue();
  }

  /** The view is open again: another one may have taken the engine meanwhile. */
  async resume(): Promise<void> {
    const turn = this.session.info.value?.turn;
    if (turn && this.started && !this.result.value && this.clock.running.value === null) this.clock.run(turn);
    if (!this.thinking.value && this.atEnd) await this.#continue();
  }

  async showHint(): Promise<void> {
    const { session } = this;
    if (this.thinking.value || this.result.value) return;
    const node = session.node.value;
    const { best } = await engine.search({
      start: session.tree.value.start,
      moves: movesTo(node),
      go: 'movetime 1000',
      options: { 'Skill Level': fullStrength, MultiPV: 1 },
    });
    const move = session.info.value?.moves.find(({ uci }) => uci === best);
    if (!move || node !== session.node.value || this.result.value) return;
    this.hint.value = move;
    announce(strings.play.hintText(move.san));
  }

  get hintArrows() {
    return this.hint.value ? [moveArrow(this.hint.value.uci, 'green')] : [];
  }

  resign(): void {
    const winner = other(this.side.value);
    this.#end(winner, strings.outcome('resignation', strings.sides[winner]));
  }

  /** The engine agrees when it does not expect to win. */
  offerDraw(): void {
    const own = this.side.value === 'white' ? 1 - this.#outlook : this.#outlook;
    const late = movesTo(this.session.node.value).length >= 20;
    if (late && own <= 0.5) this.#end(null, strings.outcome(strings.play.drawAgreed, null));
    else notify(strings.play.drawRefused);
  }

  /** Whether the last position of the game is on the board. */
  get atEnd(): boolean {
    return this.session.node.value.children.length === 0;
  }

  get started(): boolean {
    void this.session.tree.value.version.value;
    return this.session.tree.value.root.children.length > 0;
  }

  /** Whose turn it is after this many half-moves. */
  readonly mover = (ply: number): Side => (ply % 2 ? 'black' : 'white');

  async #play(move: LegalMove): Promise<void> {
    const turn = this.session.info.value?.turn ?? 'white';
    this.hint.value = null;
    await this.session.play(move);
    this.clock.press(turn);
    const left = this.clock.left.value?.[turn];
    if (left !== undefined) this.session.node.value.clock = Math.round(left / 100) / 10;
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
    if (stopped) return;
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
    if (pieces.length === 1) this.#end(null, strings.outcome('insufficient material', null));
    else this.#end(winner, strings.outcome('time', strings.sides[winner]));
  }

  #end(winner: Side | null, text: string): void {
    this.result.value = { winner, text };
    this.clock.stop();
    this.#forgetSearch();
    announce(text);
  }

  async #restore(kept: Kept): Promise<void> {
    this.setup.value = kept.setup;
    await this.session.reset(kept.start, kept.moves);
    this.side.value = kept.side;
    this.session.orientation.value = kept.side;
    this.clock.reset(timeControl(kept.setup.clock), kept.left ?? undefined);
    const info = this.session.info.value;
    if (!info || info.outcome) return this.begin();
    this.#date = new Date(kept.date);
    for (const [index, node] of this.session.tree.value.mainLine().entries()) node.clock = kept.clocks[index] ?? null;
    if (route.value.view === 'play') this.clock.run(info.turn);
    notify(strings.play.restored);
    this.#startKeeping();
    await this.#continue();
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
    if (line.length === 1 || this.result.value) return this.#document.remove();
    const kept: Kept = {
      setup: this.setup.value,
      side: this.side.value,
      start: tree.start,
      moves: line.slice(1).map((node) => node.uci),
      clocks: line.map((node) => node.clock),
      left: this.clock.left.peek(),
      date: this.#date.getTime(),
      at: Date.now(),
    };
    await this.#document.save(kept);
  }
}

function timeControl(name: Setup['clock']): TimeControl | null {
  if (name === 'none') return null;
  const [minutes = 0, seconds = 0] = name.split('+').map(Number);
  return { base: minutes * 60_000, increment: seconds * 1000 };
}
