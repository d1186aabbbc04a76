// A study of Lichess on its way through the page: pasted, shown, reloaded, reviewed, learned from,
// exported and imported again.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const chapter = (name, moves, tags = '') => `[Event "A study: ${name}"]
[Site "https://lichess.org/study/AbCdEfGh/12345678"]
[Result "*"]
[UTCDate "2026.11.01"]
[UTCTime "12:00:00"]
[Variant "Atomic"]
[ECO "?"]
[Opening "?"]
[Annotator "https://lichess.org/@/ann"]
${tags}
${moves} *

`;
// 2. a4 loses by force.
const study = [
  chapter('Knights', '{ How White loses. [%csl Ge4][%cal Gg1f3] } 1. a3 { [%clk 0:03:00] [%eval 0.1] } 1... Nf6 { [%clk 0:02:58] } 2. a4?? { [%clk 0:02:41] Too slow. [%csl Rf2][%cal Rf6g4,Yg4f2] } (2. f3 { [%cal Bf2f3] The cure. } 2... e6 $5 (2... d5) 3. e3) 2... Ng4 { [%clk 0:02:55] } 3. h3 Nxf2#'),
  chapter('Kings', '{ They touch. } 1. Kd2 { [%csl Gd2] }', '[FEN "8/8/8/3k4/8/8/8/4K2R w K - 0 1"]\n[SetUp "1"]\n'),
  chapter('The end', '1. e3 e6'),
].join('');

const site = startSite();
const moves = (page) => page.locator('.main-line > .move');
const tab = (page, name) => page.getByRole('tab', { name }).click();
const chapterOf = (page, place) => page.getByText(`${place} of 3:`).waitFor();

/** The PGN that is written, once it contains the text. */
async function written(page, text) {
  await tab(page, 'FEN & PGN');
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value.includes(wanted), text);
  return page.getByRole('textbox', { name: 'PGN' }).inputValue();
}

async function saved(page) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save PGN' }).click()]);
  return readFileSync(await file.path(), 'utf8');
}

/** What a person sees of the moves, without spaces: texts, marks, clocks, comments, variations. */
async function shown(page) {
  await tab(page, 'Moves');
  return (await page.locator('.moves').textContent()).replace(/\s/g, '');
}

/** Waits for these colours of circles and arrows on the shown position. */
const draws = (page, colours) =>
  page.waitForFunction((wanted) => {
    const strokes = [...document.querySelectorAll('.cg-shapes [stroke]')].map((shape) => shape.getAttribute('stroke'));
    return strokes.filter((stroke) => /^#(15781b|882020|003088|e68f00)$/.test(stroke)).sort().join(' ') === wanted;
  }, colours);

test('a study of Lichess, from paste to import', { timeout: 300_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/play`);
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, study);
  await page.getByText('3 games loaded.').waitFor();
  await page.getByLabel('Engine', { exact: true }).uncheck();

  // Shown: clocks, comments, variations, shapes, chapters.
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 6);
  assert.deepEqual(await page.locator('.move-clock').allTextContents(), ['3:00', '2:58', '2:41', '2:55']);
  const text = await shown(page);
  for (const part of ['HowWhiteloses.', 'Tooslow.', 'Thecure.', 'a4??', 'e6!?']) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.doesNotMatch(text, /%/);
  await draws(page, '#15781b #15781b');
  await moves(page).filter({ hasText: 'a4' }).click();
  await draws(page, '#882020 #882020 #e68f00');
  await page.getByRole('button', { name: 'Next game' }).click();
  await chapterOf(page, 2);
  await page.locator('.moves .comment', { hasText: 'They touch.' }).waitFor();
  await page.getByRole('button', { name: 'Previous game' }).click();
  await chapterOf(page, 1);

  // Reloaded in the middle.
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 6);
  await moves(page).filter({ hasText: 'Ng4' }).click();
  await page.locator('.move[aria-current]', { hasText: 'Ng4' }).waitFor();
  await page.reload();
  await chapterOf(page, 1);
  await page.locator('.move[aria-current]', { hasText: 'Ng4' }).waitFor();
  assert.equal(await shown(page), text);

  // Reviewed, and learned from.
  await tab(page, 'Review');
  await page.getByText('Quick', { exact: true }).click({ force: true });
  await page.getByRole('button', { name: 'Review the whole game' }).click();
  await page.locator('.summary').waitFor({ timeout: 200_000 });
  await page.locator('.move.blunder', { hasText: 'a4??' }).waitFor();
  await page.getByRole('button', { name: 'Learn from White’s mistakes' }).click();
  await page.locator('.verdict', { hasText: 'a3 was played here. Find a better move.' }).waitFor();
  await page.getByRole('button', { name: 'Next mistake' }).click();
  await page.locator('.verdict', { hasText: 'a4 was played here. Find a better move.' }).waitFor();
  await page.fill('#move-input', 'f3');
  await page.press('#move-input', 'Enter');
  await page.locator('.verdict.solved').waitFor();
  await page.getByRole('button', { name: 'Back to the analysis' }).click();
  await page.locator('.summary').waitFor();

  // Exported, and imported by another device.
  const before = await shown(page);
  assert.ok(before.includes('Thecure.') && before.includes('2:41'), before);
  const pgn = await written(page, '1. a3');
  assert.equal(await saved(page), pgn);
  for (const part of ['[%csl Ge4]', '[%cal Gg1f3]', '[%csl Rf2]', '[%cal Rf6g4,Yg4f2]', '[%cal Bf2f3]', '[%clk 0:02:41]', 'The cure.', 'e6 $5']) {
    assert.ok(pgn.replace(/\s+/g, ' ').replace('e6!?', 'e6 $5').includes(part), `${part} in ${pgn}`);
  }
  assert.deepEqual(errors, []);
  await context.close();
  const other = await open(site.browser, `${site.server.url}#/analyse`);
  await other.page.getByLabel('Engine', { exact: true }).uncheck();
  await tab(other.page, 'FEN & PGN');
  const [chooser] = await Promise.all([
    other.page.waitForEvent('filechooser'),
    other.page.getByRole('button', { name: 'Open file' }).click(),
  ]);
  await chooser.setFiles({ name: 'study.pgn', mimeType: 'text/plain', buffer: Buffer.from(pgn) });
  await other.page.getByText('Game loaded.').waitFor();
  assert.equal(await written(other.page, '1. a3'), pgn);
  // A file has no word for a proof but its comment.
  const words = (text) => text.replace(/Bestwas|proved|2\.a4losesbyforcein2moves:[^#]*#/g, '');
  await tab(other.page, 'Moves');
  const after = await shown(other.page);
  assert.equal(words(after), words(before));
  await draws(other.page, '#15781b #15781b');
  await moves(other.page).filter({ hasText: 'a4' }).click();
  await draws(other.page, '#882020 #882020 #e68f00');
  assert.deepEqual(other.errors, []);
  await other.context.close();
});
