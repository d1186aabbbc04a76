// Where things are: on laptops, on phones, and on phones held sideways.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const site = startSite();

const game = 'moves=g1f3+f7f6+f3d4+c7c6+e2e3+e7e5';
const phone = { isMobile: true, hasTouch: true };
const views = ['#/play', `#/analyse?${game}`, '#/puzzles', '#/rules'];

async function show(page, view) {
  await page.goto(`${site.server.url}${view}`);
  await page.locator('cg-board piece').first().waitFor();
  if (view.includes('analyse')) await page.locator('.line').nth(2).waitFor();
}

const box = (page, selector) => page.locator(selector).first().boundingBox();

for (const [width, height] of [[1280, 800], [1366, 768], [1920, 1080]]) {
  test(`one board for all views, lines in sight, no scrolling at ${width} × ${height}`, { timeout: 180_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url, { viewport: { width, height } });
    const places = new Set();
    for (const view of views) {
      await show(page, view);
      places.add(JSON.stringify(await box(page, '.board')));
      if (view.includes('play') || view.includes('analyse')) {
        assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= height, view);
      }
    }
    await show(page, views[1]);
    for (const tab of ['Openings', 'FEN & PGN', 'Review', 'Editor', 'Moves']) {
      await page.getByRole('tab', { name: tab }).click();
      places.add(JSON.stringify(await box(page, '.board')));
      if (tab === 'Editor') continue;
      const line = await box(page, '.line');
      assert.ok(line.y > 0 && line.y < height / 3, `${tab}: ${line.y}`);
    }
    assert.equal(places.size, 1, [...places].join(' '));
    const { width: size } = await box(page, '.board');
    assert.ok(size > 0.8 * height, `${size}`);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

for (const [width, height] of [[844, 390], [667, 375]]) {
  test(`a phone held sideways shows the whole board, at ${width} × ${height}`, { timeout: 180_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url, { ...phone, viewport: { width, height } });
    for (const view of views) {
      await show(page, view);
      for (const scroll of [0, 300]) {
        await page.evaluate((y) => window.scrollTo(0, y), scroll);
        const board = await box(page, '.board');
        assert.ok(board.y >= 0 && board.y + board.height <= height && board.width > 0.8 * height, `${view}: ${JSON.stringify(board)}`);
      }
      const words = await box(page, view.includes('play') ? '.panel' : '.status');
      assert.ok(words.x >= (await box(page, '.board')).width, view);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, view);
    }
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('on a phone lines, graph and moves are close to the board, and the buttons stay', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?${game}`, {
    ...phone,
    viewport: { width: 390, height: 844 },
  });
  await page.locator('.line').nth(2).waitFor();
  await page.getByRole('button', { name: 'First position' }).tap();
  await page.locator('.graph canvas').waitFor();
  const tops = [];
  for (const part of ['.board', '.lines', '.graph', '.moves']) tops.push((await box(page, part)).y);
  assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
  assert.ok((await box(page, '.graph')).y < 844, 'the graph');
  // The field for typed moves takes no room.
  assert.equal((await box(page, '.lines')).y - (await box(page, '.board')).y < 480, true);
  for (const scroll of [0, 400]) {
    await page.evaluate((y) => window.scrollTo(0, y), scroll);
    const buttons = await box(page, '.controls');
    assert.ok(buttons.y + buttons.height <= 844.5 && buttons.y > 600, JSON.stringify(buttons));
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('the keyboard reaches the board first, and the rules from the first screen', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'Skip to the board' });
  assert.ok(await skip.evaluate((node) => node === document.activeElement));
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'move-input');
  assert.deepEqual(errors, []);
  await context.close();
});

test('steps in quick succession are all made', { timeout: 120_000 }, async () => {
  const knights = Array.from({ length: 15 }, () => 'g1f3+g8f6+f3g1+f6g8').join('+');
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=${knights}`);
  await page.locator('.move[aria-current]').waitFor();
  await page.evaluate(() => {
    for (let n = 0; n < 20; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
  });
  await page.waitForFunction(() => {
    const moves = [...document.querySelectorAll('.main-line > .move')];
    return moves.findIndex((move) => move.ariaCurrent) === 39;
  });
  assert.deepEqual(errors, []);
  await context.close();
});

test('a board without a size draws its arrows when it has one', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, site.server.url);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.board { display: none }');
    document.adoptedStyleSheets = [sheet];
  });
  await page.goto(`${site.server.url}#/analyse?${game}`);
  await page.locator('.line').nth(2).waitFor();
  await page.evaluate(() => (document.adoptedStyleSheets = []));
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
  assert.deepEqual(errors, []);
  await context.close();
});

const phones = { 'a phone': [390, 844], 'a small phone': [360, 740], 'a phone held sideways': [844, 390] };
for (const [name, [width, height]] of Object.entries(phones)) {
  const touch = { viewport: { width, height }, hasTouch: true, isMobile: true };

  test(`on ${name} a message covers no button of the analysis, and can be closed`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=e2e4+e7e5`, touch);
    await page.locator('.main-line > .move').nth(1).waitFor();
    await page.getByRole('button', { name: 'Delete from here' }).tap();
    const message = page.locator('.notice');
    await message.getByRole('button', { name: 'Undo' }).waitFor();
    for (const drawing of [false, true]) {
      if (drawing) {
        await page.getByRole('button', { name: 'Draw circles and arrows' }).tap();
        await page.getByText('Yellow').waitFor();
      }
      const [box, controls] = [await message.boundingBox(), await page.locator('.controls').boundingBox()];
      assert.ok(box.y + box.height <= controls.y + 1, `${box.y} + ${box.height} > ${controls.y}`);
      const board = await page.locator('cg-board').boundingBox();
      if (width > height) assert.ok(box.x >= board.x + board.width, `${box.x} is on the board`);
    }
    await message.getByRole('button', { name: 'Close' }).tap();
    await message.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
    await context.close();
  });

  test(`on ${name} the buttons of a game are in sight`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await open(site.browser, site.server.url, touch);
    await page.fill('#move-input', 'Nf3');
    await page.press('#move-input', 'Enter');
    await page.waitForFunction(() => document.querySelectorAll('.main-line > .move').length >= 2);
    await page.evaluate(() => document.activeElement.blur());
    const { y, height: size } = await page.getByRole('button', { name: 'Resign' }).boundingBox();
    assert.ok(y + size <= height, `${y} + ${size} > ${height}`);
    assert.deepEqual(errors, []);
    await context.close();
  });

  test(`on ${name} the editor shows its whole board at once`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=e2e4`, touch);
    await page.locator('.line').first().waitFor();
    await page.getByRole('tab', { name: 'FEN & PGN' }).tap();
    await page.evaluate(() => window.scrollTo(0, 300));
    await page.getByRole('tab', { name: 'Editor' }).tap();
    await page.locator('.palette').waitFor();
    const { y, height: size } = await page.locator('cg-board').boundingBox();
    assert.ok(y >= 0 && y + size <= height, `${y}, ${size}`);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('on a low screen the moves of a proved position stay in sight', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+f7f6+f3d4+c7c6+e2e3+e7e5`);
  await page.locator('.proof').waitFor();
  const [list, move] = [await page.locator('.moves').boundingBox(), await page.locator('.move[aria-current]').boundingBox()];
  assert.ok(list.height >= 120, `${list.height} px`);
  assert.ok(move.y >= list.y && move.y + move.height <= list.y + list.height, JSON.stringify([list, move]));
  assert.deepEqual(errors, []);
  await context.close();
});

test('on a low screen a review leaves room for the moves', { timeout: 240_000 }, async () => {
  // Two blunders.
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=a2a3+g8f6+a3a4+f6g4+h2h3+g4f2`);
  await page.locator('.main-line > .move').nth(5).waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByText('Quick', { exact: true }).click({ force: true });
  await page.getByRole('button', { name: 'Review the whole game' }).click();
  await page.locator('.summary').waitFor({ timeout: 200_000 });
  const [list, graph, panel] = [await box(page, '.moves'), await box(page, '.graph'), await box(page, '.tab-panel')];
  assert.ok(list.height >= 120, `${list.height} px`);
  assert.ok(list.y >= panel.y && list.y + list.height <= graph.y, JSON.stringify([list, graph, panel]));
  for (const name of ['Learn from White’s mistakes', 'Review again']) {
    const button = await page.getByRole('button', { name }).boundingBox();
    assert.ok(button.y + button.height <= list.y, name);
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('on a laptop a message covers neither the words below the board nor a button', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=e2e4+e7e5`);
  await page.locator('.main-line > .move').nth(1).waitFor();
  await page.getByRole('button', { name: 'Draw circles and arrows' }).click();
  await page.locator('.status', { hasText: 'Drawing' }).waitFor();
  await page.getByRole('button', { name: 'Delete from here' }).click();
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).waitFor();
  const covered = await page.evaluate(() => {
    const message = document.querySelector('.notice');
    const { left, right, top, bottom } = message.getBoundingClientRect();
    return [...document.querySelectorAll('.status, .board, .top a, button, select, input')]
      .filter((node) => !message.contains(node) && node.checkVisibility() && !node.closest('.hidden, .skip'))
      .filter((node) => {
        const box = node.getBoundingClientRect();
        return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
      })
      .map((node) => node.outerHTML.slice(0, 80));
  });
  assert.deepEqual(covered, []);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the words of a long blast are not cut', { timeout: 120_000 }, async () => {
  // Nine pieces explode.
  const fen = '4k3/8/2rnb3/2qbn3/2rnn3/8/8/3RK3 w - - 0 1';
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?fen=${encodeURIComponent(fen)}`);
  await page.locator('.line', { hasText: '1.' }).first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('cg-board piece').length === 12);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await page.fill('#move-input', 'Rxd4');
    const status = page.locator('.status.blast-words');
    await status.waitFor();
    const place = await status.evaluate((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [range.getBoundingClientRect().top - node.getBoundingClientRect().top, node.scrollTop];
    });
    assert.ok(place[0] > -1 && place[1] === 0, `${width}: ${place}`);
    await page.fill('#move-input', '');
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('the engine rests while the page is hidden, and its switch is remembered', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?${game}`);
  const setHidden = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await page.locator('.line').nth(2).waitFor();
  await setHidden(true);
  await page.locator('.line').first().waitFor({ state: 'detached' });
  await setHidden(false);
  await page.locator('.line').nth(2).waitFor();
  await page.getByLabel('Time for a position').selectOption('10');
  await page.getByLabel('Engine', { exact: true }).uncheck();
  // A bar without an evaluation shows none.
  await page.keyboard.press('ArrowUp');
  await page.locator('.eval-bar.unknown').waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.eval-bar > :not(.score)')].every((share) => share.clientHeight === 0),
  );
  await page.reload();
  await page.getByText('The engine is off.').waitFor();
  assert.equal(await page.getByLabel('Time for a position').inputValue(), '10');
  assert.deepEqual(errors, []);
  await context.close();
});
