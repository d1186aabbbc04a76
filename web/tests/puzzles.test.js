// The training mode, with puzzles of its own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.js';
import { serve } from './server.js';

// White wins by Nxf7 at once; every other move is slower.
const puzzle =
  'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "one"; line e5f7; dm 1; grade 1;\n';

let browser;
let server;
before(async () => {
  server = await serve({ files: { '/puzzles.epd': puzzle } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.down();
});

test('a right move solves the puzzle and counts', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(browser, `${server.url}#/puzzles`);
  await page.getByText('Find the win for White.').first().waitFor();
  await page.fill('#move-input', 'Nxf7');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.solved').waitFor();
  await page.getByText('Streak: 1').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a wrong move is answered by its refutation', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(browser, `${server.url}#/puzzles`);
  await page.getByText('Find the win for White.').first().waitFor();
  await page.fill('#move-input', 'a3');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.wrong').waitFor({ timeout: 60_000 });
  assert.match(await page.locator('.verdict').textContent(), /^a3 does not win: \S+ answers it/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Find the win for White.').first().waitFor();
  await page.fill('#move-input', 'Nxf7');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.solved').waitFor();
  await page.getByText('0 of 1 solved').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
