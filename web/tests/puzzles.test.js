// The training mode, with puzzles of its own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kept, open, startSite } from './browser.js';
import { dist, serve } from './server.js';

// White wins by Nxf7 at once; every other move is slower.
const puzzle =
  'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "one"; line e5f7; dm 1; grade 1;\n';

const site = startSite({ files: { '/puzzles.epd': puzzle } });

test('nearly all puzzles that the page brings know the move before them', () => {
  const lines = readFileSync(`${dist}/puzzles.epd`, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  const known = lines.filter((line) => /; before "\S+ [wb] \S+ \S+ [a-h][1-8][a-h][1-8][qrbn]?"/.test(line));
  assert.ok(lines.length > 1000, `${lines.length} puzzles`);
  assert.ok(known.length >= 0.95 * lines.length, `${known.length} of ${lines.length}`);
});

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
      const name = await page.getByText(/^Puzzle (n\d+|last)/).textContent();
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

// Black's Nb8-c6 leads to the puzzle of above.
const before = 'rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - b8c6';
// Three moves to find.
const long =
  '4k3/8/2pB4/7N/pP3p2/P1P5/K2N1q2/8 b - - id "long"; line f2e1 h5f6 e8f7 d2b1 e1b1; dm 3; grade 2;\n';
const led = puzzle.replace('"one";', `"led"; before "${before}";`);

const type = async (page, move) => {
  await page.fill('#move-input', move);
  await page.press('#move-input', 'Enter');
};
const moveTexts = (page) => page.locator('.main-line > .move').allTextContents();

test('a reload shows the same puzzle with its moves, counts and difficulty', { timeout: 180_000 }, () =>
  withFile(puzzle + long, async (page) => {
    await page.getByLabel('Difficulty').selectOption('2');
    await page.getByText(/^Puzzle long/).waitFor();
    await page.getByRole('button', { name: 'Hint' }).click();
    await type(page, 'f2e1');
    await page.locator('.verdict', { hasText: 'Right!' }).waitFor();
    const moves = await moveTexts(page);
    assert.equal(moves.length, 2);
    await kept(page, '"uci":"h5f6"');
    for (let count = 0; count < 2; count++) {
      await page.reload();
      await page.locator('.verdict', { hasText: 'Find the win for Black.' }).waitFor();
      await page.getByText(/^Puzzle long/).waitFor();
      assert.deepEqual(await moveTexts(page), moves);
      await page.getByText('0 of 1 solved').waitFor();
      assert.equal(await page.getByLabel('Difficulty').inputValue(), '2');
    }
    await page.getByRole('link', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Start game' }).waitFor();
    await page.getByRole('link', { name: 'Puzzles' }).click();
    await page.getByText(/^Puzzle long/).waitFor();
    assert.deepEqual(await moveTexts(page), moves);
    // The fault before the reload still counts once.
    await page.getByRole('button', { name: 'Show solution' }).click();
    await page.locator('.verdict.shown', { hasText: 'Proved: Black wins' }).waitFor();
    await kept(page, '"state":"shown"');
    await page.reload();
    await page.locator('.verdict.shown', { hasText: 'Proved: Black wins' }).waitFor();
    await page.getByText('0 of 1 solved').waitFor();
  }),
);

test('a wrong move and its answer are still there after a reload', { timeout: 180_000 }, () =>
  withFile(puzzle, async (page) => {
    await type(page, 'a3');
    await page.locator('.verdict.wrong').waitFor();
    const words = await page.locator('.verdict').textContent();
    await kept(page, '"state":"wrong"');
    await page.reload();
    await page.locator('.verdict.wrong').waitFor();
    assert.equal(await page.locator('.verdict').textContent(), words);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.verdict.find').waitFor();
    assert.deepEqual(await moveTexts(page), []);
    await solve(page);
    await page.getByText('0 of 1 solved').waitFor();
  }),
);

test('a puzzle has a link, and an unknown one is said to be unknown', { timeout: 180_000 }, () => {
  const many = Array.from({ length: 30 }, (_, index) => puzzle.replace('"one"', `"n${index}"`)).join('');
  return withFile(many + long, async (page) => {
    const base = page.url().replace(/#.*/, '');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${base}#/puzzles?id=long`);
    await page.getByText(/^Puzzle long/).waitFor();
    await page.locator('.verdict', { hasText: 'Find the win for Black.' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, `${base}#/puzzles?id=long`);
    // From another puzzle, in a new tab, and again after the puzzle was left.
    const other = await page.context().newPage();
    await other.goto(link);
    await other.getByText(/^Puzzle long/).waitFor();
    await page.getByLabel('Difficulty').selectOption('1');
    await page.getByText(/^Puzzle n\d+/).waitFor();
    await page.goto(link);
    await page.getByText(/^Puzzle long/).waitFor();
    await page.goto(`${base}#/puzzles?id=nothing`);
    await page.locator('.page-note', { hasText: 'no puzzle “nothing”' }).waitFor();
    await page.getByRole('link', { name: 'Puzzles' }).click();
    await page.getByText(/^Puzzle long/).waitFor();
    await page.goto(`${base}#/puzzles?id=nothing`);
    await page.getByRole('button', { name: 'Random puzzle' }).click();
    await page.getByText(/^Puzzle n\d+/).waitFor();
    await page.locator('.verdict.find').waitFor();
  });
});

test('the move of the opponent before the puzzle is played and shown', { timeout: 180_000 }, () =>
  withFile(led, async (page) => {
    await page.locator('.verdict', { hasText: 'Black has played Nc6. Find the win for White.' }).waitFor();
    assert.equal(await page.locator('cg-board square.last-move').count(), 2);
    assert.deepEqual((await moveTexts(page)).map((text) => text.replace(/^\d+…\s*/, '')), ['Nc6']);
    // It can be taken back to look at, and the puzzle goes on from its own position.
    await page.getByRole('button', { name: 'Previous move' }).click();
    await page.getByRole('button', { name: 'Next move' }).click();
    await type(page, 'a3');
    await page.locator('.verdict.wrong').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.verdict.find').waitFor();
    assert.equal((await moveTexts(page)).length, 1);
    await solve(page);
  }),
);

test('a failed puzzle comes again after others, until it is solved at the first try', { timeout: 240_000 }, () => {
  const others = Array.from({ length: 40 }, (_, index) => puzzle.replace('"one"', `"n${index}"`)).join('');
  return withFile(others + long.replace('grade 2', 'grade 1'), async (page) => {
    const next = async () => {
      await page.getByRole('button', { name: 'Next puzzle' }).click();
      await page.locator('.verdict.find').waitFor();
      return page.getByText(/^Puzzle /).textContent();
    };
    const fail = async () => {
      await page.getByRole('button', { name: 'Show solution' }).click();
      await page.locator('.verdict.shown', { hasText: 'Proved' }).waitFor();
      await page.getByText('To repeat: 1').waitFor();
    };
    await page.getByText('To repeat: 0').waitFor();
    await page.goto(`${page.url().replace(/#.*/, '')}#/puzzles?id=long`);
    await page.locator('.verdict', { hasText: 'for Black' }).waitFor();
    await fail();
    for (let round = 0; round < 2; round++) {
      let between = 0;
      while (!(await next()).startsWith('Puzzle long')) {
        between++;
        await solve(page);
        await page.getByText('To repeat: 1').waitFor();
      }
      assert.ok(between >= 3 && between <= 8, `${between}`);
      if (round === 0) await fail();
    }
    await page.reload();
    await page.getByText('To repeat: 1').waitFor();
    await page.getByText(/^Puzzle long/).waitFor();
    await fail();
    await next();
    await page.getByRole('button', { name: 'Repeat now' }).click();
    await page.getByText(/^Puzzle long/).waitFor();
    for (const [move, count] of [['f2e1', 2], ['e8f7', 4], ['e1b1', 5]]) {
      await page.locator('.verdict.find').waitFor();
      await type(page, move);
      await page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length === wanted, count);
    }
    await page.locator('.verdict.solved').waitFor();
    await page.getByText('To repeat: 0').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Repeat now' }).count(), 0);
  });
});
