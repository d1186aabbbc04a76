// The settings of this device: one object, saved whenever it changes.

import { signal, effect } from '@preact/signals';
import { change as changeKept, load, watch } from './storage';

export const languages = ['en', 'de'] as const;
export const themes = ['system', 'light', 'dark'] as const;
export const boards = ['brown', 'blue', 'green', 'grey'] as const;

export interface Settings {
  language: (typeof languages)[number];
  theme: (typeof themes)[number];
  board: (typeof boards)[number];
  coordinates: boolean;
  animation: boolean;
  sound: boolean;
  blastPreview: boolean;
  /** Pawns become queens without a question; a typed move can name another piece. */
  autoQueen: boolean;
  /** The engine of the analysis: on, and seconds for a position; none without a limit. */
  engineOn: boolean;
  engineSeconds: number | null;
  lines: number;
  /** MiB. */
  hash: number;
}

export const settings = signal<Settings>({
  language: navigator.language.startsWith('de') ? 'de' : 'en',
  theme: 'system',
  board: 'brown',
  coordinates: true,
  animation: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  sound: true,
  blastPreview: true,
  autoQueen: false,
  engineOn: true,
  engineSeconds: 60,
  lines: 3,
  hash: 32,
});

export function change(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
  void keep(part);
}

/** The page starts anew in the language. */
export async function changeLanguage(language: Settings['language']): Promise<void> {
  await keep({ language });
  location.reload();
}

async function keep(part: Partial<Settings>): Promise<void> {
  await changeKept<Partial<Settings>>('settings', (kept) => ({ ...kept, ...part }));
}

async function loadSettings(): Promise<void> {
  const kept = await load<Partial<Settings>>('settings');
  if (kept) settings.value = { ...settings.value, ...kept };
}

watch('settings', () => void loadSettings());
// The texts depend on it, so the page waits.
await loadSettings();

effect(() => {
  document.documentElement.dataset.theme = settings.value.theme;
  document.documentElement.dataset.board = settings.value.board;
});
