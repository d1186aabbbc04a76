// Two ways through the whole page: with the keyboard alone, and without a connection.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { tableFiles } from '../tables.js';
import { open, startSite } from './browser.js';
import { serve } from './server.js';

const folder = process.env.BRISANCE_SYZYGY;
const hasTables = existsSync(`${folder}/KQvK.atbw`);
const files = hasTables
  ? Object.fromEntries(Object.entries(tableFiles(folder)).map(([name, content]) => [`/tables/${name}`, content]))
  : {};
const site = startSite({ files: { '/tables/index.json': '{}' } });

const moved = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length >= wanted, count);

/** Presses Tab until this part has the focus. */
async function tabTo(page, role, name) {
  for (let count = 0; count < 100; count++) {
    await page.keyboard.press('Tab');
    const found = page.getByRole(role, { name, exact: true });
    const focused = await found.evaluateAll((nodes) => nodes.some((node) => node === document.activeElement));
    if (focused) return;
  }
  assert.fail(`the Tab key does not reach ${role} ${name}`);
}

async function press(page, role, name) {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

/** Types a move into the field, which has the focus, as soon as it takes one. */
async function type(page, move) {
  await page.locator('#move-input:focus:not([readonly])').waitFor();
  await page.keyboard.type(move);
  await page.keyboard.press('Enter');
}

test('with the keyboard alone', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  // A game.
  await press(page, 'button', 'Skip to the board');
  await type(page, 'Nf3');
  await moved(page, 2);
  await press(page, 'button', 'Resign');
  await page.getByRole('button', { name: 'Really resign?' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.result').waitFor();
  await press(page, 'button', 'Analyse this game');
  // Its analysis.
  await page.locator('.line').first().waitFor();
  await page.keyboard.press('ArrowUp');
  await page.locator('.status', { hasText: 'White to move' }).waitFor();
  await page.keyboard.press('m');
  await type(page, 'e3');
  await page.locator('.variation', { hasText: 'e3' }).waitFor();
  await tabTo(page, 'tab', 'Moves');
  await page.keyboard.press('ArrowRight');
  await page.locator('#tab-openings:focus').waitFor();
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'textbox', 'FEN');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
  await press(page, 'button', 'Set position');
  await page.getByText('Position set.').waitFor();
  // Files and settings.
  await page.keyboard.press('Escape');
  await press(page, 'link', 'About');
  await press(page, 'button', 'Download endgame tables');
  await page.getByText('All tables of this site are on this device already.').waitFor();
  await press(page, 'button', 'Settings');
  await tabTo(page, 'radio', 'English');
  await page.keyboard.press('ArrowRight');
  await page.locator('html[lang=de]').waitFor();
  await page.getByRole('heading', { name: 'Über Brisance' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('without a connection', { timeout: 240_000 }, async () => {
  const own = await serve({ files });
  const { page, errors, context } = await open(site.browser, own.url, { serviceWorkers: 'allow' });
  await page.getByText('Ready for use without a connection.').waitFor();
  if (hasTables) {
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Download endgame tables' }).click();
    await page.locator('.files').waitFor();
  }
  await own.down();
  await page.goto(`${own.url}#/play`);
  await page.reload();
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await moved(page, 2);
  await page.getByRole('link', { name: 'Puzzles' }).click();
  await page.locator('.verdict', { hasText: 'Find the win for' }).waitFor();
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.getByText('Position 1 of').first().waitFor();
  await page.goto(`${own.url}#/analyse?fen=8/8/8/8/3k4/8/8/K6Q_w_-_-_0_1`);
  await page.locator('.line').first().waitFor();
  if (hasTables) await page.locator('.engine-status', { hasText: 'from tables' }).waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save PGN' }).click(),
  ]);
  assert.ok(await saved.path());
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).click({ force: true });
  await page.locator('html[lang=de]').waitFor();
  await page.getByRole('link', { name: 'Aufgaben' }).click();
  await page.locator('.verdict', { hasText: 'Finde den Gewinn für' }).waitFor();
  // The browser asks for the icon of the tab past the service worker.
  assert.deepEqual(errors.filter((error) => !error.endsWith('/icon.svg')), []);
  await context.close();
});
