// The board under the mouse: blast preview, explosion, undo, danger map, keys, typed moves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { makeBoardFen } from 'chessops/fen';
import { parseUci } from 'chessops';
import { Atomic } from 'chessops/variant';
import { kept, open, startSite } from './browser.js';

const site = startSite();

const opening = ['g1f3', 'd7d5', 'f3e5', 'b8c6'];

/** The centre of a square in the page, White below. */
async function centre(page, square) {
  const box = await page.locator('cg-board').boundingBox();
  const size = box.width / 8;
  return [
    box.x + (square.charCodeAt(0) - 97 + 0.5) * size,
    box.y + (56 - square.charCodeAt(1) + 0.5) * size,
  ];
}

/** The pieces as the board draws them: "white rook" by square. */
async function drawn(page) {
  return page.evaluate(() => {
    const found = {};
    for (const piece of document.querySelectorAll('cg-board piece:not(.ghost, .fading)')) {
      found[piece.cgKey] = piece.cgPiece;
    }
    return found;
  });
}

/** Waits until the board shows these pieces: moves and explosions take some time. */
async function settle(page, wanted) {
  const limit = Date.now() + 20_000;
  while (!isDeepStrictEqual(await drawn(page), wanted) && Date.now() < limit) await page.waitForTimeout(100);
  assert.deepEqual(await drawn(page), wanted);
}

function expected(moves) {
  const position = Atomic.default();
  for (const uci of moves) position.play(parseUci(uci));
  const found = {};
  for (const [square, { color, role }] of position.board) {
    found['abcdefgh'[square % 8] + (Math.floor(square / 8) + 1)] = `${color} ${role}`;
  }
  return { found, fen: makeBoardFen(position.board) };
}

async function analysis(moves, options) {
  const opened = await open(site.browser, `${site.server.url}#/analyse?moves=${moves.join('+')}`, options);
  await opened.page.waitForFunction(
    (count) => document.querySelectorAll('.main-line > .move').length === count,
    moves.length,
  );
  return opened;
}

test('a held capture shows its blast, then it explodes', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analysis(opening);
  await page.mouse.move(...(await centre(page, 'e5')));
  await page.mouse.down();
  const target = await centre(page, 'f7');
  await page.mouse.move(target[0] - 20, target[1] - 20);
  await page.mouse.move(...target);
  await page.locator('square.blast-king').first().waitFor();
  const marked = await page.evaluate(() =>
    [...document.querySelectorAll('square.blast-other, square.blast-own')].map((node) => node.cgKey).sort(),
  );
  assert.deepEqual(marked, ['e5', 'e8', 'f7', 'f8', 'g8']);
  assert.match(await page.locator('.status').textContent(), /Black’s king explodes/);
  await page.evaluate(() => {
    window.explosions = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes, target: node } of changes) {
        if ([node, ...addedNodes].some((one) => one.classList?.contains('exploding1'))) window.explosions++;
      }
    }).observe(document.querySelector('cg-board'), { childList: true, subtree: true, attributes: true });
  });
  await page.mouse.up();
  await page.getByText('Black’s king exploded: White wins').first().waitFor();
  await page.waitForFunction(() => window.explosions > 0);
  await settle(page, expected([...opening, 'e5f7']).found);
  const spoken = await page.locator('.live').textContent();
  assert.match(spoken, /Knight takes f7; explodes pawn f7, .*king e8.*White wins/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a capture that is typed shows its blast; escape from it by the arrow key', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analysis(opening);
  await page.fill('#move-input', 'Nxc6');
  await page.locator('square.blast-centre').waitFor();
  // The words leave the field in sight, so that one sees what one types.
  const covered = await page.evaluate(() => {
    const box = document.querySelector('#move-input').getBoundingClientRect();
    return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.id;
  });
  assert.equal(covered, 'move-input');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 5);
  await settle(page, expected([...opening, 'e5c6']).found);
  await page.locator('h1').evaluate(() => document.activeElement.blur());
  await page.keyboard.press('ArrowLeft');
  await settle(page, expected(opening).found);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a wrong move is named beside the field', { timeout: 120_000 }, async () => {
  const { page, context } = await analysis(opening);
  await page.fill('#move-input', 'Nxe8');
  await page.press('#move-input', 'Enter');
  const error = page.locator('#move-input-error');
  await error.filter({ hasText: 'Nxe8' }).waitFor();
  await context.close();
});

test('the danger map draws arrows to what can explode a king', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analysis(opening);
  await page.getByLabel('Engine', { exact: true }).uncheck();
  await page.keyboard.press('t');
  await page.locator('square.danger-attacked').first().waitFor();
  const squares = await page.evaluate(() =>
    [...document.querySelectorAll('square.danger-attacked')].map((node) => node.cgKey).sort(),
  );
  // The knight on e5 attacks d7, where nothing stands, and f7, which explodes the king.
  assert.deepEqual(squares, ['f7']);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a capture that the rules forbid is explained', { timeout: 120_000 }, async () => {
  const fen = encodeURIComponent('4k3/8/8/8/8/8/3n4/4K2R w - - 0 1');
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?fen=${fen}`);
  await page.waitForFunction(() => document.querySelectorAll('cg-board piece').length === 4);
  await page.mouse.move(...(await centre(page, 'e1')));
  await page.mouse.down();
  const target = await centre(page, 'd2');
  await page.mouse.move(target[0] - 5, target[1] - 5);
  await page.mouse.move(...target);
  await page.getByText('explodes your own king').waitFor();
  await page.mouse.up();
  assert.deepEqual(errors, []);
  await context.close();
});

test('coordinates can be read on every square', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  for (const board of ['brown', 'blue', 'green', 'grey']) {
    const contrasts = await page.evaluate((name) => {
      document.documentElement.dataset.board = name;
      const probe = document.body.appendChild(document.createElement('i'));
      const rgb = (text) => text.match(/\d+/g).slice(0, 3).map(Number);
      const colour = (variable) => {
        probe.style.color = `var(${variable})`;
        return rgb(getComputedStyle(probe).color);
      };
      const luminance = (rgb) => {
        const [r, g, b] = rgb.map((value) => value / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const squares = ['--square-light', '--square-dark'].map((one) => luminance(colour(one)));
      return [...document.querySelectorAll('coords coord')].flatMap((coord) => {
        const ink = luminance(rgb(getComputedStyle(coord).color));
        return squares.map((square) => (Math.max(square, ink) + 0.05) / (Math.min(square, ink) + 0.05));
      });
    }, board);
    assert.equal(contrasts.length, 32);
    assert.ok(Math.min(...contrasts) >= 4.5, `${board}: ${Math.min(...contrasts)}`);
  }
  // Pieces do not hide them.
  const order = await page.evaluate(() =>
    ['coords', 'cg-board piece'].map((one) => Number(getComputedStyle(document.querySelector(one)).zIndex)),
  );
  assert.ok(order[0] > order[1], order.join());
  assert.deepEqual(errors, []);
  await context.close();
});

test('the position can be read and asked for', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analysis(opening);
  const row = page.getByRole('row', { name: /^Rank 5/ });
  assert.equal(await row.getByRole('cell').nth(4).textContent(), 'White knight');
  assert.equal(await row.getByRole('cell').nth(0).textContent(), 'empty');
  // The next announcement, of a move for example, may replace an answer at once.
  await page.evaluate(() => {
    const heard = (window.heard = []);
    const listen = () => heard.push(...[...document.querySelectorAll('.live')].map((live) => live.textContent));
    new MutationObserver(listen).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  for (const [question, said] of [
    ['?N', 'White knight: b1, e5. Black knight: c6, g8'],
    ['?f7', 'f7: Black pawn'],
    ['?5', 'd5: Black pawn, e5: White knight'],
    ['?e', 'e1: White king, e2: White pawn, e5: White knight, e7: Black pawn, e8: Black king'],
  ]) {
    await page.fill('#move-input', question);
    await page.press('#move-input', 'Enter');
    await page.locator('.answer', { hasText: said }).waitFor();
    await page.waitForFunction((text) => window.heard.some((heard) => heard.includes(text)), said);
  }
  assert.equal(await page.locator('.main-line > .move').count(), opening.length);
  assert.deepEqual(errors, []);
  await context.close();
});

test('takeback returns to the position before', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  const start = await drawn(page);
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2, null, { timeout: 60_000 });
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 0);
  await settle(page, start);
  await page.fill('#move-input', 'Nc3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2, null, { timeout: 60_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('the settings close with the first move, and the person may resign', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Level').waitFor();
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  await page.getByLabel('Level').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Resign' }).click();
  await page.getByRole('button', { name: 'Really resign?' }).click();
  await page.locator('.result').filter({ hasText: 'White resigned: Black wins' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('an unfinished game is back after a reload', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2, null, { timeout: 60_000 });
  const moves = await page.locator('.main-line > .move').allTextContents();
  await kept(page, '"moves":["g1f3","');
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  assert.deepEqual(await page.locator('.main-line > .move').allTextContents(), moves);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the engine answers when the person comes back from the analysis', { timeout: 180_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Level').selectOption('20');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.getByText('thinking').waitFor();
  await page.getByRole('link', { name: 'Analyse' }).click();
  await page.locator('.line').first().waitFor();
  await page.getByRole('link', { name: 'Play' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  assert.deepEqual(errors, []);
  await context.close();
});
