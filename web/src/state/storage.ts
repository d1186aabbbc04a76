// What the page keeps on this device, in IndexedDB. A browser may refuse it, or have no room: then
// the page says so and works all the same.
// Invariant: a value that several tabs share changes only by `change`, in one transaction; after
// `deleteAll` no tab keeps anything until it has loaded anew.

import { signal } from '@preact/signals';
import { clear, createStore, del, entries, get, getMany, keys, promisifyRequest, setMany, update, type UseStore } from 'idb-keyval';

const base = createStore('brisance', 'kept');
/** Always a promise: where site data is blocked, opening the database throws. */
const store: UseStore = async (mode, use) => base(mode, use);
/** What this tab keeps over a reload. */
export const tabStorage = (() => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
})();
/** Something could not be kept. */
export const isUnkept = signal(false);
const channel = 'BroadcastChannel' in self ? new BroadcastChannel('brisance') : null;
const everything = '*';
const deletedMark = 'brisance-deleted';
const watchers: { key: string; changed(): void }[] = [];
let closed = false;

export async function load<T>(key: string): Promise<T | undefined> {
  try {
    return await get<T>(key, store);
  } catch {
    return undefined;
  }
}

export async function save(key: string, value: unknown): Promise<void> {
  if (closed) return;
  try {
    await store('readwrite', (objects) => {
      objects.put(value, key);
      // A page that is being left loses what is not committed.
      objects.transaction.commit();
      return promisifyRequest(objects.transaction);
    });
  } catch {
    isUnkept.value = true;
  }
}

export async function remove(key: string): Promise<void> {
  await del(key, store).catch(() => undefined);
}

/** Changes a value that other tabs may have changed, tells them, and returns it. */
export async function change<T>(key: string, next: (kept: T | undefined) => T): Promise<T> {
  let value: T | undefined;
  try {
    if (!closed) await update<T>(key, (kept) => (value = next(kept)), store);
    tell(key);
  } catch {
    isUnkept.value = true;
  }
  return value ?? next(undefined);
}

/** Other tabs call back those who watch the key. */
export function tell(key: string): void {
  channel?.postMessage(key);
}

/** Calls back when another tab or an import has changed the value. */
export function watch(key: string, changed: () => void): void {
  watchers.push({ key, changed });
}

/** The value has changed, but not by the part of the page that shows it. */
export function refresh(key: string): void {
  for (const watcher of watchers) if (watcher.key === key) watcher.changed();
}

/** The keys that start with this text. */
export async function keysWith(prefix: string): Promise<string[]> {
  const all = await keys<string>(store).catch(() => []);
  return all.filter((key) => key.startsWith(prefix));
}

/** The keys that start with this text, with their values. */
export async function loadWith<T>(prefix: string): Promise<[string, T][]> {
  const found = await keysWith(prefix);
  const values = await getMany<T>(found, store).catch(() => []);
  return values.flatMap((value, index) => (value === undefined ? [] : [[found[index] as string, value] as [string, T]]));
}

/** Everything that is kept, as JSON, but the keys that start with one of these. */
export async function exportAll(...without: string[]): Promise<string> {
  const all = await entries<string, unknown>(store);
  const kept = all.filter(([key]) => !without.some((prefix) => key.startsWith(prefix)));
  return JSON.stringify({ brisance: 1, kept: Object.fromEntries(kept) }, null, 2);
}

/** The values of an export; null when the text is none. */
export function readExport(text: string): Record<string, unknown> | null {
  try {
    const { brisance, kept } = JSON.parse(text) as { brisance?: unknown; kept?: unknown };
    return brisance === 1 && kept !== null && typeof kept === 'object' ? (kept as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** What a person brings; the browser is asked not to delete anything when it needs room. */
export async function saveAll(values: Record<string, unknown>): Promise<void> {
  navigator.storage?.persist?.().catch(() => false);
  await setMany(Object.entries(values), store);
}

/** Deletes everything; this tab and all others start anew, so that nothing stays in their memory. */
export async function deleteAll(): Promise<void> {
  closed = true;
  await clear(store);
  channel?.postMessage(everything);
  startAnew();
  tabStorage?.setItem(deletedMark, '1');
}

/** Whether the page has loaded because everything was deleted; true once. */
export function wasDeleted(): boolean {
  const deleted = tabStorage?.getItem(deletedMark);
  tabStorage?.removeItem(deletedMark);
  return deleted === '1';
}

channel?.addEventListener('message', ({ data }) => {
  if (data !== everything) return refresh(data as string);
  closed = true;
  startAnew();
});

function startAnew(): void {
  tabStorage?.clear();
  // The address may hold moves.
  history.replaceState(null, '', location.href.replace(/\?.*$/, ''));
  location.reload();
}
