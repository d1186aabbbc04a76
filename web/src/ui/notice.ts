// Short messages for the person: a visible one at the foot of the page, and the live region that
// screen readers follow.

import { signal } from '@preact/signals';

export const notice = signal<string | null>(null);
export const spoken = signal('');

let timer = 0;

/** Shows a message for some seconds. */
export function notify(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = window.setTimeout(() => (notice.value = null), 6000);
}

/** Reads a text out; the same text twice in a row is read twice. */
export function announce(text: string): void {
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}
