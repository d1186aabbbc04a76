// A game against the engine as a person plays it: typing, promotions, take back, settings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';
import { serve } from './server.js';

const site = startSite();

const position = (fen) => open(site.browser, `${site.server.url}#/analyse?fen=${encodeURIComponent(fen)}`);
const moves = (page) => page.locator('.main-line > .move').allTextContents();
const played = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length >= wanted, count);
const pieces = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('cg-board piece').length === wanted, count);
const type = async (page, move) => {
  await page.fill('#move-input', move);
  await page.press('#move-input', 'Enter');
};

test('the field keeps the focus while the engine moves, and keys are no shortcuts', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Level').waitFor();
  await type(page, 'Nf3');
  // The engine has not answered yet: this would turn the board.
  await page.keyboard.press('f');
  await played(page, 2);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'move-input');
  assert.equal(await page.locator('.orientation-white').count(), 1);
  await page.locator('#move-input:not([readonly])').waitFor();
  assert.equal(await page.inputValue('#move-input'), '');
  await page.keyboard.type('e3');
  await page.keyboard.press('Enter');
  await played(page, 4);
  assert.match((await moves(page))[2], /^e3/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a promotion is asked on its square, the queen first', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await position('7k/4P3/8/8/8/8/8/K7 w - - 0 1');
  await pieces(page, 3);
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

test('with the setting for queens a promotion is not asked', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await position('7k/4P3/8/8/8/8/8/K7 w - - 0 1');
  await pieces(page, 3);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Always promote to a queen' }).check();
  await page.keyboard.press('Escape');
  const board = await page.locator('cg-board').boundingBox();
  const size = board.width / 8;
  for (const row of [1.5, 0.5]) await page.mouse.click(board.x + 4.5 * size, board.y + row * size);
  await played(page, 1);
  assert.match((await moves(page))[0], /^e8=Q/);
  await page.keyboard.press('ArrowLeft');
  await page.locator('.move[aria-current]').waitFor({ state: 'detached' });
  await type(page, 'e8=N');
  await page.locator('.variation .move', { hasText: 'e8=N' }).waitFor();
  assert.equal(await page.locator('.promotion').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a typed move that the rules of atomic chess forbid is explained', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await position('4k3/8/8/8/8/8/3n4/4K2R w - - 0 1');
  await pieces(page, 4);
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
    const { page, errors, context } = await open(site.browser, own.url);
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

test('the settings are the panel until the game starts, and all of them count', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url, { viewport: { width: 1280, height: 800 } });
  await page.getByRole('heading', { name: 'Atomic chess: captures explode' }).waitFor();
  const start = page.getByRole('button', { name: 'Start game' });
  const inSight = async (locator) => {
    const box = await locator.boundingBox();
    return box.y >= 0 && box.y + box.height <= 800;
  };
  assert.ok(await inSight(start));
  await page.getByRole('radio', { name: 'Black' }).check();
  await page.locator('.orientation-black').waitFor();
  await page.getByLabel('Clock').selectOption('5+3');
  // Nothing moves, and White's pieces are not the person's.
  assert.equal(await page.locator('.player .clock').first().textContent(), '5:00');
  assert.equal(await page.locator('.main-line > .move').count(), 0);
  await start.click();
  await page.getByLabel('Level').waitFor({ state: 'detached' });
  await played(page, 1);
  assert.ok(await inSight(page.locator('.main-line > .move').first()));
  assert.equal(await page.evaluate(() => document.scrollingElement.scrollTop), 0);
  // The engine has moved alone: there is nothing of the person's to take back.
  const takeback = page.getByRole('button', { name: 'Take back' });
  await page.locator('#move-input:not([readonly])').waitFor();
  assert.ok(await takeback.isDisabled());
  const [first] = await moves(page);
  await type(page, 'Nf6');
  await played(page, 3);
  await takeback.click();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 1);
  assert.ok((await moves(page))[0].startsWith(first));
  assert.ok(await takeback.isDisabled());
  assert.deepEqual(errors, []);
  await context.close();
});

test('a start right after a choice starts the game that was chosen', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.locator('#move-input:not([readonly])').waitFor();
  await page.locator('.setup [type=submit]:enabled').waitFor();
  await page.evaluate(() => {
    document.querySelector('input[value="black"]').click();
    document.querySelector('.setup [type="submit"]').click();
  });
  await played(page, 1);
  await page.locator('.orientation-black').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('taking back gives the time back as well', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.clock.install();
  await page.getByLabel('Level').selectOption('0');
  await page.getByLabel('Clock').selectOption('1+0');
  const clock = () => page.locator('.player', { hasText: 'You' }).locator('.clock').textContent();
  await type(page, 'Nf3');
  await played(page, 2);
  await page.locator('#move-input:not([readonly])').waitFor();
  const before = await clock();
  await page.clock.fastForward(30_000);
  await type(page, 'e3');
  await played(page, 4);
  assert.match(await clock(), /^0:[0-3]/);
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  const seconds = (text) => Number(text.split(':')[0]) * 60 + Number(text.split(':')[1]);
  assert.ok(seconds(await clock()) > seconds(before) - 10, `${before} ${await clock()}`);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a hint names the piece, then the move, and goes when the game ends', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByRole('button', { name: 'Start game' }).click();
  const hint = page.getByRole('button', { name: 'Hint' });
  await hint.click();
  await page.locator('.status', { hasText: /^Look at the (knight|pawn) on [a-h][12]\.$/ }).waitFor();
  assert.equal(await page.locator('.cg-shapes line').count(), 0);
  await hint.click();
  await page.locator('.status', { hasText: /^Hint: \S+$/ }).waitFor();
  await page.locator('.cg-shapes line').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.locator('.cg-shapes line').waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [what, line, answer] of [
  ['the enemy king can be exploded', 'g1f3+d7d5+f3e5+b8c6', 'A capture explodes Black’s king.'],
  ['the own king is in danger', 'g1f3+d7d5+f3e5', 'Look at f7: a capture there explodes your king.'],
]) {
  test(`the first hint says that ${what}, the next one names a piece`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${line}`);
    await played(page, line.split('+').length);
    await page.getByRole('button', { name: 'Play from here' }).click();
    await page.getByRole('button', { name: 'Start game' }).click();
    const hint = page.getByRole('button', { name: 'Hint' });
    await hint.click();
    await page.locator('.status', { hasText: answer }).waitFor();
    await hint.click();
    await page.locator('.status', { hasText: /^Look at the \w+ on [a-h][1-8]\.$/ }).waitFor();
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('the analysis goes on after a threefold repetition and after fifty moves', { timeout: 120_000 }, async () => {
  const knights = 'g1f3+g8f6+f3g1+f6g8';
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${knights}+${knights}`);
  await page.locator('.status', { hasText: 'Draw: threefold repetition. White to move' }).waitFor();
  await page.locator('.line', { hasText: '5.' }).first().waitFor();
  await type(page, 'e4');
  await page.locator('.main-line > .move', { hasText: 'e4' }).waitFor();
  await page.goto(`${site.server.url}#/analyse?fen=${encodeURIComponent('4k3/7p/8/8/8/8/3R4/4K2R w - - 100 80')}`);
  await page.locator('.status', { hasText: /^Draw: fifty moves/ }).waitFor();
  await type(page, 'Rd3');
  await page.locator('.main-line > .move', { hasText: 'Rd3' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the threat is shown in words and as an arrow, the same each time, and goes again', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+f7f6+e2e3`);
  await page.locator('.line').first().waitFor();
  const button = page.getByRole('button', { name: /^Threat/ });
  const status = page.locator('.status', { hasText: /^Threat: \S+$/ });
  const seen = new Set();
  for (const act of [() => button.click(), () => page.keyboard.press('x')]) {
    await act();
    await status.waitFor();
    seen.add(await status.textContent());
    // The engine's own arrows come back beside it.
    await page.locator('.line').nth(2).waitFor();
    await page.locator('.cg-shapes line').nth(1).waitFor({ state: 'attached' });
    await act();
    await status.waitFor({ state: 'detached' });
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
  }
  assert.equal(seen.size, 1, [...seen].join());
  assert.deepEqual(errors, []);
  await context.close();
});

test('a game goes on from a position of the analysis, with any colour, and after a question', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+f7f6+f3d4`);
  await played(page, 3);
  const here = page.getByRole('button', { name: 'Play from here' });
  await here.click();
  await page.getByRole('button', { name: 'Start game' }).waitFor();
  assert.equal(await page.getByLabel('Start position').inputValue(), 'given');
  // Black is to move, and the person has Black.
  await page.locator('.orientation-black').waitFor();
  await type(page, 'c6');
  await played(page, 2);
  assert.match((await page.locator('.main-line').textContent()), /^2…c6/);
  // A second game would end this one.
  await page.getByRole('link', { name: 'Analyse' }).click();
  await here.click();
  await page.getByRole('button', { name: 'Give up this game?' }).click();
  await page.getByRole('radio', { name: 'White' }).check();
  await page.getByRole('button', { name: 'Start game' }).click();
  // The engine has Black and moves first.
  await played(page, 1);
  assert.match((await page.locator('.main-line').textContent()), /^2…/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a rematch exchanges the colours', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByRole('button', { name: 'Start game' }).click();
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.locator('.orientation-black').waitFor();
  await played(page, 1);
  assert.deepEqual(errors, []);
  await context.close();
});
