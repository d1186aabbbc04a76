// The review of a game: marks, accuracy, graph, and what stays when another game is loaded.

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

// After 2. a4 Ne4 the knight attacks d2 and f2, and either blast reaches the king; 2. f3 guards e4.
const blunder = 'a2a3+g8f6+a3a4+f6e4+h2h3+e4f2';
const played = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length === wanted, count);

async function review(page, effort = 'Quick') {
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByText(effort, { exact: true }).click({ force: true });
  await page.getByRole('button', { name: /^Review/ }).click();
  await page.locator('.summary').waitFor({ timeout: 200_000 });
}

/** The colours of the graph from left to right along its foot, and how often each colour occurs at all. */
const graphColours = (page) =>
  page.locator('.graph canvas').evaluate((canvas) => {
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const at = (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)].join(' ');
    const all = new Set();
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) all.add(at(x, y));
    return { foot: at(Math.round(width / 4), height - 3), all: [...all] };
  });

test('the review marks the blunder and names the better move', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(browser, `${server.url}#/analyse?moves=${blunder}`, { colorScheme: 'light' });
  await played(page, 6);
  await review(page);
  await page.locator('.move.blunder', { hasText: /^a4\?\?/ }).waitFor();
  assert.match((await page.locator('.best').allTextContents()).join(' '), /Best was f3/);
  // The area keeps its colour, and the blunder's is seen on it, also when the graph is drawn again.
  for (const key of ['ArrowUp', 'ArrowRight', 'ArrowDown']) {
    await page.keyboard.press(key);
    const { foot, all } = await graphColours(page);
    assert.equal(foot, '233 221 203', key);
    assert.ok(all.includes('213 94 94'), key);
  }
  // Another game was not reviewed.
  await page.goto(`${server.url}#/analyse?moves=e2e4+e7e5`);
  await played(page, 2);
  await page.getByRole('button', { name: 'Review the whole game' }).waitFor();
  assert.equal(await page.locator('.summary').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});
