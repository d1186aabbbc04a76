// What the page keeps on this device, in IndexedDB. Private windows may refuse the database: then
// nothing is kept, and the page works all the same.
// Invariant: a value that several tabs share changes only by `change`, in one transaction; after
// `deleteAll` no tab keeps anything until it has loaded anew.

import { clear, createStore, del, entries, get, getMany, keys, promisifyRequest, setMany, update } from 'idb-keyval';

const store = (() => {
  try {
    return createStore('brisance', 'kept');
  } catch {
    return undefined;
  }
})();
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
    await store?.('readwrite', (objects) => {
      objects.put(value, key);
      // A page that is being left loses what is not committed.
      objects.transaction.commit();
      return promisifyRequest(objects.transaction);
    });
  } catch {
    // Without a database the value lives as long as the page.
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
    // As in `save`.
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

export async function saveAll(values: Record<string, unknown>): Promise<void> {
  await setMany(Object.entries(values), store);
}

/** Deletes everything; this tab and all others start anew, so that nothing stays in their memory. */
export async function deleteAll(): Promise<void> {
  closed = true;
  await clear(store);
  channel?.postMessage(everything);
  startAnew();
  sessionStorage.setItem(deletedMark, '1');
}

/** Whether the page has loaded because everything was deleted; true once. */
export function wasDeleted(): boolean {
  const deleted = sessionStorage.getItem(deletedMark) !== null;
  sessionStorage.removeItem(deletedMark);
  return deleted;
}

channel?.addEventListener('message', ({ data }) => {
  if (data !== everything) return refresh(data as string);
  closed = true;
  startAnew();
});

function startAnew(): void {
  sessionStorage.clear();
  // The address may hold moves.
  history.replaceState(null, '', location.href.replace(/\?.*$/, ''));
  location.reload();
}
