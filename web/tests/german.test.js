// The page in German: chosen by the browser or in the settings, and complete.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const puzzle =
  'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "one"; line e5f7; dm 1; grade 1;\n';
const site = startSite({ files: { '/puzzles.epd': puzzle } });

const moved = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.main-line > .move').length >= wanted, count);

/** Shows every part of the page, and calls back in each. */
async function walk(page, look) {
  const goTo = async (view) => {
    await page.goto(`${site.server.url}#/${view}`);
    await page.locator(view === 'about' ? '.about' : 'cg-board piece').first().waitFor();
  };
  await goTo('play');
  await look('play');
  const dialogs = {
    keys: () => page.keyboard.press('?'),
    settings: () => page.locator('.top-buttons button').last().click(),
  };
  for (const [name, show] of Object.entries(dialogs)) {
    await show();
    await page.locator('dialog').waitFor();
    await look(name);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await moved(page, 2);
  await look('game');
  await goTo('analyse?moves=g1f3+d7d5+f3e5+b8c6');
  await page.locator('.line .proved').waitFor();
  for (const tab of [0, 1, 2, 3, 4]) {
    await page.getByRole('tab').nth(tab).click();
    await page.locator('[role=tab][aria-selected=true]').nth(0).waitFor();
    await look(`tab ${tab}`);
  }
  await page.getByRole('tab').nth(0).click();
  await page.locator('.controls button[aria-pressed]').last().click();
  await page.locator('.controls .choice').waitFor();
  await look('drawing');
  await goTo('puzzles');
  await look('puzzles');
  await goTo('rules');
  await look('rules');
  await goTo('about');
  await page.getByText(/Brisance \d/).waitFor();
  await look('about');
}

/** Everything that is read or heard. */
function texts() {
  const found = new Set();
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) if (!nodes.currentNode.parentElement.matches('noscript')) found.add(nodes.currentNode.data);
  for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
    for (const node of document.querySelectorAll(`[${name}]`)) found.add(node.getAttribute(name));
  }
  return [document.title, ...found].map((text) => text.trim());
}

async function allTexts(locale) {
  const { page, errors, context } = await open(site.browser, site.server.url, { locale });
  const found = new Set();
  await walk(page, async () => (await page.evaluate(texts)).forEach((text) => found.add(text)));
  assert.deepEqual(errors, []);
  await context.close();
  return found;
}

/** What is the same in both languages. */
const shared = /\b(Brisance|Engine|Analyse|Version|FEN|PGN|Hash|MiB|English|Deutsch|Lichess|System|En passant)\b/g;
/** Moves, squares and numbers. */
const notation = /\S*[\d#+=]\S*|\bO-O(-O)?\b|\bone\b/g;

test('all texts are German where the browser is', { timeout: 240_000 }, async () => {
  const [english, german] = [await allTexts('en-GB'), await allTexts('de-AT')];
  assert.ok(english.size > 200 && german.size > 200, `${english.size}, ${german.size}`);
  assert.ok(german.has('Aus Fehlern lernen') || german.has('Ganze Partie prüfen'));
  const both = [...german].filter((text) => english.has(text));
  const left = both.filter((text) => /\p{L}{2}/u.test(text.replaceAll(shared, '').replaceAll(notation, '')));
  assert.deepEqual(left, []);
});

const sizes = [[1280, 800], [320, 700], [360, 740]];
for (const [width, height] of process.env.BOARD_QUICK ? sizes.slice(0, 2) : sizes) {
  test(`axe-core finds nothing serious in German, ${width} px`, { timeout: 240_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url, { locale: 'de-DE', viewport: { width, height } });
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await walk(page, async (where) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html}`), []);
      const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(scroll <= width, `${where}: ${scroll} px wide`);
    });
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('the language is switched in the settings, and nothing is lost', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await moved(page, 2);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).click({ force: true });
  await page.locator('html[lang=de]').waitFor();
  await page.getByRole('link', { name: 'Spielen' }).waitFor();
  await moved(page, 2);
  await page.reload();
  await page.getByRole('button', { name: 'Einstellungen' }).click();
  await page.getByRole('radio', { name: 'English' }).click({ force: true });
  await page.locator('html[lang=en]').waitFor();
  await moved(page, 2);
  await page.getByRole('link', { name: 'Play', exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('another tab follows the language, after its review', { timeout: 240_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+f7f6`);
  const other = await context.newPage();
  await other.goto(`${site.server.url}#/analyse?moves=e2e3+e7e6+d2d3`);
  await other.getByRole('tab', { name: 'Review' }).click();
  await other.getByRole('button', { name: 'Review the whole game' }).click();
  await other.getByRole('button', { name: 'Stop' }).waitFor();
  await page.bringToFront();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).click({ force: true });
  await page.locator('html[lang=de]').waitFor();
  await other.bringToFront();
  await other.locator('html[lang=de]').waitFor();
  await moved(other, 3);
  await other.getByRole('tab', { name: 'Prüfen' }).click();
  await other.getByText(/Weiß: .* % Genauigkeit/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('what the rules forbid is explained in German', { timeout: 120_000 }, async () => {
  const start = `${site.server.url}#/analyse?fen=4k3/8/8/8/8/8/3n4/4K2R_w_-_-_0_1`;
  const { page, errors, context } = await open(site.browser, start, { locale: 'de-DE' });
  await page.fill('#move-input', 'Kxd2');
  await page.press('#move-input', 'Enter');
  await page.locator('#move-input-error', { hasText: 'Kxd2 ist nicht erlaubt: Der Zug sprengt den eigenen König.' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
