// A document that a tab works on, such as a game: kept under a key of its own and found again after
// a reload. A lock for each key keeps two tabs from working on the same one.
// Invariant: only the tab that holds the lock of a key writes it.

import { keysWith, load, remove, save, tabStorage } from './storage';

// A page that Back brings back out of the browser's memory has given its locks away.
window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

/** How long a page that is being left may still hold its lock, in milliseconds. */
const patience = 3000;

export interface Dated {
  /** Milliseconds since 1970. */
  at: number;
}

export class TabDocument<T extends Dated> {
  readonly #kind: string;
  #id = newId();
  #release: (() => void) | null = null;

  constructor(kind: string) {
    this.#kind = kind;
  }

  get id(): string {
    return this.#id;
  }

  /** What this tab had before a reload. A copy of the tab works on a copy of the document. */
  async restore(): Promise<T | undefined> {
    const id = tabStorage?.getItem(this.#kind);
    if (!id) return undefined;
    // Only then: the page that is being left saves until it releases its lock.
    await this.become(id, patience);
    return load<T>(this.#key(id));
  }

  /** The latest document that no tab works on. */
  async adopt(): Promise<T | undefined> {
    for (const { id, kept } of await this.all()) if (await this.become(id)) return kept;
    return undefined;
  }

  /** All documents of the kind, the latest first. */
  async all(): Promise<{ id: string; kept: T }[]> {
    const found = [];
    for (const key of await keysWith(`${this.#kind}:`)) {
      const kept = await load<T>(key);
      if (kept) found.push({ id: key.slice(this.#kind.length + 1), kept });
    }
    return found.sort((a, b) => b.kept.at - a.kept.at);
  }

  /** Works on another document from now on, a new one without an id; false when another tab has it. */
  async become(id?: string, wait = 0): Promise<boolean> {
    if (id === this.#id && this.#release) return true;
    const release = id === undefined ? null : await claim(this.#key(id), wait);
    this.#release?.();
    const own = release || id === undefined ? (id ?? newId()) : newId();
    this.#id = own;
    this.#release = release ?? (await claim(this.#key(own), 0));
    tabStorage?.setItem(this.#kind, own);
    return own === id;
  }

  async save(value: T): Promise<void> {
    if (!this.#release) await this.become();
    await save(this.#key(this.#id), value);
  }

  /** Deletes a document, by default this tab's. */
  async remove(id = this.#id): Promise<void> {
    await remove(this.#key(id));
  }

  /** Keeps a document that was deleted again. */
  async putBack(id: string, value: T): Promise<void> {
    await save(this.#key(id), value);
  }

  #key(id: string): string {
    return `${this.#kind}:${id}`;
  }
}

/** Holds the lock until the returned function is called; null when another tab has it. */
function claim(name: string, wait: number): Promise<(() => void) | null> {
  // Only secure addresses have locks.
  if (!navigator.locks) return Promise.resolve(() => undefined);
  return new Promise((resolve) => {
    const limit = wait ? { signal: AbortSignal.timeout(wait) } : { ifAvailable: true };
    const hold = (lock: Lock | null) =>
      new Promise<void>((done) => {
        window.addEventListener('pagehide', () => done());
        resolve(lock && done);
        if (!lock) done();
      });
    navigator.locks.request(name, limit, hold).catch(() => resolve(null));
  });
}

function newId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
}
