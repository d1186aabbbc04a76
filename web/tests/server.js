// Serves the built page for the tests, from memory-less plain files, with the isolation headers on
// request. `down` simulates a lost connection.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const dist = process.env.BOARD_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/** Starts a server on a free port; extra files replace or add paths. */
export async function serve({ isolated = false, files = {} } = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    try {
      const body = files[path] ?? (await readFile(join(dist, path)));
      response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
      if (isolated) {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      }
      response.end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    async down() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
