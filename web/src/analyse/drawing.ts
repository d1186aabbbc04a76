// Circles and arrows of the person. With the pen, taps, drags and typed squares draw in its colour
// instead of moving pieces.
// Invariant: a shape that is drawn again is removed; in another colour it is replaced.

import { signal } from '@preact/signals';
import type { Key } from '../clients/types';
import type { Session } from '../game/session';
import type { Colour, Shape } from '../game/tree';
import { strings } from '../strings';
import { announce } from '../ui/notice';

const text = strings.drawing;

/** Changes the analysis; a change with a name can be undone. */
type Annotate = (what: string | null, change: () => void) => void;

export class Drawing {
  /** The pen is in the hand. */
  readonly on = signal(false);
  readonly colour = signal<Colour>('green');
  readonly #session: Session;
  readonly #annotate: Annotate;

  constructor(session: Session, annotate: Annotate) {
    this.#session = session;
    this.#annotate = annotate;
  }

  take(on: boolean): void {
    if (on === this.on.value) return;
    this.on.value = on;
    announce(on ? text.on : text.off);
  }

  /** All that is drawn on the shown position now. */
  draw(shapes: Shape[]): void {
    const node = this.#session.node.value;
    const added = shapes.filter((shape) => !node.shapes.some((other) => isSame(shape, other)));
    const lost = node.shapes.filter((shape) => !shapes.some((other) => isSame(shape, other)));
    const what = added.length ? strings.work.redrawn : strings.work.erased;
    this.#annotate(lost.length ? what : null, () => (node.shapes = shapes));
    const [drawn] = added;
    if (drawn) announce(inWords(drawn));
    else if (lost.length === 1 && lost[0]) announce(text.removed(inWords(lost[0])));
  }

  /** Draws what "e4" or "e2e4" names; fails when the text names no squares. */
  type(typed: string): void {
    const [, orig, dest] = /^([a-h][1-8])(?:[\s-]*([a-h][1-8]))?$/i.exec(typed)?.map((part) => part?.toLowerCase()) ?? [];
    if (!orig || orig === dest) throw new Error(text.wrong(typed));
    const brush = this.colour.value;
    const shape: Shape = dest ? { orig: orig as Key, dest: dest as Key, brush } : { orig: orig as Key, brush };
    const { shapes } = this.#session.node.value;
    const others = shapes.filter((other) => !isSame({ ...shape, brush: other.brush }, other));
    this.draw(shapes.some((other) => isSame(shape, other)) ? others : [...others, shape]);
  }
}

function isSame(a: Shape, b: Shape): boolean {
  return a.orig === b.orig && a.dest === b.dest && a.brush === b.brush;
}

function inWords({ orig, dest, brush }: Shape): string {
  const colour = text.colours[brush];
  return dest ? text.arrow(colour, orig, dest) : text.circle(colour, orig);
}
