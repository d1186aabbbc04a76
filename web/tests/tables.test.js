// Books and tables on this device: downloaded from the site or dropped, used by core and engine, listed
// and deleted; and the memory of the engine.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tableFiles } from '../tables.js';
import { drop, dropAll, open, startSite } from './browser.js';
import { serve } from './server.js';

const timeout = { timeout: 120_000 };
const folder = process.env.BRISANCE_SYZYGY;
const withTables = existsSync(`${folder}/KQvK.atbw`)
  ? timeout
  : { skip: 'BRISANCE_SYZYGY names no folder of tables' };

/** What a server offers in its folder `tables`. */
const offer = (files) => Object.fromEntries(Object.entries(files).map(([name, content]) => [`/tables/${name}`, content]));
const site = startSite({ files: withTables.skip ? {} : offer(tableFiles(folder)) });

const queenEnding = '#/analyse?fen=8/8/8/8/3k4/8/8/K6Q_w_-_-_0_1';
const fromTables = (page) => page.locator('.engine-status', { hasText: 'from tables' });

/** What our book says of one move, in all positions. */
function bookOf(uci) {
  const whole = readFileSync(new URL('../../book/brisance.bin', import.meta.url));
  const entries = [];
  for (let at = 0; at < whole.length; at += 16) entries.push(whole.subarray(at, at + 16));
  // Polyglot numbers squares from a1, and writes the target in the lower bits.
  const square = (text) => text.charCodeAt(0) - 97 + 8 * (Number(text[1]) - 1);
  const move = square(uci.slice(2)) + 64 * square(uci.slice(0, 2));
  return Buffer.concat(entries.filter((entry) => entry.readUInt16BE(8) === move));
}

async function about(page) {
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('heading', { name: 'Tables and books' }).waitFor();
}

async function deleteAll(page) {
  await about(page);
  await page.locator('.files summary').click();
  await page.getByRole('button', { name: 'Delete all', exact: true }).click();
  await page.getByRole('button', { name: 'Really delete all?' }).click();
  await page.locator('.files').waitFor({ state: 'detached' });
}

test('tables are downloaded on request, kept, used by the search, and deleted', withTables, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}${queenEnding}`);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.locator('.line').first().waitFor();
  assert.equal(await fromTables(page).count(), 0);
  await about(page);
  assert.equal(await page.locator('.files').count(), 0);
  assert.deepEqual(asked.filter((path) => path.includes('tables')), []);
  await page.getByRole('button', { name: 'Download endgame tables' }).click();
  await page.getByText('70 more tables are in use.').waitFor();
  await page.locator('.files summary', { hasText: '70 files, 4.' }).waitFor();
  await page.getByRole('button', { name: 'Download endgame tables' }).click();
  await page.getByText('All tables of this site are on this device already.').waitFor();

  await page.goBack();
  await fromTables(page).waitFor();
  await page.reload();
  await fromTables(page).waitFor();
  await page.locator('.knowledge .chip', { hasText: /^[KQ]\S+ wins$/ }).first().waitFor();

  await deleteAll(page);
  await page.goBack();
  await page.locator('.line').first().waitFor();
  assert.equal(await fromTables(page).count(), 0);
  assert.equal(await page.getByText('Tablebase').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a table that is dropped reaches the search at once and is kept', withTables, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}${queenEnding}`);
  await page.locator('.line').first().waitFor();
  for (const name of ['KQvK.atbw', 'KQvK.atbz']) {
    await drop(page, name, readFileSync(`${folder}/${name}`));
    await page.getByText(`${name} is in use and kept`).waitFor();
  }
  await fromTables(page).waitFor();
  await page.locator('.knowledge .chip', { hasText: /^[KQ]\S+ wins$/ }).first().waitFor();
  await page.reload();
  await fromTables(page).waitFor();
  await about(page);
  await page.locator('.files summary').click();
  await page.getByRole('button', { name: 'Delete KQvK.atbz' }).click();
  await page.getByRole('button', { name: 'Really delete?' }).first().click();
  await page.locator('.files summary', { hasText: 'One file' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('of several files that are dropped the good ones are kept, and the other is named', withTables, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  const tables = ['KQvK.atbw', 'KQvK.atbz'].map((name) => [name, readFileSync(`${folder}/${name}`)]);
  await dropAll(page, { 'KRvK.atbw': 'not a table', ...Object.fromEntries(tables) });
  await page.getByText('KRvK.atbw is not a table of atomic chess.').waitFor();
  await about(page);
  await page.locator('.files summary', { hasText: '2 files' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a damaged table is named, removed and not taken again', withTables, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}${queenEnding}`);
  await page.locator('.line').first().waitFor();
  const good = readFileSync(`${folder}/KQvK.atbw`);
  const damaged = Buffer.from(good).fill(255, 20, 200);
  const tables = { 'KQvK.atbw': damaged, 'KQvK.atbz': readFileSync(`${folder}/KQvK.atbz`) };
  const refusal = page.getByText('KQvK.atbw is damaged and not in use.');
  await dropAll(page, tables);
  await refusal.waitFor();
  await page.reload();
  await page.locator('.line').first().waitFor();
  await about(page);
  await page.locator('.files summary', { hasText: 'One file' }).waitFor();
  await drop(page, 'KQvK.atbw', damaged);
  await refusal.waitFor();
  assert.match(await page.locator('.files summary').textContent(), /^One file/);
  await drop(page, 'KQvK.atbw', good);
  await page.getByText('KQvK.atbw is in use and kept').waitFor();
  await page.goBack();
  await fromTables(page).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a dropped book is kept, and without it the built-in one is back', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  const moves = page.locator('.knowledge p', { hasText: 'Book' }).locator('.chip');
  await moves.nth(1).waitFor();
  const before = await moves.count();
  await drop(page, 'own.bin', bookOf('g1f3'));
  await page.getByText('own.bin is in use and kept').waitFor();
  await page.reload();
  await moves.filter({ hasText: 'Nf3 100 %' }).waitFor();
  assert.equal(await moves.count(), 1);
  await deleteAll(page);
  await page.goBack();
  await moves.nth(1).waitFor();
  assert.equal(await moves.count(), before);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a book that finds no room leaves the one before', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await drop(page, 'own.bin', bookOf('g1f3'));
  await page.getByText('own.bin is in use and kept').waitFor();
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await drop(page, 'other.bin', bookOf('e2e4'));
  await page.getByText('the browser has no room to keep them').waitFor();
  await page.reload();
  await page.locator('.knowledge .chip', { hasText: 'Nf3 100 %' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('another tab uses a book that is dropped here, and no longer when it is deleted', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  const moves = (one) => one.locator('.knowledge p', { hasText: 'Book' }).locator('.chip');
  const other = await context.newPage();
  await other.goto(`${site.server.url}#/analyse`);
  await moves(other).nth(1).waitFor();
  const before = await moves(other).count();
  await drop(page, 'own.bin', bookOf('g1f3'));
  await page.getByText('own.bin is in use and kept').waitFor();
  await other.bringToFront();
  await moves(other).filter({ hasText: 'Nf3 100 %' }).waitFor();
  assert.equal(await moves(other).count(), 1);
  await page.bringToFront();
  await deleteAll(page);
  await other.bringToFront();
  await moves(other).nth(1).waitFor();
  assert.equal(await moves(other).count(), before);
  assert.deepEqual(errors, []);
  await context.close();
});

test('another tab searches with a table that is dropped here', withTables, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  const other = await context.newPage();
  await other.goto(`${site.server.url}${queenEnding}`);
  await other.locator('.line').first().waitFor();
  await page.bringToFront();
  const tables = ['KQvK.atbw', 'KQvK.atbz'].map((name) => [name, readFileSync(`${folder}/${name}`)]);
  await dropAll(page, Object.fromEntries(tables));
  await page.getByText('2 files are in use and kept').waitFor();
  await other.bringToFront();
  await fromTables(other).waitFor();
  await other.locator('.knowledge .chip', { hasText: /^[KQ]\S+ wins$/ }).first().waitFor();
  await page.bringToFront();
  await deleteAll(page);
  await other.bringToFront();
  await fromTables(other).waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

const bad = Buffer.alloc(80);
const offers = {
  nothing: [{}, 'This site offers no tables.'],
  'the page itself for every address': [{ 'index.json': '<!doctype html>' }, 'This site offers no tables.'],
  'half a table': [{ 'index.json': '{"KQvK.atbw":160}', 'KQvK.atbw': bad }, 'KQvK.atbw did not arrive whole.'],
  'a list of what is missing': [{ 'index.json': '{"KQvK.atbw":160}' }, 'KQvK.atbw did not arrive whole.'],
  'no table': [{ 'index.json': '{"KQvK.atbw":80}', 'KQvK.atbw': bad }, 'KQvK.atbw is not a table of atomic chess.'],
};
for (const [what, [files, answer]] of Object.entries(offers)) {
  test(`a site that offers ${what}`, timeout, async () => {
    const own = await serve({ files: offer(files) });
    const { page, context } = await open(site.browser, own.url);
    await about(page);
    const button = page.getByRole('button', { name: 'Download endgame tables' });
    await button.click();
    await page.getByText(answer).waitFor();
    await own.down();
    await button.click();
    await page.getByText('there is no connection to the site').waitFor();
    assert.equal(await page.locator('.files').count(), 0);
    await context.close();
  });
}

test('another size of the hash starts a new engine, so that the memory of the old one is free', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await page.locator('.line').first().waitFor();
  const engines = () => page.workers().filter((worker) => !worker.url().includes('core'));
  // The lines of the old one stay until the new one has some.
  const engine = async () => {
    while (!engines().length) await page.waitForEvent('worker');
    return engines()[0];
  };
  const change = async (size) => {
    const old = await engine();
    await page.getByRole('button', { name: 'Settings' }).click();
    const closed = old.waitForEvent('close');
    await page.getByLabel('Hash (MiB)').selectOption(size);
    await closed;
    await page.keyboard.press('Escape');
  };
  await change('512');
  await change('16');
  await engine();
  assert.equal(engines().length, 1);
  // An engine that rests gives its memory back as well.
  await page.getByLabel('Engine', { exact: true }).uncheck();
  await page.getByText('The engine is off.').waitFor();
  await change('32');
  assert.equal(engines().length, 0);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [memory, largest] of [[8, 1024], [1, 256], [undefined, 512]]) {
  test(`the hash has ${largest} MiB at most where the browser tells of ${memory} GiB of memory`, timeout, async () => {
    const { page, context } = await open(site.browser, site.server.url);
    const pretend = (value) => Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => value });
    await page.addInitScript(pretend, memory);
    await page.reload();
    await page.getByRole('button', { name: 'Settings' }).click();
    const sizes = await page.getByLabel('Hash (MiB)').locator('option').allTextContents();
    assert.equal(sizes.at(-1), String(largest));
    await context.close();
  });
}
