// The editor: its FEN line, and pieces that are dragged from the palette by mouse and finger.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const site = startSite();
const timeout = { timeout: 120_000 };

async function edit(params = '', options) {
  const opened = await open(site.browser, `${site.server.url}#/analyse${params}`, options);
  if (params.includes('moves')) await opened.page.locator('.move[aria-current]').waitFor();
  await opened.page.getByRole('tab', { name: 'Editor' }).click();
  await opened.page.locator('.palette').waitFor();
  return opened;
}

const line = (page) => page.getByRole('textbox', { name: 'FEN' });
const shows = (page, fen) => page.waitForFunction((wanted) => document.querySelector('.side input[type=text]').value === wanted, fen);
/** The pieces on the board: "white king e1" and so on. */
const drawn = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('cg-board piece:not(.ghost, .dragging)')].map((piece) => `${piece.cgPiece} ${piece.cgKey}`).sort(),
  );
const draws = (page, pieces) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('cg-board piece:not(.ghost, .dragging)')].map((piece) => `${piece.cgPiece} ${piece.cgKey}`).sort().join() === wanted,
    pieces.sort().join(),
  );

async function middle(page, square) {
  const { x, y, width } = await page.locator('cg-board').boundingBox();
  return [x + (square.charCodeAt(0) - 96.5) * (width / 8), y + (56.5 - square.charCodeAt(1)) * (width / 8)];
}

test('the FEN line shows the edited position and is followed by the board', timeout, async () => {
  const { page, errors, context } = await edit('?moves=e2e4+e7e5');
  // Nothing has been changed: the move numbers are those of the game.
  await shows(page, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2');
  await page.getByRole('radio', { name: 'Black', exact: true }).check({ force: true });
  await shows(page, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1');
  await page.getByRole('radio', { name: 'Remove pieces' }).click();
  await page.mouse.click(...(await middle(page, 'h1')));
  await shows(page, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBN1 b Qkq - 0 1');
  const kings = ['black king e8', 'white king e1', 'white rook a1'];
  for (const text of [
    '4k3/8/8/8/8/8/8/R3K3 w Q - 3 9',
    '4k3/8/8/8/8/8/8/R3K3_w_Q_-_3_9',
    'https://lichess.org/analysis/atomic/4k3/8/8/8/8/8/8/R3K3_w_Q_-_3_9?color=white',
    '[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9"]',
  ]) {
    await page.getByRole('button', { name: 'Empty board' }).click();
    await draws(page, []);
    await line(page).fill(text);
    await draws(page, [...kings]);
    // What was typed stays until the field is left.
    assert.equal(await line(page).inputValue(), text);
    await line(page).press('Enter');
    await shows(page, '4k3/8/8/8/8/8/8/R3K3 w Q - 3 9');
  }
  assert.equal(await page.getByLabel('White O-O-O').isChecked(), true);
  await page.getByRole('button', { name: 'Analyse this position' }).click();
  await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('fen') === '4k3/8/8/8/8/8/8/R3K3 w Q - 3 9');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the FEN line names what is wrong and changes nothing, or shows what can be shown', timeout, async () => {
  const { page, errors, context } = await edit();
  const before = await drawn(page);
  const error = page.locator('#editor-error');
  await line(page).fill('rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
  await error.filter({ hasText: /\w/ }).waitFor();
  assert.equal(await line(page).getAttribute('aria-invalid'), 'true');
  assert.equal(await page.getByRole('button', { name: 'Analyse this position' }).isDisabled(), true);
  assert.deepEqual(await drawn(page), before);
  // It is still there to be corrected.
  await line(page).press('Enter');
  assert.match(await line(page).inputValue(), /ppppppppp/);
  // The kings are missing, which the hand can put right.
  await line(page).fill('8/8/8/8/8/8/8/R7 w - - 0 1');
  await draws(page, ['white rook a1']);
  await error.filter({ hasText: /king/i }).waitFor();
  for (const [king, square] of [['White king', 'e1'], ['Black king', 'e8']]) {
    await page.getByRole('radio', { name: king }).click();
    await page.mouse.click(...(await middle(page, square)));
  }
  await shows(page, '4k3/8/8/8/8/8/8/R3K3 w - - 0 1');
  await page.waitForFunction(() => document.querySelector('#editor-error').textContent === '');
  await line(page).fill('4k3/8/8/8/8/8/8/R3K3');
  await page.getByText('Only the pieces were given: White is to move.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Analyse this position' }).isEnabled(), true);
  assert.deepEqual(errors, []);
  await context.close();
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
for (const [name, options] of [['a mouse', {}], ['a finger', phone]]) {
  test(`${name} drags pieces from the palette onto the board`, timeout, async () => {
    const { page, errors, context } = await edit('', options);
    const touches = options.hasTouch ? await context.newCDPSession(page) : null;
    const at = async (where) => {
      if (where.length === 2) return middle(page, where);
      const { x, y, width, height } = await page.getByRole('radio', { name: where }).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    const drag = async (from, to) => {
      const [start, end] = [await at(from), await at(to)];
      const between = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
      const touch = (type, ...points) =>
        touches.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
      await (touches ? touch('touchStart', start) : page.mouse.move(...start).then(() => page.mouse.down()));
      for (const point of [between, end]) await (touches ? touch('touchMove', point) : page.mouse.move(...point));
      await page.locator('cg-board piece.dragging').waitFor();
      await (touches ? touch('touchEnd') : page.mouse.up());
    };
    await page.getByRole('button', { name: 'Empty board' }).click();
    await draws(page, []);
    // Board and palette are in sight together.
    await page.evaluate(() => window.scrollTo(0, 0));
    await drag('White king', 'e1');
    await drag('Black king', 'e8');
    // On a piece it takes its place.
    await drag('White rook', 'a1');
    await drag('Black queen', 'a1');
    await draws(page, ['black king e8', 'black queen a1', 'white king e1']);
    await shows(page, '4k3/8/8/8/8/8/8/q3K3 w - - 0 1');
    // Let go beside the board, it is gone.
    await drag('White pawn', 'White knight');
    await page.locator('cg-board piece.dragging').waitFor({ state: 'detached' });
    await shows(page, '4k3/8/8/8/8/8/8/q3K3 w - - 0 1');
    // The hand is taken: pieces move on the board as well.
    assert.equal(await page.getByRole('radio', { name: 'Move pieces', exact: true }).getAttribute('aria-checked'), 'true');
    await drag('a1', 'd4');
    await shows(page, '4k3/8/8/8/3q4/8/8/4K3 w - - 0 1');
    // A press without a drag chooses the piece as ever.
    const pawn = page.getByRole('radio', { name: 'Black pawn' });
    const chosen = page.locator('[aria-label="Black pawn"][aria-checked=true]');
    while (!(await chosen.count())) {
      await (touches ? pawn.tap() : pawn.click());
      // A busy page may take a tap for a long press.
      await chosen.waitFor({ timeout: 5_000 }).catch(() => undefined);
    }
    const [x, y] = await middle(page, 'h7');
    await (touches ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    await shows(page, '4k3/7p/8/8/3q4/8/8/4K3 w - - 0 1');
    assert.deepEqual(errors, []);
    await context.close();
  });
}
