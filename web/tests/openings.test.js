// The openings: the moves of the book, the moves that lose by force, and what refutes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const site = startSite();
const timeout = { timeout: 120_000 };
const phone = { isMobile: true, hasTouch: true };

const analyse = (params, options) => open(site.browser, `${site.server.url}#/analyse?${params}`, options);
const openTab = (page, name = 'Openings') => page.getByRole('tab', { name }).click();
const played = (page, moves) =>
  page.waitForFunction((wanted) => new URLSearchParams(location.hash.split('?')[1]).get('moves') === wanted, moves.join(' '));
const row = (page, move) => page.locator('.losing .line').filter({ has: page.getByRole('button', { name: move, exact: true }) });

test('after 1. Nf3 seventeen replies lose by force, each with its line', timeout, async () => {
  const { page, errors, context } = await analyse('moves=g1f3');
  // The short panel leads to the whole list.
  await page.locator('.knowledge').getByRole('button', { name: '17 of 20 moves lose by force' }).click();
  await page.getByRole('heading', { name: '17 of 20 moves lose by force' }).waitFor();
  assert.equal(await page.locator('.losing .line').count(), 17);
  assert.match(await row(page, '1… f5').textContent(), /^loses in 3.*1… f5\s*2\. Ne5.*#/);
  // A reply is played, and the page says why it loses.
  await page.getByRole('button', { name: '1… a6', exact: true }).click();
  await played(page, ['g1f3', 'a7a6']);
  const proof = page.locator('.proof');
  await proof.filter({ hasText: /^1… a6 loses by force in 2 moves: 2\. N\S+.*#/ }).waitFor();
  // Its line is playable to the end.
  await proof.getByRole('button').last().click();
  await page.getByText('Black’s king exploded: White wins').first().waitFor();
  await openTab(page, 'Moves');
  assert.equal(await page.locator('.main-line > .move').count(), 5);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a move of the line of a losing reply plays the line up to it', timeout, async () => {
  const { page, errors, context } = await analyse('moves=g1f3');
  await openTab(page);
  await row(page, '1… f5').getByRole('button', { name: '2. Ne5' }).click();
  await played(page, ['g1f3', 'f7f5', 'f3e5']);
  // The same with the keyboard, where Tab goes from reply to reply.
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  const first = page.getByRole('button', { name: '1… a6', exact: true });
  await first.focus();
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^1… /);
  await first.focus();
  await page.keyboard.press('Enter');
  await played(page, ['g1f3', 'a7a6']);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the moves of the book have shares and scores, and are played by a click', timeout, async () => {
  const { page, errors, context } = await analyse('');
  await openTab(page);
  await page.getByRole('heading', { name: 'Book' }).waitFor();
  const moves = page.locator('.openings .chip');
  assert.match(await moves.first().textContent(), /^Nf3 \d+ %$/);
  const others = (await moves.allTextContents()).slice(1);
  assert.ok(others.length > 0);
  // The later, the worse.
  const behind = others.map((move) => Number(/ −(\d\.\d\d)$/.exec(move)[1]));
  assert.deepEqual(behind, [...behind].sort((a, b) => a - b));
  await moves.first().click();
  await played(page, ['g1f3']);
  await page.locator('.losing .line').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a position that no book knows is said to be so', timeout, async () => {
  const unknown = `fen=${encodeURIComponent('4k3/p7/8/8/8/8/P7/R3K3 w - - 0 1')}`;
  const { page, errors, context } = await analyse(unknown);
  await openTab(page);
  await page.getByText('The books do not know this position.').waitFor();
  assert.equal(await page.locator('.losing, .openings .chip').count(), 0);
  // With other rules these proofs are none.
  await page.goto(`${site.server.url}#/analyse?variant=nocheckatomic&moves=g1f3`);
  await played(page, ['g1f3']);
  await page.locator(':is(.openings .none, .openings .chip)').first().waitFor();
  assert.equal(await page.locator('.losing').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the review names the line of a move that loses by force', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await analyse('moves=g1f3+f7f5+e2e3');
  await openTab(page, 'Review');
  await page.getByText('Quick', { exact: true }).click({ force: true });
  await page.getByRole('button', { name: 'Review the whole game' }).click();
  await page.locator('.marked li', { hasText: /1… f5.*loses by force in 3 moves: Ne5 \S.*#$/ }).waitFor({ timeout: 200_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }, { width: 360, height: 740 }]) {
  test(`on a phone of ${viewport.width} px the engine lines stay in sight beside the openings`, timeout, async () => {
    const { page, errors, context } = await analyse('moves=g1f3', { ...phone, viewport });
    await page.locator('.line').nth(2).waitFor();
    const line = page.locator('.lines .line').first();
    const before = await line.boundingBox();
    await page.getByRole('tab', { name: 'Openings' }).tap();
    await page.locator('.losing .line').first().waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    assert.deepEqual(await line.boundingBox(), before);
    assert.ok(before.y > 0 && before.y + before.height <= viewport.height, JSON.stringify(before));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
    for (const button of await page.locator('.losing .line').first().getByRole('button').all()) {
      assert.ok((await button.boundingBox()).height >= 44);
    }
    await page.getByRole('button', { name: '1… a6', exact: true }).tap();
    await page.locator('.proof', { hasText: 'loses by force' }).waitFor();
    assert.deepEqual(errors, []);
    await context.close();
  });
}
