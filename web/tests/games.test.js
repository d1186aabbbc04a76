// Ten whole games against levels, or two with BOARD_QUICK. The moves are replayed by chessops: each must be legal there, and
// the page must name the same winner. The opponent of the engine plays at random from a fixed seed,
// but takes the king when it can.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSan, parseSan } from 'chessops/san';
import { Atomic } from 'chessops/variant';
import { open, startSite } from './browser.js';

const site = startSite();

const games = process.env.BOARD_QUICK ? 2 : 10;
for (let level = 0; level < games; level++) {
  test(`a game against level ${level}`, { timeout: 600_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url);
    const black = level % 2 === 1;
    await page.getByLabel('Level').selectOption(String(level));
    if (black) await page.getByRole('radio', { name: 'Black' }).check();
    await page.getByRole('button', { name: 'Start game' }).click();
    const position = await playGame(page, black ? 'black' : 'white', random(level + 1));
    const result = await page.locator('.result').textContent();
    const outcome = position.outcome();
    if (outcome?.winner) assert.match(result, new RegExp(`${outcome.winner} wins`, 'i'));
    else assert.match(result, /draw/i);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

/** Plays until the page shows a result; returns the final position of the judge. */
async function playGame(page, side, next) {
  const position = Atomic.default();
  let seen = 0;
  for (;;) {
    await page.waitForFunction(
      ([count, mine]) => {
        const moves = document.querySelectorAll('.main-line > .move').length;
        return document.querySelector('.result') || (moves >= count && (moves % 2 === 0) === mine);
      },
      [seen, side === 'white'],
    );
    const sans = await page.locator('.main-line > .move').allTextContents();
    for (const san of sans.slice(seen)) {
      const move = parseSan(position, san);
      assert.ok(move, `${san} is not legal in ${sans.join(' ')}`);
      position.play(move);
    }
    seen = sans.length;
    if (await page.locator('.result').count()) return position;
    const san = choose(position, next);
    await page.fill('#move-input', san);
    await page.press('#move-input', 'Enter');
    seen++;
    position.play(parseSan(position, san));
  }
}

function choose(position, next) {
  const moves = [];
  for (const [from, squares] of position.allDests()) {
    for (const to of squares) {
      const promotes = position.board.get(from).role === 'pawn' && (to >= 56 || to < 8);
      moves.push({ from, to, ...(promotes ? { promotion: 'queen' } : {}) });
    }
  }
  const wins = moves.find((move) => {
    const after = position.clone();
    after.play(move);
    return after.outcome()?.winner === position.turn;
  });
  return makeSan(position, wins ?? moves[Math.floor(next() * moves.length)]);
}

/** Numbers from 0 to 1, the same in each run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
