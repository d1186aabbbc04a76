// The page itself: offline, narrow screens, accessibility, content security policy, long tasks.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { open, startSite } from './browser.js';
import { serve } from './server.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const game = 'moves=g1f3+f7f6+f3d4+c7c6+e2e3+e7e5';
// A puzzle, so that its view shows a board.
const puzzle =
  'r1bqkbnr/ppp1pppp/2n5/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - id "one"; line e5f7; dm 1; grade 1;\n';
const views = ['#/play', `#/analyse?${game}`, '#/puzzles', '#/rules', '#/about'];

const site = startSite({ files: { '/puzzles.epd': puzzle, '/empty.html': '<!doctype html><link rel="icon" href="data:,">' } });

async function show(page, view) {
  await page.goto(`${site.server.url}${view}`);
  await page.locator('main').waitFor();
  await page.waitForTimeout(400);
}

const touch = { isMobile: true, hasTouch: true };
// The quick run leaves out what the others cover for the most part.
const quick = Boolean(process.env.BOARD_QUICK);

for (const width of quick ? [320] : [320, 360, 768]) {
  test(`nothing scrolls sideways at ${width} px`, { timeout: 180_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url, { ...touch, viewport: { width, height: 700 } });
    for (const view of views) {
      await show(page, view);
      const tabs = view.includes('analyse') ? ['Moves', 'Openings', 'FEN & PGN', 'Editor', 'Review'] : [null];
      for (const tab of tabs) {
        if (tab) await page.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(150);
        const found = await page.evaluate(() => ({
          scroll: document.documentElement.scrollWidth,
          small: [...document.querySelectorAll('button, select, .top nav a, a.button')]
            .filter((node) => node.checkVisibility() && !node.matches('.hidden, .hidden *'))
            .filter((node) => node.getBoundingClientRect().height < 43.5)
            .map((node) => node.outerHTML.slice(0, 80)),
        }));
        assert.ok(found.scroll <= width, `${view} ${tab}: ${found.scroll} px wide`);
        assert.deepEqual(found.small, [], `${view} ${tab}`);
      }
    }
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('a piece that an animation puts beside the board makes no page wider', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url, { ...touch, viewport: { width: 320, height: 700 } });
  // On a busy device a frame is older than the animation that it draws, and the pieces overshoot.
  await page.addInitScript(() => {
    const request = window.requestAnimationFrame;
    window.requestAnimationFrame = (draw) => request.call(window, (time) => draw(time - 500));
    globalThis.widths = { page: 0, piece: 0 };
    new MutationObserver(() => {
      const rights = [...document.querySelectorAll('piece.anim')].map((piece) => piece.getBoundingClientRect().right);
      globalThis.widths.piece = Math.max(globalThis.widths.piece, ...rights);
      globalThis.widths.page = Math.max(globalThis.widths.page, document.documentElement.scrollWidth);
    }).observe(document, { subtree: true, attributes: true });
  });
  await page.reload();
  await page.fill('#move-input', 'Nf3');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => globalThis.widths.piece > 330);
  assert.equal((await page.evaluate(() => globalThis.widths)).page, 320);
  assert.deepEqual(errors, []);
  await context.close();
});

const wide = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };
const looks = [['dark', wide], ['light', phone], ['light', wide], ['dark', phone]];
for (const [colorScheme, viewport] of quick ? looks.slice(0, 2) : looks) {
  test(`axe-core finds nothing serious, ${colorScheme}, ${viewport.width} px`, { timeout: 480_000 }, async () => {
    const { page, context } = await open(site.browser, site.server.url, { colorScheme, viewport });
    const check = async (where) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
      const serious = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
      assert.deepEqual(serious, []);
    };
    for (const view of views) {
      await show(page, view);
      await check(view);
      if (!view.includes('analyse')) continue;
      for (const tab of ['Openings', 'FEN & PGN', 'Editor', 'Review']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(200);
        await check(tab);
      }
      await page.getByText('Quick', { exact: true }).click({ force: true });
      await page.getByRole('button', { name: /^Review/ }).click();
      await page.locator('.summary').waitFor();
      await check('finished review');
      await page.getByRole('button', { name: 'Learn' }).first().click();
      await page.locator('.verdict.find').waitFor();
      await check('learning');
    }
    await page.getByRole('button', { name: 'Settings' }).click();
    await check('settings');
    await context.close();
  });
}

test('the first frame has the board', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('main')) return;
      observer.disconnect();
      globalThis.hadBoard = document.querySelector('cg-board piece') !== null;
    }).observe(document, { childList: true, subtree: true });
  });
  for (const view of ['#/play', `#/analyse?${game}`]) {
    await page.goto(`${site.server.url}${view}`);
    await page.reload();
    assert.equal(await page.waitForFunction(() => globalThis.hadBoard).then((had) => had.jsonValue()), true, view);
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('a part of the page that does not arrive is named, and comes with a reload', { timeout: 120_000 }, async () => {
  const { page, context } = await open(site.browser, site.server.url);
  await page.route('**/RulesView-*.js', (route) => route.abort());
  await page.reload();
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  const message = page.locator('.notice', { hasText: 'A part of the page could not be loaded.' });
  await message.waitFor();
  await page.unroute('**/RulesView-*.js');
  await message.getByRole('button', { name: 'Reload now' }).click();
  await page.getByText('Position 1 of').first().waitFor();
  await context.close();
});

test('a link is followed while the analysis writes its address', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  // The browser tells the page of a new address later; here as late as the test wants.
  await page.addInitScript(() => {
    const add = window.addEventListener;
    const told = new Promise((resolve) => (globalThis.tell = resolve));
    window.addEventListener = (type, listener, options) =>
      add.call(window, type, type === 'hashchange' ? (event) => told.then(() => listener(event)) : listener, options);
  });
  await page.goto(`${site.server.url}#/analyse?moves=g1f3+f7f6`);
  await page.reload();
  await page.locator('.move[aria-current]', { hasText: 'f6' }).waitFor();
  await page.getByRole('link', { name: 'Puzzles' }).click();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.move[aria-current]', { hasText: 'Nf3' }).waitFor();
  await page.evaluate(() => globalThis.tell());
  await page.locator('.verdict', { hasText: 'Find the win for White.' }).waitFor();
  assert.match(page.url(), /#\/puzzles$/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('an analysis that is left before it has opened does not search', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}empty.html`, {}, false);
  let arrive;
  const arrival = new Promise((resolve) => (arrive = resolve));
  await page.route('**/*.wasm', (route) => arrival.then(() => route.continue()));
  await page.goto(`${site.server.url}#/analyse?moves=g1f3`);
  await page.getByRole('tab', { name: 'Moves' }).waitFor();
  await page.getByRole('link', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Start game' }).waitFor();
  arrive();
  await page.getByLabel('Level').locator('option').first().waitFor({ state: 'attached' });
  await page.getByLabel('Rules').selectOption('nocheckatomic');
  await page.locator('.status', { hasText: 'White to move' }).waitFor({ state: 'attached' });
  assert.deepEqual(page.workers().map((worker) => worker.url().includes('core')), [true]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('after the first load the page works without a server', { timeout: 180_000 }, async () => {
  const own = await serve();
  const { page, errors, context } = await open(site.browser, own.url, { serviceWorkers: 'allow' });
  await page.getByText('Ready for use without a connection.').waitFor({ timeout: 60_000 });
  await own.down();
  await page.reload();
  await page.locator('cg-board piece').first().waitFor();
  await page.fill('#move-input', 'e4');
  await page.press('#move-input', 'Enter');
  await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length === 2, null, { timeout: 60_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('the policy forbids everything from elsewhere, and nothing is requested', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const view of views) await show(page, view);
  const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:/);
  assert.deepEqual(asked.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(site.server.url)), []);
  assert.deepEqual(errors, []);
  await context.close();
});

// The time that the main thread computes, so that other programs on the machine do not count.
test('no task of the page is longer than 50 ms while the engine searches', { timeout: 180_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?${game}`);
  await page.locator('.line').nth(2).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1000);
  await site.browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.waitForTimeout(8000);
  await page.keyboard.press('ArrowLeft');
  await page.waitForTimeout(2000);
  const { traceEvents } = JSON.parse((await site.browser.stopTracing()).toString());
  const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    ({ name, pid, tid, tdur }) => name.endsWith('RunTask') && tdur && main.some((own) => own.pid === pid && own.tid === tid),
  );
  assert.ok(tasks.length > 100, `${tasks.length} tasks`);
  const longest = Math.max(...tasks.map(({ tdur }) => tdur)) / 1000;
  console.log(`longest task: ${longest.toFixed(1)} ms of ${tasks.length}`);
  assert.ok(longest <= 50, `${longest} ms`);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a search that is switched off adds no more nodes', { timeout: 120_000 }, async () => {
  const { page, context } = await open(site.browser, `${site.server.url}#/analyse?${game}`);
  await page.locator('.line').nth(2).waitFor({ timeout: 60_000 });
  await page.getByLabel('Engine', { exact: true }).uncheck();
  const nodes = () => page.locator('.engine-status').textContent();
  await page.waitForTimeout(150);
  const first = await nodes();
  await page.waitForTimeout(500);
  assert.equal(await nodes(), first);
  await context.close();
});

test('the page brings the licences of its parts and the source', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.getByRole('link', { name: 'About' }).click();
  const link = async (name) => {
    const href = await page.getByRole('link', { name }).evaluate((node) => node.href);
    return context.request.get(href);
  };
  const text = await (await link('Licence texts')).text();
  // The page's own licence, npm packages, and crates of the module.
  for (const part of ['GNU GENERAL PUBLIC LICENSE', 'preact ', 'uplot ', 'idb-keyval ', 'serde ', 'shakmaty ']) {
    assert.ok(text.includes(part), part);
  }
  assert.ok(text.includes('Apache License') && text.includes('Permission is hereby granted'));
  const source = await link('Source code');
  assert.ok(source.ok() && (await source.body()).length > 1e6);
  assert.deepEqual(errors, []);
  await context.close();
});
