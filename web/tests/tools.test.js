// Premoves, clocks, the editor, a line that is pointed at, and an engine that dies.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { open, startSite } from './browser.js';
import { dist, serve } from './server.js';

const site = startSite();

/** Drags from square to square, White below. */
async function drag(page, from, to) {
  const box = await page.locator('cg-board').boundingBox();
  const size = box.width / 8;
  const at = (square) => [
    box.x + (square.charCodeAt(0) - 96.5) * size,
    box.y + (56.5 - square.charCodeAt(1)) * size,
  ];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

const moves = (count) => [
  (wanted) => document.querySelectorAll('.main-line > .move').length === wanted,
  count,
];

test('a premove is played after the reply of the engine', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  // With this clock the engine thinks for some seconds, long enough for a premove.
  await page.getByLabel('Level').selectOption('20');
  await page.getByLabel('Clock').selectOption('5+3');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.getByText('thinking').waitFor();
  await drag(page, 'b1', 'c3');
  await page.locator('square.current-premove').first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length >= 3);
  assert.equal((await page.locator('.main-line > .move').allTextContents())[2].startsWith('Nc3'), true);
  assert.deepEqual(errors, []);
  await context.close();
});

test('who runs out of time loses', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.clock.install();
  await page.getByLabel('Clock').selectOption('1+0');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(...moves(2));
  assert.match(await page.locator('.player.turn .clock').textContent(), /^0:5\d|^1:00/);
  await page.clock.fastForward(61_000);
  await page.locator('.result').filter({ hasText: 'White ran out of time: Black wins' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the editor names what is wrong and makes a position', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await page.getByRole('tab', { name: 'Editor' }).click();
  await page.getByRole('button', { name: 'Empty board' }).click();
  await page.locator('.side .error').filter({ hasText: /king/i }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Analyse this position' }).isDisabled(), true);
  const box = await page.locator('cg-board').boundingBox();
  for (const [name, file, rank] of [['White king', 4, 7], ['Black king', 4, 0], ['White rook', 7, 7]]) {
    await page.getByRole('radio', { name }).click();
    await page.mouse.click(box.x + (file + 0.5) * (box.width / 8), box.y + (rank + 0.5) * (box.width / 8));
  }
  await page.getByRole('button', { name: 'Analyse this position' }).click();
  await page.waitForFunction(() => location.hash.includes('4k3'));
  assert.match(page.url().replaceAll('%2F', '/'), /4k3\/8\/8\/8\/8\/8\/8\/4K2R\+w/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the editor turns its board, and forgets castling that is not possible', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await page.getByRole('tab', { name: 'Editor' }).click();
  const box = await page.locator('cg-board').boundingBox();
  const corner = () => page.mouse.click(box.x + box.width - 20, box.y + box.height - 20);
  await page.getByRole('radio', { name: 'Remove pieces' }).click();
  await corner();
  assert.equal(await page.getByLabel('White O-O', { exact: true }).isChecked(), false);
  assert.equal(await page.getByLabel('White O-O', { exact: true }).isDisabled(), true);
  assert.equal(await page.getByLabel('White O-O-O').isChecked(), true);
  await page.keyboard.press('f');
  await page.locator('.orientation-black').waitFor();
  await corner();
  assert.equal(await page.getByLabel('Black O-O-O').isChecked(), false);
  await page.getByRole('button', { name: 'Turn the board' }).click();
  await page.locator('.orientation-white').waitFor();
  assert.equal(await page.locator('output.error').textContent(), '');
  assert.deepEqual(errors, []);
  await context.close();
});

test('a line that is pointed at shows its blast', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+d7d5+f3e5+b8c6`);
  await page.locator('.line', { hasText: 'Nxf7' }).first().hover();
  await page.locator('square.blast-king').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('an engine that dies is started again, and the game is kept', { timeout: 120_000 }, async () => {
  const { page, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+d7d5`);
  await page.locator('.line').first().waitFor();
  for (const worker of page.workers()) {
    const isEngine = !worker.url().includes('core');
    if (isEngine) await worker.evaluate(() => setTimeout(() => { throw new Error('a test'); }));
  }
  await page.getByText('is started again').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.line').first().waitFor();
  assert.equal(await page.locator('.main-line > .move').count(), 2);
  await context.close();
});

test('a rules module that does not start is started again', { timeout: 120_000 }, async () => {
  const name = (await readdir(`${dist}/assets`)).find((file) => file.startsWith('core-worker-'));
  const failing = "WebAssembly.Instance = class { constructor() { throw new Error('no memory'); } };";
  const scripts = [failing + (await readFile(`${dist}/assets/${name}`, 'utf8'))];
  const files = Object.defineProperty({}, `/assets/${name}`, { get: () => scripts.pop() });
  const own = await serve({ files });
  const { page, context } = await open(site.browser, `${own.url}#/puzzles`);
  await page.locator('.notice', { hasText: 'no memory' }).waitFor();
  await page.locator('.verdict', { hasText: 'Find the win for' }).waitFor();
  await page.getByRole('link', { name: 'Analyse' }).click();
  await page.locator('.line').first().waitFor();
  await page.getByRole('link', { name: 'Play' }).click();
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(...moves(2));
  await context.close();
  await own.down();
});
