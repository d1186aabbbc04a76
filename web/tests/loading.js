// Prints how long the built page takes to show the board and to give the first line of the engine,
// at full speed and with the slowdown of a phone, and what is sent. Ends with 1 above a budget.
// Run it on a machine without other work: npm run loading

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { launch } from './browser.js';
import { dist, serve } from './server.js';

const RUNS = 9;
/** Milliseconds by the slowdown of the processor. */
const BUDGETS = { 1: { board: 400, line: 1200 }, 4: { board: 1200, line: 3000 } };
const BYTES = 4_000_000;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Logs the times, by the clock of the page, at which the board and the first line have been painted. */
function note() {
  const waiting = new Map(Object.entries({ board: 'cg-board piece', line: '.line' }));
  const times = {};
  const painted = (what) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      times[what] = performance.now();
      if (times.board && times.line) console.log(JSON.stringify(times));
    };
    // Arrives after the frame.
    port2.postMessage(null);
  };
  new MutationObserver(() => {
    for (const [what, selector] of waiting) {
      if (!document.querySelector(selector)) continue;
      waiting.delete(what);
      requestAnimationFrame(() => painted(what));
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
  // Playwright's own script, which waits in the page, would take the processor from it.
  const logged = page.waitForEvent('console', (message) => message.type() === 'log');
  await page.goto(`${url}#/analyse`, { waitUntil: 'commit' });
  const times = JSON.parse((await logged).text());
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
for (const [slowdown, budget] of Object.entries(BUDGETS)) {
  const times = [];
  for (let run = 0; run < RUNS; run++) times.push(await load(browser, server.url, Number(slowdown)));
  for (const what of ['board', 'line']) {
    const all = times.map((time) => time[what]);
    within &&= median(all) <= budget[what];
    const list = all.map((time) => Math.round(time)).join(', ');
    console.log(`slowdown ${slowdown}, first ${what}: median ${Math.round(median(all))} ms (${list}), at most ${budget[what]}`);
  }
}
await browser.close();
await server.down();
const [gzip, brotli] = [await wire((data) => gzipSync(data, { level: 9 })), await wire(brotliCompressSync)];
console.log(`all files: ${gzip} bytes with gzip, ${brotli} with brotli, at most ${BYTES}`);
process.exitCode = within && gzip <= BYTES ? 0 : 1;
