// The worker around the synchronous core: one answer for each request, in order.

import { createCore, type Core } from '../../npm/core.js';
import type { CoreRequest } from './core';

let start: (wasm: WebAssembly.Module) => void;
const core = new Promise<WebAssembly.Module>((resolve) => (start = resolve)).then((wasm) => createCore({ wasm }));

self.onmessage = async ({ data }: MessageEvent<CoreRequest>) => {
  if (data.wasm) return start(data.wasm);
  const ready = await core;
  self.postMessage({ id: data.id, reply: answer(ready, data) });
};

function answer(ready: Core, { file, call }: CoreRequest): object {
  if (file) return ready.load(file.name, file.bytes);
  return ready.call(call as unknown as Parameters<Core['call']>[0]);
}
