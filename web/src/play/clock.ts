// Two clocks. Time is measured, never counted, so that a page in the background keeps it right.

import { signal } from '@preact/signals';
import type { Side } from '../clients/types';
import { moverOf, type Node } from '../game/tree';

export interface TimeControl {
  /** Milliseconds. */
  base: number;
  increment: number;
}

export class Clock {
  /** Milliseconds left, as shown. */
  readonly left = signal<Record<Side, number> | null>(null);
  readonly running = signal<Side | null>(null);
  #control: TimeControl | null = null;
  #kept: Record<Side, number> = { white: 0, black: 0 };
  #since = 0;
  #timer = 0;
  readonly #onFlag: (side: Side) => void;

  constructor(onFlag: (side: Side) => void) {
    this.#onFlag = onFlag;
  }

  reset(control: TimeControl | null, left?: Record<Side, number>): void {
    this.stop();
    this.#control = control;
    this.#kept = left ? { ...left } : { white: control?.base ?? 0, black: control?.base ?? 0 };
    this.left.value = control ? { ...this.#kept } : null;
  }

  /** A move of this side: it gets its increment, and the other clock runs. */
  press(moved: Side): void {
    if (!this.#control) return;
    if (this.running.value === moved) {
      this.#settle();
      this.#kept[moved] += this.#control.increment;
    }
    this.run(moved === 'white' ? 'black' : 'white');
  }

  run(side: Side): void {
    if (!this.#control) return;
    this.stop();
    this.running.value = side;
    this.#since = performance.now();
    this.#timer = window.setInterval(() => this.#tick(), 100);
    this.#tick();
  }

  stop(): void {
    this.#settle();
    this.running.value = null;
    clearInterval(this.#timer);
  }

  get control(): TimeControl | null {
    return this.#control;
  }

  #remaining(side: Side): number {
    const spent = this.running.value === side ? performance.now() - this.#since : 0;
    return Math.max(0, this.#kept[side] - spent);
  }

  #settle(): void {
    const side = this.running.value;
    if (side) this.#kept[side] = this.#remaining(side);
    this.#since = performance.now();
    if (this.#control) this.left.value = { ...this.#kept };
  }

  #tick(): void {
    const side = this.running.value;
    if (!side) return;
    this.left.value = { white: this.#remaining('white'), black: this.#remaining('black') };
    if (this.left.value[side] > 0) return;
    this.stop();
    this.#onFlag(side);
  }
}

/** `5+3`: minutes for the game and seconds for each move; none without a clock. */
export function timeControl(name: string): TimeControl | null {
  if (name === 'none') return null;
  const [minutes = 0, seconds = 0] = name.split('+').map(Number);
  return { base: minutes * 60_000, increment: seconds * 1000 };
}

/** What both clocks showed at a position: each side's with its last move. */
export function timesAt(node: Node, { base }: TimeControl): Record<Side, number> {
  const left = { white: base, black: base };
  for (const one of [node, node.parent]) if (one?.clock != null) left[moverOf(one)] = one.clock * 1000;
  return left;
}

/** `3:05`, `1:02:09`, and `0:09.4` in the last ten seconds. */
export function clockText(milliseconds: number): string {
  const tenths = Math.floor(milliseconds / 100);
  const hours = Math.floor(tenths / 36_000);
  const minutes = Math.floor(tenths / 600) % 60;
  const seconds = Math.floor((tenths % 600) / 10);
  const two = (n: number) => String(n).padStart(2, '0');
  const text = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  return milliseconds < 10_000 ? `${text}.${tenths % 10}` : text;
}
