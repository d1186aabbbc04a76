// What the page keeps on this device. Private windows may refuse the database: then nothing is
// kept, and the page works all the same.

import { clear, createStore, entries, get, set } from 'idb-keyval';

const store = (() => {
  try {
    return createStore('brisance', 'kept');
  } catch {
    return undefined;
  }
})();

export async function load<T>(key: string): Promise<T | undefined> {
  try {
    return await get<T>(key, store);
  } catch {
    return undefined;
  }
}

export async function save(key: string, value: unknown): Promise<void> {
  try {
    await set(key, value, store);
  } catch {
    // Without a database the value lives as long as the page.
  }
}

/** Everything that is kept, as JSON. */
export async function exportAll(): Promise<string> {
  return JSON.stringify(Object.fromEntries(await entries(store)), null, 2);
}

export async function deleteAll(): Promise<void> {
  await clear(store);
}
