// The review of a game: marks, accuracy, graph, and what stays when another game is loaded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const site = startSite();

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
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${blunder}`, { colorScheme: 'light' });
  await played(page, 6);
  await review(page);
  await page.locator('.move.blunder', { hasText: /^a4\?\?/ }).waitFor();
  // The better line is a variation, which is written with the game.
  assert.match((await page.locator('.variation').allTextContents()).join(' '), /Best was 2\.\s*f3/);
  await page.locator('.marked li', { hasText: /a4.*loses by force in \d moves: \S+.*#$/ }).waitFor();
  // The area keeps its colour, and the blunder's is seen on it, also when the graph is drawn again.
  for (const key of ['ArrowUp', 'ArrowRight', 'ArrowDown']) {
    await page.keyboard.press(key);
    const { foot, all } = await graphColours(page);
    assert.equal(foot, '233 221 203', key);
    assert.ok(all.includes('213 94 94'), key);
  }
  // The proof is written as well, and all of it is there after a reload.
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.waitForFunction(() =>
    /a4\?\?.*2\.\s+a4\s+loses\s+by\s+force\s+in/s.test(document.querySelector('textarea')?.value),
  );
  assert.match(await page.getByRole('textbox', { name: 'PGN' }).inputValue(), /\(2\.\s+f3/);
  await page.reload();
  await played(page, 6);
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.locator('.summary').waitFor();
  // Another game was not reviewed.
  await page.goto(`${site.server.url}#/analyse?moves=e2e4+e7e5`);
  await played(page, 2);
  await page.getByRole('button', { name: 'Review the whole game' }).waitFor();
  assert.equal(await page.locator('.summary').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the same game gets the same review, whatever was analysed before', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${blunder}`);
  await played(page, 6);
  const found = async () => [
    await page.locator('.summary').textContent(),
    await page.locator('.marked').textContent(),
    await page.locator('.variation').allTextContents(),
  ];
  await review(page);
  const first = await found();
  // The analysis fills the TT.
  await page.keyboard.press('ArrowUp');
  await page.locator('.line').nth(2).waitFor();
  await page.getByRole('button', { name: 'Review again' }).click();
  await page.locator('.review progress').waitFor();
  await page.locator('.summary').waitFor({ timeout: 200_000 });
  assert.deepEqual(await found(), first);
  assert.deepEqual(errors, []);
  await context.close();
});

test('mistakes become questions: a wrong answer is refuted, the right one is known', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${blunder}`);
  await played(page, 6);
  await review(page);
  await page.getByRole('button', { name: 'Learn from White’s mistakes' }).click();
  await page.getByText('a3 was played here. Find a better move.').first().waitFor();
  await page.getByRole('button', { name: 'Next mistake' }).click();
  await page.getByText('a4 was played here. Find a better move.').first().waitFor();
  // Nothing tells the answer.
  assert.equal(await page.locator('.line, .move, .cg-shapes line').count(), 0);
  const type = async (move) => {
    await page.fill('#move-input', move);
    await page.press('#move-input', 'Enter');
  };
  await type('h4');
  await page.locator('.verdict.wrong', { hasText: /^h4 is no better: \S+ answers it\.$/ }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await type('f3');
  await page.locator('.verdict.solved', { hasText: 'f3 is the best move.' }).waitFor();
  await page.getByRole('button', { name: 'Back to the analysis' }).click();
  await page.locator('.main-line > .move').nth(5).waitFor();
  // The tries are not in the game.
  const moves = await page.locator('.main-line > .move').allTextContents();
  assert.ok(moves.length === 6 && moves.every((move) => !move.startsWith('h4')), moves.join(' '));
  assert.deepEqual(errors, []);
  await context.close();
});

// Two engines at level 2: White wins, and misses more than eight mates on the way.
const weak = `
  Nf3 d5 Na3 e6 d4 Nc6 Ng5 f6 Bd2 Bc5 Nf7 Qe7 dxc5 Qc5 Be3 Qb4+ c3 Nh6 g4 b6 Nd6+ Ke7 cxb4 e5 Bg5 Nf7 e3
  Nxg5 Nf5+ Bxf5 Bd3 h5 gxh5 Rh3 Be4 c5 f3 Rd8 Rg1 f5 Rg6 a6 Rc1 Ke8 Qd2 Rh4 Kf1 Ke7 Rd1 Rh6 Re6+ Kf8 Rxh6
  g5 Bxf5 d4 Qg2 Kg8 h4 g4 Qg1 c4 Qh2 b5 h5 g3 Qh4 Kf7 Qf6+ Ke8 Qf7#
`;

test('a game of beginners is full of marks, and far from accurate', { timeout: 300_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByRole('textbox', { name: 'PGN' }).fill(`[Variant "Atomic"]\n\n${weak.trim()} 1-0\n`);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.getByText('Game loaded.').waitFor();
  await review(page);
  const missed = await page.locator('.marked li', { hasText: 'misses a forced win.' }).count();
  assert.ok(missed >= 8, `${missed} missed wins`);
  const rows = await page.locator('.summary tr').allTextContents();
  for (const row of rows) {
    assert.ok(Number(/(\d+) % accuracy/.exec(row)[1]) < 60, row);
    assert.ok(Number(/\?\? (\d+)/.exec(row)[1]) >= 8, row);
  }
  assert.deepEqual(errors, []);
  await context.close();
});
