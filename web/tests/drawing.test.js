// Circles and arrows of the person: by fingers, by the left button of a mouse, and by the keyboard.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, startSite } from './browser.js';

const timeout = { timeout: 120_000 };
const site = startSite();
const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };

const analyse = (options) => open(site.browser, `${site.server.url}#/analyse?moves=e2e3`, options);
const drawButton = (page) => page.getByRole('button', { name: 'Draw circles and arrows' });
const spoken = (page, text) => page.locator('.live', { hasText: text }).waitFor({ state: 'attached' });

/** The middle of a square, White below. */
async function middle(page, square) {
  const { x, y, width } = await page.locator('cg-board').boundingBox();
  const [file, rank] = [square.charCodeAt(0) - 97, Number(square[1]) - 1];
  return { x: x + (file + 0.5) * (width / 8), y: y + (7.5 - rank) * (width / 8) };
}

/** After a frame the arrow has its end. */
const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function tap(page, square) {
  const { x, y } = await middle(page, square);
  await page.touchscreen.tap(x, y);
}

async function swipe(page, from, to) {
  const touches = await page.context().newCDPSession(page);
  const send = (type, points) => touches.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await send('touchStart', [await middle(page, from)]);
  await send('touchMove', [await middle(page, to)]);
  await frames(page);
  await send('touchEnd', []);
  await touches.detach();
}

/** The comment that the page writes for its only move, once it contains the text. */
async function written(page, text) {
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.waitForFunction((wanted) => document.querySelector('textarea')?.value.includes(wanted), text);
  const pgn = await page.getByRole('textbox', { name: 'PGN' }).inputValue();
  await page.getByRole('tab', { name: 'Moves' }).click();
  return /1\. e3 \{ (.*) \}/.exec(pgn)?.[1] ?? '';
}

test('fingers draw and remove circles and arrows, and move pieces again afterwards', timeout, async () => {
  const { page, errors, context } = await analyse(phone);
  await page.locator('.main-line > .move').waitFor();
  const { width, height } = await drawButton(page).boundingBox();
  assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
  await drawButton(page).tap();
  await page.locator('.status', { hasText: 'Drawing' }).waitFor();
  assert.equal(await drawButton(page).getAttribute('aria-pressed'), 'true');
  await tap(page, 'e5');
  await spoken(page, 'Green circle on e5');
  await page.getByRole('radio', { name: 'Blue' }).tap({ force: true });
  await swipe(page, 'd1', 'h5');
  await spoken(page, 'Blue arrow from d1 to h5');
  // A tap on a piece draws as well, and removes again.
  await tap(page, 'e7');
  await spoken(page, 'Blue circle on e7');
  await tap(page, 'e7');
  await page.getByText('Drawing erased.').waitFor();
  await spoken(page, 'Blue circle on e7: removed');
  assert.equal(await written(page, '%csl'), '[%csl Ge5] [%cal Bd1h5]');
  await page.reload();
  await page.locator('.cg-shapes [stroke="#003088"]').first().waitFor({ state: 'attached' });
  assert.equal(await drawButton(page).getAttribute('aria-pressed'), 'false');
  // Without the pen the same taps move.
  await tap(page, 'e7');
  await tap(page, 'e5');
  await page.locator('.main-line > .move', { hasText: 'e5' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('undo brings a removed and a recoloured drawing back', timeout, async () => {
  const { page, errors, context } = await analyse(phone);
  await page.locator('.main-line > .move').waitFor();
  await drawButton(page).tap();
  await tap(page, 'e5');
  await page.getByRole('radio', { name: 'Red' }).tap({ force: true });
  await tap(page, 'e5');
  await page.getByText('Drawing changed.').waitFor();
  assert.equal(await written(page, '%csl'), '[%csl Re5]');
  await page.locator('.move-tools').getByRole('button', { name: 'Undo' }).tap();
  assert.equal(await written(page, '%csl G'), '[%csl Ge5]');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the left button draws in the chosen colour, the right one as ever', timeout, async () => {
  const { page, errors, context } = await analyse();
  await page.locator('.main-line > .move').waitFor();
  const drag = async (from, to, button) => {
    const [start, end] = [await middle(page, from), await middle(page, to)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down({ button });
    await page.mouse.move(end.x, end.y, { steps: 3 });
    await frames(page);
    await page.mouse.up({ button });
  };
  await drawButton(page).click();
  await page.getByRole('radio', { name: 'Yellow' }).click({ force: true });
  await drag('g8', 'f6', 'left');
  await drag('b8', 'c6', 'right');
  await page.keyboard.down('Alt');
  await drag('a2', 'a4', 'right');
  await page.keyboard.up('Alt');
  assert.equal(await written(page, 'Ba2a4'), '[%cal Yg8f6,Gb8c6,Ba2a4]');
  await drawButton(page).click();
  await page.locator('.status', { hasText: 'Black to move' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a board with arrows leaves between a change and its frame', timeout, async () => {
  const { page, errors, context } = await analyse();
  await page.locator('.main-line > .move').waitFor();
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
  await page.evaluate(() => {
    window.heldFrames = [];
    window.realFrame = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => window.heldFrames.push(callback);
  });
  await page.keyboard.press('f');
  await page.waitForFunction(() => window.heldFrames.length > 0, undefined, { polling: 50 });
  await page.getByRole('link', { name: 'About' }).click();
  await page.locator('cg-board').waitFor({ state: 'detached' });
  const drawn = await page.evaluate(async () => {
    window.requestAnimationFrame = window.realFrame;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const draw of window.heldFrames) draw(performance.now());
    return window.heldFrames.length;
  });
  assert.ok(drawn > 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the keyboard draws by squares, and Escape leads back to moves', timeout, async () => {
  const { page, errors, context } = await analyse();
  await page.locator('.main-line > .move').waitFor();
  const field = page.locator('#move-input');
  const type = async (text) => {
    await field.fill(text);
    await field.press('Enter');
  };
  await page.keyboard.press('d');
  await spoken(page, 'Drawing is on');
  await page.keyboard.press('m');
  await page.locator('#move-input:focus').waitFor();
  assert.equal(await field.getAttribute('aria-label'), 'Draw: one square or two');
  await type('e4');
  await spoken(page, 'Green circle on e4');
  await type('E2-E4');
  await spoken(page, 'Green arrow from e2 to e4');
  await type('e4');
  await spoken(page, 'Green circle on e4: removed');
  await type('Nf6');
  await page.locator('#move-input-error', { hasText: 'Nf6: name one square for a circle (e4) or two for an arrow (e2e4).' }).waitFor();
  await page.getByRole('radio', { name: 'Green' }).focus();
  await page.keyboard.press('ArrowRight');
  await type('d5');
  await spoken(page, 'Red circle on d5');
  await field.press('Escape');
  await spoken(page, 'Drawing is off');
  assert.equal(await drawButton(page).getAttribute('aria-pressed'), 'false');
  await page.locator('#move-input:focus').waitFor();
  await type('e5');
  await page.locator('.main-line > .move', { hasText: 'e5' }).waitFor();
  await page.keyboard.press('Tab');
  await page.locator('.main-line > .move').first().click();
  assert.equal(await written(page, '%csl'), '[%csl Rd5] [%cal Ge2e4]');
  assert.deepEqual(errors, []);
  await context.close();
});

test('a finished game can be drawn on', timeout, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse?moves=g1f3+f7f6+f3e5+e7e6+e5d7`);
  await page.locator('.status', { hasText: 'White wins' }).waitFor();
  await page.keyboard.press('d');
  await page.locator('#move-input').fill('d7');
  await page.locator('#move-input').press('Enter');
  await spoken(page, 'Green circle on d7');
  assert.deepEqual(errors, []);
  await context.close();
});
