// Debian's or any other Chromium, and a page that reports every error it logs.

import { existsSync } from 'node:fs';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { serve } from './server.js';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function launch(options = {}) {
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('no Chromium found: set CHROMIUM to its path');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'], ...options });
}

/** The server and the browser of a test file, there while its tests run. */
export function startSite(options) {
  const site = { browser: null, server: null };
  before(async () => {
    site.server = await serve(options);
    site.browser = await launch();
  });
  after(async () => {
    await site.browser?.close();
    await site.server?.down();
  });
  return site;
}

/**
 * A fresh profile, in which `script` runs before the page; `errors` collects errors of the page and its
 * console, workers included.
 */
export async function open(browser, url, options = {}, hasBoard = true) {
  // The service worker announces at any time that the page works offline, in the place of the
  // notice that a test waits for.
  const defaults = { viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' };
  const { script = '', ...device } = options;
  const context = await browser.newContext({ ...defaults, ...device });
  const page = await context.newPage();
  await page.addInitScript(script);
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  if (hasBoard) await page.locator('cg-board piece').first().waitFor();
  return { context, page, errors };
}

/** Waits until the device keeps a value that contains the text. */
export async function kept(page, text) {
  const isKept = (wanted) =>
    new Promise((resolve) => {
      const request = indexedDB.open('brisance');
      request.onsuccess = () => {
        const base = request.result;
        const all = base.transaction('kept').objectStore('kept').getAll();
        all.onsuccess = () => {
          base.close();
          requestAnimationFrame(() => resolve(JSON.stringify(all.result).includes(wanted)));
        };
      };
    });
  while (!(await page.evaluate(isKept, text)));
}

/** Drops a file on the page, as from a file manager. */
export async function drop(page, name, bytes) {
  await dropAll(page, { [name]: bytes });
}

/** Drops several files at once. */
export async function dropAll(page, files) {
  const encoded = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  await page.evaluate((given) => {
    const dataTransfer = new DataTransfer();
    for (const [name, base64] of given) {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      dataTransfer.items.add(new File([content], name));
    }
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, encoded);
}
