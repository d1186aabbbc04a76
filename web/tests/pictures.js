// Makes the pictures of the README: docs/board.png, the built page with a blast preview, and
// docs/review.png, the page of `brisance analyse --html`. Run it after a build: npm run pictures
// BRISANCE names the program, by default target/release/brisance.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, open } from './browser.js';
import { serve } from './server.js';

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const program = process.env.BRISANCE ?? file('target/release/brisance');

// A game of Brisance against itself from an opening of book/openings.epd.
const START = 'rnbqkbnr/1p2pppp/p2p4/2p5/P5P1/7P/1PPPPP2/RNBQKBNR w KQkq - 0 1';
const MOVES =
  'g4g5 e7e5 e2e4 d6d5 d2d4 f7f5 f1b5 a6b5 g1e2 c5d4 e1g1 f8c5 e4d5 d8d2 b1c3 b8c6 c3d5 d2e1 g1h1';
const CAPTURE = 'Qxe2';

// A game between two strength levels, and the half-move that the picture shows.
const GAME = `[White "Level 8"]
[Black "Level 8"]
[Result "1-0"]
[FEN "rnbqkbnr/2ppppp1/pp5p/5P2/P6P/8/1PPPP1P1/RNBQKBNR b KQkq - 0 1"]
[SetUp "1"]
[Variant "Atomic"]

1... Nf6 2. Nc3 e6 3. e3 Ng4 4. Bb5 axb5 5. Nf3 Nf2 6. O-O d5 7. b3 Ba6 8. Nb5 Bxb5 9. fxe6 f5
10. Bb2 Bb4 11. Be5 Qe7 12. Qb1 f4 13. Nd4 Nc6 14. Bd6 Qe6 15. Nf5 Rg8 16. c4 Bc3 17. Bf8 g5
18. Nd6+ cxd6 19. dxc3 gxh4 20. g3 d4 21. Qf5 fxg3+ 22. Qg6+ Kd8 23. exd4 Rxa4 24. Kh1 Kd7
25. Qd6+ Ke8 26. Qd7# 1-0
`;
const PLY = 35;

/** Seconds of search for each move, for the graph of the game, and for the shown position. */
const [SHORT, LONG] = [1, 8];

async function board(browser) {
  const server = await serve();
  const link = new URLSearchParams({ fen: START, moves: MOVES });
  const viewport = { width: 1260, height: 776 };
  const { page } = await open(browser, `${server.url}#/analyse?${link}`, { viewport });
  await page.locator('.main-line [aria-current]').waitFor();
  for (const move of await page.locator('.main-line > .move').all()) {
    await move.click();
    await move.locator('.evaluation').waitFor();
    await page.waitForTimeout(SHORT * 1000);
  }
  await page.waitForTimeout(LONG * 1000);
  await page.waitForFunction(() => !/[≤≥]/.test(document.querySelector('.lines').textContent));
  // A capture that is typed shows its blast.
  await page.fill('#move-input', CAPTURE);
  await page.locator('square.blast-centre').waitFor();
  await page.screenshot({ path: file('docs/board.png') });
  await server.down();
}

async function review(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'brisance-pictures-'));
  const [game, html] = ['game.pgn', 'game.html'].map((name) => join(folder, name));
  writeFileSync(game, GAME);
  execFileSync(program, ['analyse', game, '--nodes', '400k', '--html', html], { stdio: 'ignore' });
  const page = await browser.newPage({ viewport: { width: 1200, height: 860 } });
  await page.goto(`${pathToFileURL(html)}#1.${PLY}`);
  await page.screenshot({ path: file('docs/review.png') });
  rmSync(folder, { recursive: true });
}

const browser = await launch();
await board(browser);
await review(browser);
await browser.close();
