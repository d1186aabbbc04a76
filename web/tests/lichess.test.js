// What people bring from Lichess and from files: results, clocks, evaluations, arrows, lists of
// games, positions in every form, and text that is none of these.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drop, kept, open, startSite } from './browser.js';

const site = startSite();

const analyse = (params = '') => open(site.browser, `${site.server.url}#/analyse${params}`);

async function load(page, pgn) {
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByRole('textbox', { name: 'PGN' }).fill(pgn);
  await page.getByRole('button', { name: 'Load', exact: true }).click();
}

/** The PGN that the page writes, once it contains the text. */
async function written(page, text) {
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value.includes(wanted), text);
  return page.getByRole('textbox', { name: 'PGN' }).inputValue();
}

test('a game from another position replaces a game without a false error', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse('?moves=e2e4+e7e5+d2d4');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 3);
  await load(page, '[Variant "Atomic"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *');
  await page.getByText('Game loaded.').waitFor();
  // A second request for the same position is answered after all that the load has asked.
  await written(page, '1. e4');
  assert.match(await page.locator('.notice').textContent(), /^Game loaded\./);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [name, pgn, result] of [
  ['of a mate', '[Variant "Atomic"]\n[Result "1-0"]\n\n1. Nf3 f6 2. Ne5 e6 3. Nxd7 1-0', '1-0'],
  ['of a game that was resigned', '[Variant "Atomic"]\n[Result "0-1"]\n\n1. Nf3 f6 0-1', '0-1'],
  ['after the moves, without a tag', '[Variant "Atomic"]\n\n1. Nf3 f6 1/2-1/2', '1/2-1/2'],
  ['of an explosion, without a result', '[Variant "Atomic"]\n\n1. Nf3 d5 2. Ne5 Nc6 3. Nxf7 *', '1-0'],
]) {
  test(`the written PGN has the result ${name}`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await analyse();
    await load(page, pgn);
    await page.getByText('Game loaded.').waitFor();
    const text = await written(page, '1. Nf3');
    assert.ok(text.includes(`[Result "${result}"]`), text);
    assert.ok(text.trim().endsWith(` ${result}`), text);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

const rich = `[Event "Rated atomic game"]
[White "ann"]
[Black "bob"]
[Result "1-0"]
[Variant "Atomic"]

1. Nf3 { [%eval 0.42] [%clk 0:03:00] } 1... f6 { [%eval 0.3,18] [%clk 0:02:58] } 2. Nd4 { [%eval -1.5] [%clk 0:02:51] A plan. [%csl Gd4,Re5][%cal Yd4f5,Bd1h5] } 2... c6?? { [%eval #4] [%clk 1:02:03] } 1-0
`;

test('clocks, evaluations, circles and arrows of Lichess are shown and written', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse();
  await load(page, rich);
  await page.getByText('Game loaded.').waitFor();
  await page.getByRole('tab', { name: 'Moves' }).click();
  const moves = page.locator('.main-line > .move');
  assert.equal(await moves.count(), 4);
  assert.deepEqual(await page.locator('.move-clock').allTextContents(), ['3:00', '2:58', '2:51', '1:02:03']);
  assert.doesNotMatch(await page.locator('.moves').textContent(), /%/);
  assert.deepEqual(await page.locator('.moves .comment').allTextContents(), ['A plan.']);
  // Two moves share a row: only the comment interrupts it.
  assert.equal(await page.locator('.main-line .number').count(), 3);
  assert.match(await moves.nth(2).textContent(), /−1\.50/);
  assert.match(await moves.nth(3).textContent(), /#4/);
  assert.equal(await page.locator('.graph canvas').count(), 1);
  await moves.nth(2).click();
  await page.locator('.move[aria-current]', { hasText: 'Nd4' }).waitFor();
  const drawn = page.locator('.cg-shapes g[cgHash], .cg-shapes [cghash]');
  await page.waitForFunction(() => document.querySelectorAll('.cg-shapes [stroke="#e68f00"], .cg-shapes [stroke="#003088"]').length >= 2);
  assert.ok((await drawn.count()) >= 4);
  await moves.nth(1).click();
  await page.waitForFunction(() => document.querySelectorAll('.cg-shapes [stroke="#e68f00"]').length === 0);
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  const text = await written(page, '1. Nf3');
  for (const part of ['[%csl Gd4,Re5]', '[%cal Yd4f5,Bd1h5]', '[%clk 0:02:58]', '[%clk 1:02:03]', 'A plan.', 'c6??']) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.equal(text.match(/\[%eval /g).length, 4);
  assert.deepEqual(errors, []);
  await context.close();
});

test('an arrow that is drawn is written, erased by a click, and brought back', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse('?moves=e2e3');
  await page.locator('.line').first().waitFor();
  const box = await page.locator('cg-board').boundingBox();
  const at = (file, rank) => [box.x + (file + 0.5) * (box.width / 8), box.y + (7.5 - rank) * (box.width / 8)];
  await page.mouse.move(...at(3, 0));
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(...at(7, 4), { steps: 4 });
  await page.mouse.up({ button: 'right' });
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  assert.match(await written(page, '%cal'), /1\. e3 \{ \[%cal Gd1h5\] \}/);
  await page.mouse.click(...at(4, 4));
  await page.getByText('Drawing erased.').waitFor();
  await page.keyboard.press('Control+z');
  await written(page, '%cal');
  assert.deepEqual(errors, []);
  await context.close();
});

/** Pastes outside of fields. */
const paste = (page, text) =>
  page.evaluate((given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', given);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, text);

test('a move list without tags is read as atomic, with a note', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse();
  await load(page, '1. e4 e5 2. d4 d5');
  await page.getByText('Game loaded. No tag says which chess it is: read as atomic.').waitFor();
  await page.getByRole('tab', { name: 'Moves' }).click();
  assert.equal(await page.locator('.main-line > .move').count(), 4);
  assert.deepEqual(errors, []);
  await context.close();
});

test('another variant is refused by name', { timeout: 120_000 }, async () => {
  const { page, context } = await analyse();
  await load(page, '[Variant "Crazyhouse"]\n\n1. e4 *');
  await page.locator('#pgn-error').filter({ hasText: 'Crazyhouse' }).waitFor();
  await context.close();
});

const game = (n, moves) => `[Event "Game ${n}"]\n[White "white${n}"]\n[Black "black${n}"]\n[Variant "Atomic"]\n[Result "*"]\n\n${moves} *\n\n`;

for (const [way, give] of [
  ['dropped', (page, text) => drop(page, 'games.pgn', text)],
  ['pasted', paste],
  ['loaded', load],
]) {
  test(`several games are a list when they are ${way}`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await analyse();
    await give(page, game(1, '1. e4 {a [comment]} e5') + game(2, '1. d4') + game(3, '1. Nf3 f6 2. e3'));
    await page.getByText('3 games loaded.').waitFor();
    await page.getByRole('tab', { name: 'Moves' }).click();
    await page.locator('.main-line > .move', { hasText: 'e4' }).waitFor();
    await page.getByRole('button', { name: 'Next game' }).click();
    await page.locator('.main-line > .move', { hasText: 'd4' }).waitFor();
    await page.getByRole('button', { name: 'Previous game' }).click();
    await page.locator('.main-line > .move', { hasText: 'e4' }).waitFor();
    await page.getByText('1 of 3: white1 – black1').click();
    await page.getByLabel('Search').fill('black3');
    await page.getByRole('dialog').getByRole('button', { name: /white3/ }).click();
    await page.locator('.main-line > .move', { hasText: 'Nf3' }).waitFor();
    await kept(page, '"index":2');
    await page.reload();
    await page.getByText('3 of 3: white3 – black3').waitFor();
    await page.locator('.main-line > .move', { hasText: 'Nf3' }).waitFor();
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('5,000 games are a list at once, and a wrong one names its place in the file', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse();
  const texts = Array.from({ length: 5000 }, (_, index) => game(index + 1, '1. Nf3 f6 2. Nd4 c6 3. e3 e5 4. Qh5+ g6'));
  texts[4998] = game(4999, '1. Nf3 Qh5');
  await drop(page, 'many.pgn', texts.join(''));
  await page.getByText('5000 games loaded.').waitFor();
  await page.getByText('1 of 5000:').click();
  await page.getByLabel('Search').fill('white4999');
  await page.getByText('1 games').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: /white4999/ }).click();
  // Eight lines a game, and the moves stand in the seventh.
  await page.locator('.notice').filter({ hasText: `game 4999 (white4999 - black4999), line ${4998 * 8 + 7}` }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('everything pasted or dropped is answered', { timeout: 180_000 }, async () => {
  const { page, context } = await analyse();
  const notice = (text) => page.locator('.notice').filter({ hasText: text }).waitFor();
  const neither = 'This is neither a game (PGN) nor a position (FEN).';
  await paste(page, 'hello world');
  await notice(neither);
  await paste(page, 'https://lichess.org/abcdefgh');
  await notice('A link cannot be followed');
  await drop(page, 'picture.png', Buffer.from([137, 80, 78, 71, 0, 0, 1]));
  await notice('picture.png is neither');
  await paste(page, '  ');
  await notice('There is no text here');
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  const field = page.getByRole('textbox', { name: 'PGN' });
  for (const [text, answer] of [
    ['hello world', neither],
    ['<html><body>x</body></html>', neither],
    ['lichess.org/abcdefgh', 'A link cannot be followed'],
    ['', 'There is no text here'],
  ]) {
    await field.fill(text);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.locator('#pgn-error').filter({ hasText: answer }).waitFor();
  }
  await field.fill('4k3/8/8/8/8/8/4P3/4K3 b - - 0 1');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await notice('Position set.');
  await page.waitForFunction(() => location.hash.includes('4P3'));
  await context.close();
});

const start = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR';
for (const text of [
  `${start}_w_KQkq_-_0_2`,
  `https://lichess.org/analysis/atomic/${start}_w_KQkq_-_0_2?color=white`,
  `https://lichess.org/analysis/atomic/${start}%20w%20KQkq%20-%200%202#3`,
  `lichess.org/editor?fen=${encodeURIComponent(`${start} w KQkq - 0 2`)}&variant=atomic`,
  `[FEN "${start} w KQkq - 0 2"]`,
  start,
]) {
  test(`the FEN field reads ${text}`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await analyse();
    await page.getByRole('tab', { name: 'FEN & PGN' }).click();
    const field = page.getByRole('textbox', { name: 'FEN' });
    await field.fill(text);
    await page.getByRole('button', { name: 'Set position' }).click();
    await page.getByText('Position set.').waitFor();
    assert.match(await field.inputValue(), new RegExp(`^${start} w KQkq - 0 [12]$`));
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('links hold a FEN with underscores and moves in SAN', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse(`?fen=${start}_w_KQkq_-_0_2&moves=Nf3,d5`);
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a long error stays within the panel', { timeout: 120_000 }, async () => {
  const { page, context } = await analyse();
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByRole('textbox', { name: 'FEN' }).fill(`rnbqkbnr/${'p'.repeat(200)}/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`);
  await page.getByRole('button', { name: 'Set position' }).click();
  await page.locator('#fen-error').filter({ hasText: /\w/ }).waitFor();
  const [inner, outer] = await page.evaluate(() => [
    document.querySelector('#fen-error').scrollWidth,
    document.querySelector('#fen-error').clientWidth,
  ]);
  assert.ok(inner <= outer, `${inner} > ${outer}`);
  await context.close();
});

test('the same file can be opened twice', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse();
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  for (let time = 0; time < 2; time++) {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Open file' }).click(),
    ]);
    await chooser.setFiles({ name: 'a.pgn', mimeType: 'text/plain', buffer: Buffer.from(game(1, '1. e4 e5')) });
    await written(page, '1. e4');
    await page.getByRole('button', { name: 'New analysis' }).click();
    await page.waitForFunction(() => !document.querySelector('textarea').value.includes('1. e4'));
  }
  assert.deepEqual(errors, []);
  await context.close();
});
