// Books and tables of the person, kept on this device. Core and engine get them when they start.
// Invariant: only what the core has accepted is kept, and one book at most.

import { signal } from '@preact/signals';
import type { NamedFile } from '../../npm/brisance.js';
import { loadWith, remove, saveAll, tell } from './storage';

/** No part of an export, which is text. */
export const filePrefix = 'file:';

/** Counts the changes. */
export const filesChanged = signal(0);

export async function keptFiles(): Promise<NamedFile[]> {
  const kept = await loadWith<Uint8Array>(filePrefix);
  return kept.map(([key, content]) => ({ name: key.slice(filePrefix.length), content }));
}

export async function keptTables(): Promise<NamedFile[]> {
  return (await keptFiles()).filter(({ name }) => !isBook(name));
}

/** Fails when the device has no room. */
export async function keepFiles(files: readonly NamedFile[]): Promise<void> {
  if (files.some(({ name }) => isBook(name))) {
    for (const { name } of await keptFiles()) if (isBook(name)) await remove(filePrefix + name);
  }
  await saveAll(Object.fromEntries(files.map(({ name, content }) => [filePrefix + name, content])));
  tell(filePrefix);
}

export async function forgetFiles(names: readonly string[]): Promise<void> {
  for (const name of names) await remove(filePrefix + name);
  tell(filePrefix);
}

function isBook(name: string): boolean {
  return name.toLowerCase().endsWith('.bin');
}
