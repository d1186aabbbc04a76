// The worker around the synchronous core: one answer for each request, in order.

import type { NamedFile } from '../../npm/brisance.js';
import { createCore, type Core } from '../../npm/core.js';
import type { CoreRequest } from './core';

/** The names of all files that the core has had. */
const names = new Set<string>();
let start: (given: NonNullable<CoreRequest['start']>) => void;
const core = new Promise<NonNullable<CoreRequest['start']>>((resolve) => (start = resolve)).then(
  async ({ wasm, files }) => {
    const ready = await createCore({ wasm });
    for (const file of files) load(ready, file);
    return ready;
  },
);

// The page is told of errors, but not of promises that fail: its requests would wait for ever.
core.catch((error: unknown) =>
  setTimeout(() => {
    throw error;
  }),
);

self.onmessage = async ({ data }: MessageEvent<CoreRequest>) => {
  if (data.start) return start(data.start);
  const ready = await core;
  self.postMessage({ id: data.id, reply: answer(ready, data) });
};

function answer(ready: Core, { file, unload, files, call }: CoreRequest): object {
  if (file) return load(ready, file);
  if (unload) {
    ready.unload(...unload);
    return {};
  }
  if (files) {
    ready.unload(...names);
    for (const one of files) load(ready, one);
    return {};
  }
  return ready.call(call as unknown as Parameters<Core['call']>[0]);
}

function load(ready: Core, { name, content }: NamedFile): object {
  names.add(name);
  return ready.load(name, content);
}
