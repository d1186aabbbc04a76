// Nothing is lost: an analysis over a reload, undo, saved analyses, several tabs, deletion, export
// and import, and clocks that nobody sees.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kept, launch, open, startSite } from './browser.js';

const puzzle = (id) => `r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "${id}"; line e5f7; dm 1; grade 1;\n`;
const study = `[Event "Study"]
[White "Ann"]
[Black "Bob"]
[Result "*"]
[Variant "Atomic"]

{ Start [%csl Ge4] } 1. Nf3 { [%clk 0:03:00] Best [%cal Gf3e5,Rf3g5] } f6 (1... d5 2. Ne5) 2. e3 $1 e6 3. d4 d5 *
`;

const site = startSite({ files: { '/puzzles.epd': ['a', 'b', 'c', 'd'].map(puzzle).join('') } });

const timeout = { timeout: 120_000 };
const tab = (page, name) => page.getByRole('tab', { name }).click();
const moves = (page) => page.locator('.main-line > .move');
const moveCount = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length === wanted, count);

async function load(page, pgn) {
  await tab(page, 'FEN & PGN');
  await page.getByRole('textbox', { name: 'PGN' }).fill(pgn);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.getByText('Game loaded.').waitFor();
}

async function pgnOf(page, text) {
  await tab(page, 'FEN & PGN');
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value.includes(wanted), text);
  return page.getByRole('textbox', { name: 'PGN' }).inputValue();
}

async function type(page, move) {
  await page.fill('#move-input', move);
  await page.press('#move-input', 'Enter');
}

test('a reload keeps variations, comments, drawings, marks, tags and the side of the board', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await load(page, study);
  const before = await pgnOf(page, '1. Nf3');
  for (const part of ['[White "Ann"]', 'Gf3e5', 'Rf3g5', '[%clk 0:03:00]', '[%csl Ge4]', '(1... d5', 'e3!', 'Best']) {
    assert.ok(before.includes(part), `${part} in ${before}`);
  }
  await tab(page, 'Moves');
  await moves(page).filter({ hasText: /^e3/ }).click();
  await page.locator('.move[aria-current]', { hasText: 'e3' }).waitFor();
  await page.getByRole('button', { name: 'Turn the board' }).click();
  await page.reload();
  await moveCount(page, 6);
  await page.locator('.move[aria-current]', { hasText: 'e3' }).waitFor();
  await page.locator('.cg-wrap.orientation-black').waitFor();
  assert.equal(await pgnOf(page, '1. Nf3'), before);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [name, destroy] of [
  ['deletes moves', async (page) => {
    await tab(page, 'Moves');
    await moves(page).first().click();
    await page.locator('.move[aria-current]', { hasText: 'Nf3' }).waitFor();
    await page.getByRole('button', { name: 'Delete from here' }).click();
    await page.getByText('No moves yet.').waitFor();
  }],
  ['loads another game', async (page) => {
    await load(page, '[Variant "Atomic"]\n\n1. e4 *');
    await tab(page, 'Moves');
    await moveCount(page, 1);
  }],
  ['sets a position', async (page) => {
    await tab(page, 'FEN & PGN');
    await page.getByRole('textbox', { name: 'FEN' }).fill('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
    await page.getByRole('button', { name: 'Set position' }).click();
    await page.getByText('Position set.').waitFor();
  }],
  ['changes the rules', async (page) => {
    await tab(page, 'FEN & PGN');
    await page.getByLabel('Rules').selectOption('nocheckatomic');
    await page.getByText('The moves are gone').waitFor();
  }],
]) {
  test(`undo after an action that ${name}`, timeout, async () => {
    const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
    await load(page, study);
    const before = await pgnOf(page, '1. Nf3');
    await destroy(page);
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    assert.equal(await pgnOf(page, '[White "Ann"]'), before);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('analyses have names, are listed, opened and deleted', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await type(page, 'e4');
  await moveCount(page, 1);
  await tab(page, 'FEN & PGN');
  await page.getByLabel('Name of this analysis').fill('King pawn');
  await page.getByRole('button', { name: 'New analysis' }).click();
  await tab(page, 'Moves');
  await page.getByText('No moves yet.').waitFor();
  await type(page, 'd4');
  await moveCount(page, 1);
  await tab(page, 'FEN & PGN');
  await page.getByRole('button', { name: 'Saved analyses' }).click();
  await page.getByRole('button', { name: /^King pawn/ }).click();
  await tab(page, 'Moves');
  await moves(page).filter({ hasText: 'e4' }).waitFor();
  await tab(page, 'FEN & PGN');
  assert.equal(await page.getByLabel('Name of this analysis').inputValue(), 'King pawn');
  await page.getByRole('button', { name: 'Saved analyses' }).click();
  await page.getByRole('button', { name: 'Delete d4' }).click();
  await page.getByText('Nothing else is saved yet').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Delete d4' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('two tabs count puzzles together', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/puzzles`);
  const other = await context.newPage();
  await other.goto(`${site.server.url}#/puzzles`);
  for (const [place, one] of [page, other, page].entries()) {
    await one.getByText('Find the win for White.').first().waitFor();
    await type(one, 'Nxf7');
    await one.locator('.verdict.solved').waitFor();
    await one.getByText(`${place + 1} of ${place + 1} solved`).waitFor();
    await one.getByRole('button', { name: 'Next puzzle' }).click();
  }
  await other.getByText('3 of 3 solved').waitFor();
  await other.getByText('Streak: 3').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('two tabs have a game each, over reloads', timeout, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await type(page, 'Nf3');
  await moveCount(page, 2);
  const first = await moves(page).allTextContents();
  const other = await context.newPage();
  await other.goto(site.server.url);
  await type(other, 'Nc3');
  await moveCount(other, 2);
  const second = await moves(other).allTextContents();
  for (const move of ['g1f3', 'b1c3']) await kept(page, `"moves":["${move}","`);
  for (const [one, game] of [[page, first], [other, second]]) {
    await one.reload();
    await moveCount(one, 2);
    assert.deepEqual(await moves(one).allTextContents(), game);
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('a page that Back brings back has its game to itself', timeout, async () => {
  // Playwright switches off what browsers do: the page stays in memory while another is shown.
  const browser = await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  const { page, errors, context } = await open(browser, site.server.url);
  await type(page, 'Nf3');
  await moveCount(page, 2);
  await page.goto('about:blank');
  await page.goBack({ waitUntil: 'commit' });
  await moveCount(page, 2);
  await page.waitForFunction(async () => (await navigator.locks.query()).held.some(({ name }) => name.startsWith('game:')));
  const other = await context.newPage();
  await other.goto(site.server.url);
  await type(other, 'Nc3');
  await moveCount(other, 2);
  assert.equal(await moves(other).first().textContent(), 'Nc3');
  assert.deepEqual(errors, []);
  await browser.close();
});

for (const [name, refuse] of [
  ['blocks its storage', () => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    IDBFactory.prototype.open = denied;
    Object.defineProperty(window, 'sessionStorage', { get: denied });
  }],
  ['has no room', () => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  }],
]) {
  test(`where the browser ${name} the page says so and works`, timeout, async () => {
    const { page, errors, context } = await open(site.browser, 'about:blank', {}, false);
    await page.addInitScript(refuse);
    await page.goto(site.server.url);
    await type(page, 'Nf3');
    await page.getByText('Your browser does not save your work').waitFor();
    await moveCount(page, 2);
    await page.getByRole('link', { name: 'Analyse' }).click();
    await type(page, 'e3');
    await moveCount(page, 1);
    await page.getByRole('link', { name: 'Puzzles' }).click();
    await page.getByText('Find the win for White.').first().waitFor();
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('what is deleted does not come back', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/puzzles`);
  await page.getByText('Find the win for White.').first().waitFor();
  await type(page, 'Nxf7');
  await page.getByText('1 of 1 solved').waitFor();
  const other = await context.newPage();
  await other.goto(`${site.server.url}#/analyse?moves=e2e4`);
  await moveCount(other, 1);
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('button', { name: 'Delete everything' }).click();
  await page.getByRole('button', { name: 'Really delete?' }).click();
  await page.getByText('Everything is deleted.').waitFor();
  await other.getByText('No moves yet.').waitFor();
  await page.getByRole('link', { name: 'Puzzles' }).click();
  await page.getByText('0 of 0 solved').waitFor();
  await page.getByLabel('Difficulty').selectOption('1');
  await page.reload();
  await page.getByText('0 of 0 solved').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('an export is read by another device and adds to what is there', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/puzzles`);
  await page.getByText('Find the win for White.').first().waitFor();
  await type(page, 'Nxf7');
  await page.getByText('1 of 1 solved').waitFor();
  await page.goto(`${site.server.url}#/analyse`);
  await load(page, study);
  await kept(page, 'Bob');
  await page.getByRole('link', { name: 'About' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const buffer = readFileSync(await download.path());
  await context.close();

  const second = await open(site.browser, `${site.server.url}#/puzzles`);
  await second.page.getByText('Find the win for White.').first().waitFor();
  await type(second.page, 'Nxf7');
  await second.page.getByText('1 of 1 solved').waitFor();
  await second.page.getByRole('link', { name: 'About' }).click();
  const give = async (file) => {
    const [chooser] = await Promise.all([
      second.page.waitForEvent('filechooser'),
      second.page.getByRole('button', { name: 'Import' }).click(),
    ]);
    await chooser.setFiles(file);
  };
  await give({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{"a":1}') });
  await second.page.getByText('This file is no export').waitFor();
  await second.page.evaluate(() => {
    navigator.storage.persist = async () => (globalThis.persisted = true);
  });
  await give({ name: 'brisance.json', mimeType: 'application/json', buffer });
  await second.page.getByText('The data are imported.').waitFor();
  assert.equal(await second.page.evaluate(() => globalThis.persisted), true);
  await second.page.goto(`${site.server.url}#/puzzles`);
  await second.page.getByText('2 of 2 solved').waitFor();
  await second.page.goto(`${site.server.url}#/analyse`);
  await tab(second.page, 'FEN & PGN');
  await second.page.getByRole('button', { name: 'Saved analyses' }).click();
  await second.page.getByRole('button', { name: /^Ann – Bob/ }).first().click();
  await tab(second.page, 'Moves');
  await moveCount(second.page, 6);
  assert.deepEqual([...errors, ...second.errors], []);
  await second.context.close();
});

test('a game that is analysed keeps its players, result, clocks and side', timeout, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Clock').selectOption('5+3');
  await page.getByRole('radio', { name: 'Black' }).check({ force: true });
  await page.getByRole('button', { name: 'Start game' }).click();
  await moveCount(page, 1);
  await type(page, 'd5');
  await moveCount(page, 3);
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.getByText('Analyse this game').click();
  await page.locator('.cg-wrap.orientation-black').waitFor();
  const text = await pgnOf(page, '1. ');
  assert.match(text, /\[White "Brisance, /);
  assert.match(text, /\[Black "You"\]/);
  assert.match(text, /\[Result "1-0"\]/);
  assert.match(text, /\[TimeControl "300\+3"\]/);
  assert.match(text, /\[Termination "Black resigned: White wins"\]/);
  assert.equal(text.match(/\[%clk 0:0[45]:\d\d/g).length, 3);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the clock stops while another view is open, and a reload gives no time back', timeout, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.clock.install();
  const clock = page.locator('.player.turn .clock');
  await page.getByLabel('Clock').selectOption('1+0');
  await type(page, 'Nf3');
  await moveCount(page, 2);
  await page.clock.fastForward(20_000);
  await page.getByRole('link', { name: 'Analyse' }).click();
  await page.getByText('Your game is paused').waitFor();
  await page.clock.fastForward(120_000);
  await page.getByRole('link', { name: 'Play' }).click();
  assert.match(await clock.textContent(), /^0:(3\d|40)/);
  await page.clock.fastForward(10_000);
  await page.locator('.clock', { hasText: /^0:[12]\d/ }).waitFor();
  await page.reload();
  await page.getByText('Your unfinished game is back.').waitFor();
  assert.match(await clock.textContent(), /^0:[12]\d/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a game with a clock that is not seen after loading does not run', timeout, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Clock').selectOption('1+0');
  await type(page, 'Nf3');
  await moveCount(page, 2);
  await kept(page, '"moves":["g1f3","');
  await page.goto(`${site.server.url}#/analyse`);
  await page.clock.install();
  await page.reload();
  await page.getByText('Your unfinished game is back.').waitFor();
  await page.clock.fastForward(90_000);
  await page.getByRole('link', { name: 'Play' }).click();
  await moveCount(page, 2);
  assert.match(await page.locator('.player.turn .clock').textContent(), /^(0:5|1:00)/);
  assert.equal(await page.locator('.result').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});
