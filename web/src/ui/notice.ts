// Short messages for the person: a visible one at the foot of the page, and the live region that
// screen readers follow.

import { signal } from '@preact/signals';

export interface Notice {
  text: string;
  /** A button beside the text. */
  action?: { name: string; act(): void } | undefined;
}

export const notice = signal<Notice | null>(null);
export const spoken = signal('');

const duration = 6000;
/** There must be time to reach the button. */
const actionDuration = 20_000;
let timer = 0;

/** Shows a message for some seconds. */
export function notify(text: string, action?: Notice['action']): void {
  notice.value = { text, action };
  clearTimeout(timer);
  timer = window.setTimeout(() => (notice.value = null), action ? actionDuration : duration);
}

export function dismiss(): void {
  notice.value = null;
}

/** Reads a text out; the same text twice in a row is read twice. */
export function announce(text: string): void {
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}
