// The training mode, with puzzles of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';
import { serve } from './server.js';

// White wins by Nxf7 at once; every other move is slower.
const puzzle =
  'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "one"; line e5f7; dm 1; grade 1;\n';

const site = startSite({ files: { '/puzzles.epd': puzzle } });

test('a right move solves the puzzle and counts', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/puzzles`);
  await page.getByText('Find the win for White.').first().waitFor();
  await page.fill('#move-input', 'Nxf7');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.solved').waitFor();
  assert.match(await page.locator('.verdict').textContent(), /explodes pawn f7, .*king e8.*Black’s king explodes/);
  await page.getByText('Streak: 1').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a wrong move is answered by its refutation', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/puzzles`);
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

async function withFile(text, check) {
  const own = await serve({ files: text === null ? {} : { '/puzzles.epd': text } });
  const { page, errors, context } = await open(site.browser, own.url);
  await page.goto(`${own.url}#/puzzles`);
  try {
    await check(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
    await own.down();
  }
}

const solve = async (page) => {
  await page.fill('#move-input', 'Nxf7');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.solved').waitFor();
};

test('a file without puzzles is said to have none', { timeout: 120_000 }, () =>
  withFile('# none\n', async (page) => {
    await page.getByText('contains no puzzles').waitFor();
    await page.getByRole('link', { name: 'Analyse' }).click();
    await page.locator('cg-board piece').first().waitFor();
  }),
);

test('the only puzzle comes again', { timeout: 120_000 }, () =>
  withFile(puzzle, async (page) => {
    for (const solved of [1, 2]) {
      await page.getByText('Find the win for White.').first().waitFor();
      await solve(page);
      await page.getByText(`${solved} of ${solved} solved`).waitFor();
      await page.getByRole('button', { name: 'Next puzzle' }).click();
    }
    await page.getByLabel('Difficulty').selectOption('4');
    await page.locator('.verdict', { hasText: 'no puzzles of this difficulty' }).waitFor();
    await page.getByLabel('Difficulty').selectOption('1');
    await page.getByText('Find the win for White.').first().waitFor();
  }),
);

test('none of 1,500 puzzles comes twice, and lines that are no puzzles are left out', { timeout: 180_000 }, () => {
  const good = Array.from({ length: 1500 }, (_, index) =>
    puzzle.replace('"one"', `"n${index}"`).replace('grade 1', `grade ${(index % 3) + 1}`),
  );
  // Grade 4 has one puzzle that can be shown, and others with a wrong position or line.
  const bad = [
    'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQ1B1R w kq - id "no king"; line e5f7; dm 1; grade 4;',
    'not a puzzle',
    '8/8/8/8/8/8/8/8 w - - id "empty"; line a1a2; dm 1; grade 4;',
    puzzle.replace('"one"', '"no line"').replace('line e5f7;', ' ').trim(),
    puzzle.replace('"one"', '"last"').replace('grade 1', 'grade 4').trim(),
  ];
  return withFile(`${good.join('')}${bad.join('\n')}\n`, async (page) => {
    const seen = new Set();
    for (let count = 1; count <= 8; count++) {
      const name = await page.getByText(/^Puzzle n\d+/).textContent();
      assert.ok(!seen.has(name), name);
      seen.add(name);
      await page.getByText('Find the win for White.').first().waitFor();
      await solve(page);
      await page.getByRole('button', { name: 'Next puzzle' }).click();
      await page.getByText(`${count} of ${count} solved`).waitFor();
      await page.locator('.verdict.find').waitFor();
    }
    await page.getByLabel('Difficulty').selectOption('4');
    await page.getByText(/^Puzzle last/).waitFor();
    await solve(page);
  });
});
