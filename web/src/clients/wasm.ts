// The WebAssembly module, loaded and compiled once for all workers.

const address = new URL('../../npm/brisance.wasm', import.meta.url);
let module: Promise<WebAssembly.Module> | null = null;

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
  // Servers that do not know the type of the file rule out compiling while it arrives.
  const typed = response.headers.get('content-type')?.startsWith('application/wasm');
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

void wasm().catch(() => undefined);
