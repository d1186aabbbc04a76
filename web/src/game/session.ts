// One board with its game: the tree, the position that is shown, what the core says about it, and
// the moves that a person makes on it. Play, Analyse and Puzzles each have one.

import { batch, signal } from '@preact/signals';
import { core } from '../clients';
import { CoreError } from '../clients/core';
import { moveText, outcomeText } from '../board/speech';
import { settings } from '../state/settings';
import { strings } from '../strings';
import { announce, notify } from '../ui/notice';
import { playExplosion, playMove } from '../ui/sound';
import type { Explosion } from '../board/Board';
import type { DrawReason } from '../../npm/core.js';
import type { Key, LegalMove, PositionInfo, Side, Start } from '../clients/types';
import { forbiddenMove, movesBetween, piecesOf, promotion, promotionsOf } from './squares';
import { GameTree, movesTo, type Node } from './tree';

export const standard: Start = { variant: 'atomic', fen: null, chess960: false };
const stopping: DrawReason[] = ['repetition', 'fifty-moves'];
const standardFen = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export class Session {
  readonly tree = signal(new GameTree(standard, standardFen));
  readonly node = signal<Node>(this.tree.value.root);
  /** Belongs to `node`; none while the core works. */
  readonly info = signal<PositionInfo | null>(null);
  readonly orientation = signal<Side>('white');
  readonly explosion = signal<Explosion | null>(null);
  readonly preview = signal<LegalMove | null>(null);
  /** Why the capture under the pointer is not allowed. */
  readonly refusal = signal<string | null>(null);
  /** Promotions to choose from. */
  readonly choice = signal<LegalMove[] | null>(null);
  readonly danger = signal(false);
  /** Counts up when the board must be drawn again, because a move on it did not happen. */
  readonly redraw = signal(0);
  /** Whether draws that only stop a game, by repetition and by fifty moves, leave moves to look at. */
  readonly #goesOn: boolean;
  /** Where quick steps lead: `node` follows when the core has answered. */
  heading: Node = this.node.value;
  #busy = false;
  #explosions = 0;

  constructor({ goesOn = false } = {}) {
    this.#goesOn = goesOn;
  }

  /** What the core says about a position. */
  async describe(start: Start, moves: readonly string[]): Promise<PositionInfo> {
    const info = await core.position(start, moves);
    const { outcome } = info;
    if (!this.#goesOn || !outcome || outcome.winner || !stopping.includes(outcome.reason)) return info;
    const words = info.fen.split(' ');
    words[4] = '0';
    const anew = await core.position({ ...start, fen: words.join(' ') }, []);
    return { ...anew, fen: info.fen, halfmoveClock: info.halfmoveClock, drawn: outcome };
  }

  /** A new game with moves in UCI or SAN; it fails when the position or a move is not possible. */
  async reset(start: Start, moves: readonly string[] = []): Promise<void> {
    const { startFen, history, chess960 } = await core.position(start, moves);
    const tree = new GameTree({ ...start, chess960: start.chess960 || chess960 }, startFen);
    let node = tree.root;
    for (const move of history) {
      node = tree.add(node, move);
      node.fen = move.fen;
    }
    this.use(tree, node, await this.describe(tree.start, movesTo(node)));
  }

  /** Shows another game at one of its positions. */
  use(tree: GameTree, node: Node, info: PositionInfo): void {
    batch(() => {
      this.tree.value = tree;
      this.#show(node, info);
      this.#clearTransient();
    });
  }

  /** Shows a position of the game. */
  async goTo(node: Node): Promise<void> {
    this.heading = node;
    if (node === this.node.value) return;
    const forward = node.parent === this.node.value;
    const tree = this.tree.value;
    const move = forward ? this.info.value?.moves.find(({ uci }) => uci === node.uci) : undefined;
    this.#clearTransient();
    const info = await this.describe(tree.start, movesTo(node));
    if (tree !== this.tree.value || node !== this.heading) return;
    batch(() => {
      this.#show(node, info);
      if (move) this.#playEffects(move);
    });
    announce(node.san ? `${node.san}. ${outcomeText(info)}` : outcomeText(info));
  }

  /** Plays a legal move of the shown position. */
  async play(move: LegalMove): Promise<void> {
    const { value: before } = this.info;
    const tree = this.tree.value;
    const at = this.node.value;
    if (!before || this.#busy) return;
    this.#clearTransient();
    this.#busy = true;
    try {
      const info = await this.describe(tree.start, [...movesTo(at), move.uci]);
      if (tree !== this.tree.value || at !== this.node.value) return;
      batch(() => {
        this.#show(tree.add(at, move), info);
        this.#playEffects(move);
      });
      announce(moveText(move, before, info));
    } catch (error) {
      this.redraw.value++;
      throw error;
    } finally {
      this.#busy = false;
    }
  }

  /** A drag or two clicks on the board; returns the move, or none when a choice is open. */
  fromBoard(orig: Key, dest: Key): LegalMove | null {
    const { value: info } = this.info;
    const moves = info ? movesBetween(info, orig, dest) : [];
    if (!moves[0]) this.redraw.value++;
    return this.pick(moves);
  }

  /** The one move that is meant, or none when a choice is open. */
  pick(moves: LegalMove[]): LegalMove | null {
    // The new piece of a capturing pawn explodes at once: its kind does not matter.
    if (moves.length < 2 || moves[0]?.capture) return moves[0] ?? null;
    const queen = moves.find(({ uci }) => promotion(uci) === 'queen');
    if (queen && settings.peek().autoQueen) return queen;
    this.choice.value = moves;
    return null;
  }

  /** Answers the choice of a promotion piece; none takes the move back. */
  choose(move: LegalMove | null): LegalMove | null {
    if (this.choice.value === null) return null;
    this.choice.value = null;
    if (!move) this.redraw.value++;
    return move;
  }

  /** The moves that a person can mean by a text, several for promotions; an error says what is wrong with it. */
  async fromText(text: string): Promise<LegalMove[]> {
    const info = this.info.value;
    const promotions = info ? promotionsOf(info, text) : [];
    if (promotions.length) return promotions;
    const forbidden = info && forbiddenMove(info, text);
    if (forbidden) throw new CoreError(strings.forbidden(text, forbidden.reason));
    const { uci } = await core.readMove(this.tree.value.start, movesTo(this.node.value), text);
    const move = this.info.value?.moves.find((legal) => legal.uci === uci);
    if (!move) throw new CoreError(strings.forbidden(text, 'is not legal here'));
    return [move];
  }

  /** The capture under the pointer: its blast is shown, or why it is not allowed. */
  show(move: LegalMove | null): void {
    this.preview.value = move;
    this.refusal.value = null;
  }

  refuse(orig: Key, dest: Key): void {
    const found = this.info.value?.forbidden.find((move) => move.from === orig && move.to === dest);
    this.refusal.value = found ? strings.forbidden(`${orig}–${dest}`, found.reason) : null;
  }

  get fen(): string {
    return this.node.value.fen;
  }

  get pieces() {
    return piecesOf(this.fen);
  }

  flip(): void {
    this.orientation.value = this.orientation.value === 'white' ? 'black' : 'white';
  }

  #show(node: Node, info: PositionInfo): void {
    this.heading = node;
    node.fen = info.fen;
    this.node.value = node;
    this.info.value = info;
  }

  /** Explosion and sound. */
  #playEffects(move: LegalMove): void {
    if (move.capture) {
      this.explosion.value = { squares: move.explodes, id: ++this.#explosions };
      playExplosion();
    } else {
      playMove();
    }
  }

  #clearTransient(): void {
    this.show(null);
    this.choice.value = null;
  }
}

/** Shows what went wrong in an action that nobody waits for. */
export function report(error: unknown): void {
  notify(error instanceof Error ? error.message : strings.unexpected(String(error)));
}
