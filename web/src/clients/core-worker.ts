// The worker around the synchronous core: one answer for each request, in order.

import { createCore, type Core } from '../../npm/core.js';
import type { CoreRequest } from './core';

let start: (given: NonNullable<CoreRequest['start']>) => void;
const core = new Promise<NonNullable<CoreRequest['start']>>((resolve) => (start = resolve)).then(
  async ({ wasm, files }) => {
    const ready = await createCore({ wasm });
    for (const { name, content } of files) ready.load(name, content);
    return ready;
  },
);

self.onmessage = async ({ data }: MessageEvent<CoreRequest>) => {
  if (data.start) return start(data.start);
  const ready = await core;
  self.postMessage({ id: data.id, reply: answer(ready, data) });
};

function answer(ready: Core, { file, unload, call }: CoreRequest): object {
  if (file) return ready.load(file.name, file.content);
  if (unload) {
    ready.unload(...unload);
    return {};
  }
  return ready.call(call as unknown as Parameters<Core['call']>[0]);
}
