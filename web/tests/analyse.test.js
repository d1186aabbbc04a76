// The analysis beyond the engine lines: proofs, files that are refused, pictures, links, and the rules
// without check.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drop, kept, open, startSite } from './browser.js';

const site = startSite();

const analyse = (params, options) => open(site.browser, `${site.server.url}#/analyse?${params}`, options);
const fen = (text) => `fen=${encodeURIComponent(text)}`;

test('a mate that the search finds is marked when the solver proves it', { timeout: 120_000 }, async () => {
  // 2… Nc6 allows Nxf7.
  const { page, errors, context } = await analyse('moves=g1f3+d7d5+f3e5+b8c6');
  await page.locator('.line .proved').waitFor();
  assert.match(await page.locator('.line').first().textContent(), /^#1proved.*Nxf7/);
  assert.match(await page.locator('.proof').textContent(), /^2… Nc6 loses by force in 1 move: 3\. Nxf7#/);
  await page.locator('.main-line > .move .proved').waitFor();
  // Nothing is proved about the start.
  await page.keyboard.press('ArrowUp');
  await page.locator('.proof').waitFor({ state: 'detached' });
  await page.locator('.line', { hasText: '1.' }).first().waitFor();
  assert.equal(await page.locator('.line .proved').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a game that is restored does not stop the analysis', { timeout: 180_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Level').selectOption('20');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.getByText('thinking').waitFor();
  await kept(page, '"moves":["g1f3"');
  await page.goto(`${site.server.url}#/analyse`);
  // The page starts anew in the analysis, with a game in which the engine is to move.
  await page.reload();
  await page.locator('.line').first().waitFor();
  const status = page.locator('.engine-status');
  for (let step = 0; step < 3; step++) {
    const old = await status.textContent();
    await page.waitForFunction((text) => document.querySelector('.engine-status').textContent !== text, old);
  }
  await page.getByRole('link', { name: 'Play' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a position without a mate is not called proved', { timeout: 240_000 }, async () => {
  // Pressed as soon as it can be: the question is about the position of the address, not about the start.
  const press = () => {
    const timer = setInterval(() => {
      const button = [...document.querySelectorAll('button')].find((found) => found.textContent === 'Prove a win');
      if (!button || button.disabled) return;
      clearInterval(timer);
      button.click();
    });
  };
  const { page, errors, context } = await analyse('moves=g1f3+f7f6', { script: `(${press})()` });
  await page.locator('.proof').filter({ hasText: /No proof found|no forced win/ }).waitFor({ timeout: 200_000 });
  assert.equal(await page.locator('.proved').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a book move that is hardly ever chosen has more than nothing', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse('moves=g1h3');
  await page.locator('.knowledge .chip', { hasText: 'f6 < 1 %' }).waitFor();
  assert.equal(await page.locator('.knowledge .chip', { hasText: / 0 %/ }).count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a file that is no table is refused by name', { timeout: 120_000 }, async () => {
  const { page, context } = await analyse('moves=g1f3');
  await page.locator('.line').first().waitFor();
  await drop(page, 'KQvK.atbw', 'not a table');
  await page.locator('.notice').filter({ hasText: 'KQvK.atbw' }).waitFor();
  assert.doesNotMatch(await page.locator('.notice').textContent(), /in use/);
  assert.equal(await page.locator('.main-line > .move').count(), 1);
  await context.close();
});

test('a table of ordinary chess with an atomic name is refused', { timeout: 120_000 }, async () => {
  const { page, context } = await analyse('moves=g1f3');
  await page.locator('.line').first().waitFor();
  for (const [name, start] of [['KQvK.atbw', [0x71, 0xe8, 0x23, 0x5d]], ['KQvK.atbz', [0xd7, 0x66, 0x0c, 0xa5]]]) {
    await drop(page, name, [...start, ...new Array(76).fill(0)]);
    await page.getByText(`${name} is not a table of atomic chess.`).waitFor();
  }
  await context.close();
});

/** Size of a picture and the colours in the middle of some squares, White below. */
function look(page, bytes, squares) {
  return page.evaluate(
    async ([base64, names]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([content], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const size = bitmap.width / 8;
      const colors = names.map((name) => {
        const [x, y] = [name.charCodeAt(0) - 96.5, 56.5 - name.charCodeAt(1)];
        return [...context.getImageData(x * size, y * size, 1, 1).data].join(' ');
      });
      return { width: bitmap.width, height: bitmap.height, colors };
    },
    [Buffer.from(bytes).toString('base64'), squares],
  );
}

test('the picture and the link of a position', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await analyse('moves=g1f3+d7d5');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save picture' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'position.png');
  const picture = await look(page, readFileSync(await download.path()), ['e4', 'd4', 'e5', 'd5', 'd7', 'f3']);
  assert.deepEqual([picture.width, picture.height], [720, 720]);
  const [light, dark, otherDark, pawn, origin, knight] = picture.colors;
  // A light and a dark square of the brown board, two pieces, and the mark of the last move.
  assert.equal(light, '240 217 181 255');
  assert.equal(dark, '181 136 99 255');
  assert.equal(otherDark, dark);
  assert.equal(new Set([light, pawn, origin]).size, 3);
  assert.notEqual(knight, light);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied.').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(site.server.url), link);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save PGN' }).click(),
  ]);
  assert.match(readFileSync(await saved.path(), 'utf8'), /\[Variant "Atomic"\][^]*1\. Nf3 d5/);
  const other = await open(site.browser, link);
  await other.page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  assert.deepEqual([...errors, ...other.errors], []);
  await other.context.close();
  await context.close();
});

test('with the rules without check a king may stay attacked, and is then exploded', { timeout: 120_000 }, async () => {
  const attacked = '4k3/4r3/8/8/8/8/8/R3K3 w - - 0 1';
  const { page, errors, context } = await analyse(fen(attacked));
  const type = async (move) => {
    await page.fill('#move-input', move);
    await page.press('#move-input', 'Enter');
  };
  await type('Ra5');
  await page.locator('#move-input-error').filter({ hasText: 'Ra5' }).waitFor();
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByLabel('Rules').selectOption('nocheckatomic');
  await page.getByRole('tab', { name: 'Moves' }).click();
  await type('Ra5');
  await page.locator('.main-line > .move', { hasText: 'Ra5' }).waitFor();
  await type('Rxe1');
  await page.getByText('White’s king exploded: Black wins').first().waitFor();
  assert.match(page.url(), /nocheck/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a game with the rules without check', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByLabel('Rules').selectOption('nocheckatomic');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2);
  await page.getByRole('link', { name: 'Analyse' }).click();
  await page.locator('.line').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
