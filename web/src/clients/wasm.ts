// The WebAssembly module, loaded and compiled once for all workers. It is asked for at once, but
// compiled after the first frame, which would have to wait for the processor.

const address = new URL('../../npm/brisance.wasm', import.meta.url);
let module: Promise<WebAssembly.Module> | null = null;
/** The page is drawn in the task that loads this file. Pages in the background have no frames. */
const drawn = new Promise<unknown>((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 1000);
});

/** A failed download is tried again with the next request. */
export function wasm(): Promise<WebAssembly.Module> {
  module ??= load().catch((error: unknown) => {
    module = null;
    throw error;
  });
  return module;
}

async function load(): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  await drawn;
  // Servers that do not know the type of the file rule out compiling while it arrives.
  const typed = response.headers.get('content-type')?.startsWith('application/wasm');
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

void wasm().catch(() => undefined);
