// Prints how long the built page takes to show the board and to give the first line of the engine,
// at full speed and with the slowdown of a phone, and what is sent. Ends with 1 above a budget.
// Run it on a machine without other work: npm run loading

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { launch } from './browser.js';
import { dist, serve } from './server.js';

const RUNS = 9;
const SLOWDOWN = 4;
const BUDGETS = { board: 1000, line: 3000, bytes: 4_000_000 };

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Notes the times, by the clock of the page, at which the board and the first line appear. */
function note() {
  globalThis.appeared = {};
  const elements = Object.entries({ board: 'cg-board piece', line: '.line' });
  new MutationObserver(() => {
    for (const [what, selector] of elements) {
      if (!(what in globalThis.appeared) && document.querySelector(selector)) {
        globalThis.appeared[what] = 0;
        requestAnimationFrame(() => (globalThis.appeared[what] = performance.now()));
      }
    }
  }).observe(document, { childList: true, subtree: true });
}

/** Milliseconds from the navigation to the board and to the first line, in a fresh profile. */
async function load(browser, url, slowdown) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, serviceWorkers: 'block' });
  const page = await context.newPage();
  // The browser is already open when somebody follows a link.
  await page.goto(`${url}empty.html`);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(note);
  await page.goto(`${url}#/analyse`, { waitUntil: 'commit' });
  await page.waitForFunction(() => globalThis.appeared.board && globalThis.appeared.line);
  const times = await page.evaluate(() => globalThis.appeared);
  await context.close();
  return times;
}

/** Bytes of all files of the page after compression; the source beside it is no part of it. */
async function wire(compress) {
  const names = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.tar.gz')).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => compress(await readFile(file)).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const server = await serve({ files: { '/empty.html': '<!doctype html><title>empty</title>' } });
const browser = await launch();
let within = true;
for (const slowdown of [1, SLOWDOWN]) {
  const times = [];
  for (let run = 0; run < RUNS; run++) times.push(await load(browser, server.url, slowdown));
  for (const what of ['board', 'line']) {
    const all = times.map((time) => time[what]);
    within &&= median(all) <= BUDGETS[what];
    const list = all.map((time) => Math.round(time)).join(', ');
    console.log(`slowdown ${slowdown}, first ${what}: median ${Math.round(median(all))} ms (${list}), at most ${BUDGETS[what]}`);
  }
}
await browser.close();
await server.down();
const [gzip, brotli] = [await wire((data) => gzipSync(data, { level: 9 })), await wire(brotliCompressSync)];
console.log(`all files: ${gzip} bytes with gzip, ${brotli} with brotli, at most ${BUDGETS.bytes}`);
process.exitCode = within && gzip <= BUDGETS.bytes ? 0 : 1;
