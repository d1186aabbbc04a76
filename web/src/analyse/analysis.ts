// The analysis board: a session, the engine's lines for the shown position, the books, the threat,
// proofs and the review of the whole game.

import { effect, signal } from '@preact/signals';
import { core, engine, fullStrength, solver } from '../clients';
import type { ForcedWin } from '../../npm/core.js';
import type { BookMove, LosingMove, PgnGame, PgnMove, TablebaseAnswer } from '../clients/core';
import { scoreText, type EngineLine } from '../clients/info';
import type { LegalMove, Side, Start } from '../clients/types';
import { report, Session, standard } from '../game/session';
import { other } from '../game/squares';
import { readTree, storeTree } from '../game/stored';
import { GameTree, lastOf, moveNumber, moverOf, movesTo, type Node, type Proof } from '../game/tree';
import { filesChanged } from '../state/files';
import { replaceAddress, route } from '../state/route';
import { settings } from '../state/settings';
import { visible } from '../state/visible';
import { strings } from '../strings';
import { announce, notify } from '../ui/notice';
import { readNotes } from './annotations';
import { Drawing } from './drawing';
import { Games } from './games';
import { linkParams, readLink, type Linked } from './link';
import { Work } from './work';

/** An engine line in words. */
export interface ShownLine extends EngineLine {
  san: string[];
}

/** What the books say of a position. */
export interface Openings {
  book: BookMove[];
  losing: LosingMove[];
}

const threatNodes = 50_000;
const textInterval = 150;
/** Nodes of the solver for a proof that the person wants, and for one of a mate that the search has found. */
const proofNodes = { wanted: 1_000_000, automatic: 200_000 };

export class Analysis {
  readonly session = new Session({ goesOn: true });
  readonly work = new Work(this.session);
  readonly games = new Games();
  readonly drawing = new Drawing(this.session, (what, change) => this.#annotate(what, change));
  readonly lines = signal<ShownLine[]>([]);
  /** None while the core looks it up. */
  readonly openings = signal<Openings | null>(null);
  readonly tables = signal<TablebaseAnswer | null>(null);
  /** What the opponent would do if it were their move. */
  readonly threat = signal<{ uci: string; san: string } | null>(null);
  /** Looks for the threat: the engine is taken. */
  readonly threatening = signal(false);
  /** Why there is no proof for the shown position. */
  readonly unproved = signal<string | null>(null);
  readonly proving = signal(false);
  readonly reviewing = signal(false);
  readonly active = signal(false);
  /** Positions whose mate the solver has tried to prove. */
  readonly #tried = new WeakSet<Node>();
  #textTimer = 0;
  #pending: (() => void) | null = null;
  #opened: Promise<void> | null = null;
  #searching = false;

  /** The start position; safe to call more than once, and tried again after a failure. */
  open(): Promise<void> {
    return (this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    }));
  }

  async #open(): Promise<void> {
    if (!(await this.work.open())) await this.session.reset(standard);
    await this.games.restore();
    this.work.keep();
    effect(() => this.#follow());
    effect(() => this.#lookUp());
    effect(() => this.#writeAddress());
  }

  /** The position of the address, if it is not the one on the board. */
  async openLink(params: URLSearchParams): Promise<void> {
    await this.open();
    const linked = readLink(params);
    if (!linked) return;
    const found = this.#find(linked);
    if (found) return this.session.goTo(found);
    await this.#replace(null, [], () => this.session.reset(linked.start, linked.moves));
  }

  async setStart(start: Start, what: string): Promise<void> {
    await this.#replace(what, [], () => this.session.reset(start));
  }

  /** Starts from the position of a FEN, and shows what was ignored or filled in. */
  async setFen(text: string, note = ''): Promise<void> {
    const { variant } = this.session.tree.value.start;
    const { fen, chess960, warnings } = await core.checkFen(variant, text);
    const words = [strings.share.positionSet, note, ...warnings].filter(Boolean);
    await this.setStart({ variant, fen, chess960 }, words.join(' '));
  }

  /** Starts again from nothing; what is on the board stays among the kept analyses. */
  async startNew(): Promise<void> {
    await this.setStart(standard, strings.work.started);
  }

  async move(move: LegalMove): Promise<void> {
    const { version } = this.session.tree.value;
    const before = version.peek();
    await this.session.play(move);
    if (version.peek() !== before) this.work.edit(null, () => undefined);
  }

  /** Deletes a move and all that follows it. */
  async remove(node: Node): Promise<void> {
    const tree = this.session.tree.value;
    if (!node.parent) return;
    this.work.edit(strings.work.deletedFrom(node.san), () => tree.remove(node));
    await this.session.goTo(node.parent);
  }

  promote(node: Node): void {
    const tree = this.session.tree.value;
    this.work.edit(strings.work.promoted(node.san), () => tree.promote(node));
  }

  comment(node: Node, text: string): void {
    this.#annotate(node.comment ? strings.work.commented : null, () => (node.comment = text));
  }

  #annotate(what: string | null, change: () => void): void {
    this.work.edit(what, () => {
      change();
      this.session.tree.value.changed();
    });
  }

  async playBest(): Promise<void> {
    const uci = this.lines.value[0]?.pv[0];
    const move = this.session.info.value?.moves.find((legal) => legal.uci === uci);
    if (move) await this.move(move);
  }

  /** Plays the moves of a line, in UCI or SAN. */
  async playLine(line: readonly string[]): Promise<void> {
    for (const text of line) {
      const move = this.session.info.value?.moves.find(({ uci, san }) => uci === text || san === text);
      if (!move) return;
      await this.move(move);
    }
  }

  /** Shows the blast of a capture that the person points at in a line. */
  hover(uci: string | undefined): void {
    const move = this.session.info.value?.moves.find((legal) => legal.uci === uci);
    this.session.show(move?.capture ? move : null);
  }

  /** Shows the threat, or hides it again. */
  async toggleThreat(): Promise<void> {
    if (this.threat.value || this.threatening.value) {
      this.threat.value = null;
      return;
    }
    const { session } = this;
    const node = session.node.value;
    const words = node.fen.split(' ');
    words[1] = words[1] === 'w' ? 'b' : 'w';
    words[3] = '-';
    const start = { ...session.tree.value.start, fen: words.join(' ') };
    try {
      const info = await core.position(start, []);
      this.threatening.value = true;
      // The same position gets the same threat, whatever was searched before.
      engine.newGame();
      const { best } = await engine.search({ start, moves: [], go: `nodes ${threatNodes}`, options: { MultiPV: 1 } });
      const move = info.moves.find(({ uci }) => uci === best);
      if (!move || node !== session.node.value) return;
      this.threat.value = { uci: move.uci, san: move.san };
      announce(strings.analyse.threatText(move.san));
    } catch {
      notify(strings.analyse.noThreat);
    } finally {
      this.threatening.value = false;
    }
  }

  /** Whether the side to move has a forced win. */
  async prove(): Promise<void> {
    const { session } = this;
    const node = session.node.value;
    const turn = session.info.value?.turn ?? 'white';
    const verdict = await this.#solve(node, turn, proofNodes.wanted);
    if (verdict === 'proved' || node !== session.node.value) return;
    this.unproved.value = { disproved: strings.analyse.disproved, unknown: strings.analyse.notProved }[verdict];
    announce(this.unproved.value);
  }

  /** A mate of the search is only called proved when the solver finds it as well. */
  async #proveMate(): Promise<void> {
    const node = this.session.node.value;
    const best = this.lines.value[0];
    if (!best || best.bound !== 'exact' || !('mate' in best.score)) return;
    if (this.proving.value || node.proof || this.#tried.has(node)) return;
    this.#tried.add(node);
    await this.#solve(node, best.score.mate > 0 ? 'white' : 'black', proofNodes.automatic);
    // Meanwhile another position may have a mate.
    await this.#proveMate();
  }

  async #solve(node: Node, winner: Side, nodes: number): Promise<'proved' | 'disproved' | 'unknown'> {
    const tree = this.session.tree.value;
    this.proving.value = true;
    try {
      const { verdict, moves = 0, san = [] } = await solver.solve(tree.start, movesTo(node), nodes, winner);
      if (verdict === 'proved') this.#keepProof(tree, node, { winner, moves, line: san.join(' ') });
      return verdict;
    } finally {
      this.proving.value = false;
    }
  }

  #keepProof(tree: GameTree, node: Node, proof: Proof): void {
    node.proof = proof;
    tree.changed();
    if (node === this.session.node.value) announce(`${proofText(node, proof)} ${proof.line}`);
  }

  /** Shows a game from a PGN, at its start, and says so in these words. */
  async useGame(game: PgnGame, what: string): Promise<void> {
    const start: Start = { variant: game.variant, fen: startFen(game), chess960: game.chess960 };
    const info = await core.position(start, []);
    const tree = new GameTree({ ...start, chess960: start.chess960 || info.chess960 }, info.fen);
    Object.assign(tree.root, readNotes(game.comments));
    addMoves(tree, tree.root, game.moves);
    const tags = game.tags.filter(([name]) => name !== 'Result');
    await this.#replace(what, [...tags, ['Result', game.result]], async () => this.session.use(tree, tree.root, info));
  }

  /** Shows a game that was played here, at its end. */
  async usePlayed(from: Session, tags: [string, string][]): Promise<void> {
    await this.open();
    const { tree, shown } = readTree(storeTree(from.tree.value, lastOf(from.tree.value.root)));
    const info = await this.session.describe(tree.start, movesTo(shown));
    await this.#replace(null, tags, async () => {
      this.session.use(tree, shown, info);
      this.session.orientation.value = from.orientation.value;
    });
  }

  async #replace(what: string | null, tags: [string, string][], show: () => Promise<void>): Promise<void> {
    // What is loaded while the page opens is not replaced by what the page opens with.
    await this.open();
    await this.work.replace(what, async () => {
      await show();
      this.work.tags.value = tags;
    });
  }

  /** The engine follows the shown position while the view is open. */
  #follow(): void {
    const { session } = this;
    const info = session.info.value;
    const node = session.node.value;
    const { lines: count, hash, engineOn: on, engineSeconds: seconds } = settings.value;
    void filesChanged.value;
    this.lines.value = [];
    const taken = this.reviewing.value || this.threatening.value;
    if (!this.active.value || !on || !visible.value || taken || !info || info.outcome) {
      // Another view or the review may already use the engine: only an own search is stopped.
      if (this.#searching) engine.stop();
      this.#searching = false;
      return;
    }
    this.#searching = true;
    void engine.search({
      start: session.tree.value.start,
      moves: movesTo(node),
      go: seconds === null ? 'infinite' : `movetime ${seconds * 1000}`,
      options: { MultiPV: count, Hash: hash, 'Skill Level': fullStrength },
      onLines: (lines) => this.#receive(node, lines),
    });
  }

  #receive(node: Node, lines: EngineLine[]): void {
    this.#pending = () => void this.#show(node, lines).catch(report);
    this.#textTimer ||= window.setTimeout(() => {
      this.#textTimer = 0;
      this.#pending?.();
      this.#pending = null;
    }, textInterval);
  }

  async #show(node: Node, lines: EngineLine[]): Promise<void> {
    const { session } = this;
    if (node !== session.node.value) return;
    const moves = movesTo(node);
    const { start } = session.tree.value;
    const words = await Promise.all(lines.map((line) => core.line(start, moves, line.pv.slice(0, 12))));
    if (node !== session.node.value || !this.#searching) return;
    this.lines.value = lines.map((line, index) => ({ ...line, san: words[index]?.san ?? [] }));
    void this.#proveMate().catch(report);
    const best = lines[0];
    if (best && best.depth >= (node.evaluation?.depth ?? 0)) {
      const changed = !node.evaluation || lineScore(node.evaluation) !== lineScore(best);
      node.evaluation = best;
      if (changed) session.tree.value.changed();
    }
  }

  /** Books and tables for the shown position. */
  #lookUp(): void {
    const node = this.session.node.value;
    const tree = this.session.tree.value;
    this.openings.value = null;
    this.tables.value = null;
    this.threat.value = null;
    this.unproved.value = null;
    void filesChanged.value;
    if (!this.active.value) return;
    this.#readBooks(tree, node).catch(report);
    core
      .tablebase(tree.start, movesTo(node))
      .then((found) => node === this.session.node.value && (this.tables.value = found))
      .catch(() => undefined);
  }

  async #readBooks(tree: GameTree, node: Node): Promise<void> {
    const moves = movesTo(node);
    const [book, { win, losing }] = await Promise.all([core.book(tree.start, moves), core.refutations(tree.start, moves)]);
    if (node !== this.session.node.peek()) return;
    this.openings.value = { book, losing };
    if (win && !node.proof) this.#keepProof(tree, node, bookProof(node, win));
  }

  #writeAddress(): void {
    const { tree, node } = this.session;
    if (route.value.view !== 'analyse' || !this.active.value) return;
    replaceAddress('analyse', linkParams(tree.value.start, movesTo(node.value)));
  }

  /** The linked position, if the game on the board has it. */
  #find({ start, moves }: Linked): Node | undefined {
    const { root, start: own } = this.session.tree.value;
    if (JSON.stringify(linkParams(own, [])) !== JSON.stringify(linkParams(start, []))) return undefined;
    let node: Node | undefined = root;
    for (const move of moves) node = node?.children.find(({ uci, san }) => uci === move || san === move);
    return node;
  }
}

function startFen({ startFen: fen }: PgnGame): string | null {
  return fen.startsWith('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq') ? null : fen;
}

/** Comments before the first move belong to it. */
function addMoves(tree: GameTree, parent: Node, moves: readonly PgnMove[], before: readonly string[] = []): void {
  let comments = before;
  let at = parent;
  for (const move of moves) {
    const node = tree.add(at, { uci: move.uci, san: move.san });
    node.fen = move.fen;
    Object.assign(node, readNotes([...comments, ...move.comments]));
    node.nags = move.nags;
    comments = [];
    for (const variation of move.variations) addMoves(tree, at, variation.moves, variation.comments);
    at = node;
  }
}

/** The proof from the refutation book that the side to move wins. */
export function bookProof(node: Node, { moves, lineSan }: ForcedWin): Proof {
  return { winner: other(moverOf(node)), moves, line: lineSan.join(' ') };
}

/** "1… a6 loses by force in 2 moves:" of the move that leads to the position, or "Proved: White wins in 3." */
export function proofText(node: Node, proof: Proof): string {
  if (!node.parent || proof.winner === moverOf(node)) return winText(proof);
  return `${moveNumber(node.ply, true)} ${node.san} ${strings.analyse.losesByForce(proof.moves)}`;
}

/** "Proved: White wins in 3." */
export function winText({ winner, moves }: Proof): string {
  return strings.analyse.provedIn(strings.sides[winner], moves);
}

/** `+0.35` or, with the moves of a proof, `#5`. */
export function lineScore(line: EngineLine): string {
  const sign = { exact: '', lower: '≥', upper: '≤' }[line.bound];
  return `${sign}${scoreText(line.score)}`;
}
