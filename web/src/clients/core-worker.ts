// The worker around the synchronous core: one answer for each request, in order.

import { createCore } from '../../npm/core.js';
import type { CoreReply, CoreRequest } from './core';

const core = createCore();

self.onmessage = async ({ data }: MessageEvent<CoreRequest>) => {
  const answer = (reply: CoreReply['reply']) => self.postMessage({ id: data.id, reply } satisfies CoreReply);
  try {
    const ready = await core;
    if (data.file) answer(ready.load(data.file.name, data.file.bytes));
    else if (data.call) answer(ready.call(data.call));
  } catch (error) {
    // A trap in the module leaves it unusable: let the page start a new one.
    setTimeout(() => {
      throw error;
    });
  }
};
