// Books and tables of the person, kept on this device. Core and engine get them when they start.
// Invariant: only what the core has accepted is kept, one book at most, and no table that turned out
// to be damaged.

import { signal } from '@preact/signals';
import type { NamedFile } from '../../npm/brisance.js';
import { change, load, loadWith, remove, saveAll, tell } from './storage';

/** No part of an export, which is text. */
export const filePrefix = 'file:';

/** Fingerprints of damaged tables. */
export const damagedKey = 'damaged';

/** Counts the changes. */
export const filesChanged = signal(0);

export async function keptFiles(): Promise<NamedFile[]> {
  const kept = await loadWith<Uint8Array>(filePrefix);
  return kept.map(([key, content]) => ({ name: key.slice(filePrefix.length), content }));
}

export async function keptTables(): Promise<NamedFile[]> {
  return (await keptFiles()).filter(({ name }) => !isBook(name));
}

/** Fails when the device has no room; then what was kept before stays. */
export async function keepFiles(files: readonly NamedFile[]): Promise<void> {
  await saveAll(Object.fromEntries(files.map(({ name, content }) => [filePrefix + name, content])));
  const book = files.filter(({ name }) => isBook(name)).at(-1)?.name;
  for (const { name } of book ? await keptFiles() : []) if (isBook(name) && name !== book) await remove(filePrefix + name);
  tell(filePrefix);
}

export async function forgetFiles(names: readonly string[]): Promise<void> {
  for (const name of names) await remove(filePrefix + name);
  tell(filePrefix);
}

/** Forgets a table for ever; false when it is not kept. */
export async function banTable(name: string): Promise<boolean> {
  const table = (await keptFiles()).find((file) => file.name === name);
  if (!table) return false;
  await change<string[]>(damagedKey, (known = []) => [...known, fingerprint(table)]);
  await forgetFiles([name]);
  return true;
}

export async function isBanned(file: NamedFile): Promise<boolean> {
  return ((await load<string[]>(damagedKey)) ?? []).includes(fingerprint(file));
}

/** The same for the same content (FNV-1a). */
function fingerprint({ name, content }: NamedFile): string {
  let hash = 0x811c9dc5;
  for (const byte of content) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${name} ${content.length} ${hash >>> 0}`;
}

function isBook(name: string): boolean {
  return name.toLowerCase().endsWith('.bin');
}
