// A game against the engine as a person plays it: typing, promotions, take back, settings.

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

const position = (fen) => open(browser, `${server.url}#/analyse?fen=${encodeURIComponent(fen)}`);
const moves = (page) => page.locator('.main-line > .move').allTextContents();
const played = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length >= wanted, count);
const type = async (page, move) => {
  await page.fill('#move-input', move);
  await page.press('#move-input', 'Enter');
};

test('the field keeps the focus while the engine moves, and keys are no shortcuts', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(browser, server.url);
  await page.getByLabel('Level').waitFor();
  await type(page, 'Nf3');
  // The engine has not answered yet: this would turn the board.
  await page.keyboard.press('f');
  await played(page, 2);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'move-input');
  assert.equal(await page.locator('.orientation-white').count(), 1);
  await page.locator('#move-input:not([readonly])').waitFor();
  await page.keyboard.type('e3');
  await page.keyboard.press('Enter');
  await played(page, 4);
  assert.match((await moves(page))[2], /^e3/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a promotion is asked on its square, the queen first', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await position('7k/4P3/8/8/8/8/8/K7 w - - 0 1');
  await page.locator('cg-board piece').nth(2).waitFor();
  const board = await page.locator('cg-board').boundingBox();
  const size = board.width / 8;
  for (const row of [1.5, 0.5]) await page.mouse.click(board.x + 4.5 * size, board.y + row * size);
  const dialog = page.getByRole('dialog', { name: 'Promote to' });
  await dialog.waitFor();
  const names = await dialog.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel));
  assert.deepEqual(names, ['queen', 'knight', 'rook', 'bishop']);
  const first = await dialog.getByRole('button').first().boundingBox();
  assert.ok(Math.abs(first.x - board.x - 4 * size) < 4 && Math.abs(first.y - board.y) < 4, JSON.stringify(first));
  await page.keyboard.press('Enter');
  await played(page, 1);
  assert.match((await moves(page))[0], /^e8=Q/);
  // A pawn that is typed without its new piece asks as well.
  await page.keyboard.press('ArrowLeft');
  await page.locator('.move[aria-current]').waitFor({ state: 'detached' });
  await type(page, 'e8');
  await dialog.getByRole('button', { name: 'knight' }).click();
  await page.locator('.variation .move', { hasText: 'e8=N' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a typed move that the rules of atomic chess forbid is explained', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await position('4k3/8/8/8/8/8/3n4/4K2R w - - 0 1');
  await page.locator('cg-board piece').nth(3).waitFor();
  for (const move of ['Kxd2', 'e1d2']) {
    await type(page, move);
    await page.locator('#move-input-error', { hasText: `${move} is not allowed: it explodes your own king.` }).waitFor();
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('About and the settings promise what this engine has', { timeout: 120_000 }, async () => {
  for (const isolated of [false, true]) {
    const own = await serve({ isolated });
    const { page, errors, context } = await open(browser, own.url);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Hash (MiB)').waitFor();
    assert.equal(await page.getByLabel('Threads').count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByText(/Network: Brisance network \d+/).waitFor();
    const text = await page.locator('.about').textContent();
    assert.match(text, /one thread/);
    assert.doesNotMatch(text, /1024|shared memory/);
    // No other network is said to be in use.
    assert.doesNotMatch(text, /which this page uses/);
    assert.deepEqual(errors, []);
    await context.close();
    await own.down();
  }
});
