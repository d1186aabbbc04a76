// What people bring from Lichess and from files: results, clocks, evaluations, arrows, lists of
// games, positions in every form, and text that is none of these.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.js';
import { serve } from './server.js';

let browser;
let server;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.down();
});

const analyse = (params = '') => open(browser, `${server.url}#/analyse${params}`);

async function load(page, pgn) {
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByRole('textbox', { name: 'PGN' }).fill(pgn);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
}

/** The PGN that the page writes, once it contains the text. */
async function written(page, text) {
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value.includes(wanted), text);
  return page.getByRole('textbox', { name: 'PGN' }).inputValue();
}

test('a game from another position replaces a game without a false error', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse('?moves=e2e4+e7e5+d2d4');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 3);
  await load(page, '[Variant "Atomic"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *');
  await page.getByText('Game loaded.').waitFor();
  // A second request for the same position is answered after all that the load has asked.
  await written(page, '1. e4');
  assert.match(await page.locator('.notice').textContent(), /^Game loaded\./);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [name, pgn, result] of [
  ['of a mate', '[Variant "Atomic"]\n[Result "1-0"]\n\n1. Nf3 f6 2. Ne5 e6 3. Nxd7 1-0', '1-0'],
  ['of a game that was resigned', '[Variant "Atomic"]\n[Result "0-1"]\n\n1. Nf3 f6 0-1', '0-1'],
  ['after the moves, without a tag', '[Variant "Atomic"]\n\n1. Nf3 f6 1/2-1/2', '1/2-1/2'],
  ['of an explosion, without a result', '[Variant "Atomic"]\n\n1. Nf3 d5 2. Ne5 Nc6 3. Nxf7 *', '1-0'],
]) {
  test(`the written PGN has the result ${name}`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await analyse();
    await load(page, pgn);
    await page.getByText('Game loaded.').waitFor();
    const text = await written(page, '1. Nf3');
    assert.ok(text.includes(`[Result "${result}"]`), text);
    assert.ok(text.trim().endsWith(` ${result}`), text);
    assert.deepEqual(errors, []);
    await context.close();
  });
}
