// The rules as positions: each is solved by typing, and a wrong move is answered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const site = startSite();

const solutions = ['exd5', 'Qxd5', 'Nxf7', 'exd5', 'Qxh5', 'f3', 'Qg7', 'Nxh7', 'Bxd6', 'Ke4', 'O-O', 'exd6'];

test('the first screen leads to the rules, and every position has its solution', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByRole('link', { name: 'Learn the rules' }).click();
  for (const [index, san] of solutions.entries()) {
    await page.getByText(`Position ${index + 1} of ${solutions.length}.`).waitFor();
    await page.fill('#move-input', san);
    await page.press('#move-input', 'Enter');
    await page.locator('.verdict.solved').waitFor();
    await page.getByRole('link', { name: index + 1 < solutions.length ? 'Next position' : 'Play a game' }).click();
  }
  await page.getByRole('button', { name: 'Start game' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('another move is tried again, and what the rules forbid is explained', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/rules?n=5`);
  const type = async (move) => {
    await page.fill('#move-input', move);
    await page.press('#move-input', 'Enter');
  };
  await page.getByText('Position 5 of').waitFor();
  await type('Qxd2');
  await page.getByText('Qxd2 is not allowed: it explodes your own king.').waitFor();
  await type('Qa4');
  await page.getByText('Qa4 is not the move we look for.').first().waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await type('Qxh5');
  await page.locator('.verdict.solved').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
