// PGN and FEN in and out, with chessops and python-chess as judges.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { makeFen } from 'chessops/fen';
import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { open, startSite } from './browser.js';

const site = startSite();

const script = fileURLToPath(new URL('../../scripts/clients/python_chess_tree.py', import.meta.url));

const games = {
  'variations, comments and marks': `[Event "Test"]
[White "A"]
[Black "B"]
[Result "1-0"]
[Variant "Atomic"]

1. Nf3 f6 (1... d5 2. Ne5 (2. e3 e6) 2... Nc6?? 3. Nxf7#) 2. Nd4 {a plan} c6 3. e3 e5 4. Qh5+ g6 5. Qxg6+ Ke7 1-0
`,
  'a Chess960 start': `[Event "Test"]
[Variant "Atomic"]
[SetUp "1"]
[FEN "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1"]
[Result "*"]

1. d4 d5 2. Nb3 Nb6 3. Bf4 Bf5 4. O-O-O O-O-O *
`,
};

/** Every line of the tree as SAN and FEN after each move, read by chessops. */
function judge(pgn) {
  const [game] = parsePgn(pgn);
  const lines = [];
  const walk = (node, position, path) => {
    for (const child of node.children) {
      const next = position.clone();
      const move = parseSan(next, child.data.san);
      assert.ok(move, `${child.data.san} after ${path.join(' ')}`);
      next.play(move);
      const here = [...path, child.data.san.replace(/[+#]/g, '')];
      lines.push([here.join(' '), makeFen(next.toSetup()).split(' ').slice(0, 2).join(' '), child.data.nags ?? []]);
      walk(child, next, here);
    }
  };
  walk(game.moves, startingPosition(game.headers).unwrap(), []);
  const comments = [...game.moves.mainlineNodes()].map((node) => node.data.comments?.join(' ') ?? '');
  return { lines: lines.sort(), comments };
}

/** What python-chess reads: every move of every line with its position, marks and comment. */
function judgeByPython(pgn) {
  const folder = mkdtempSync(join(tmpdir(), 'brisance-'));
  try {
    const file = join(folder, 'game.pgn');
    writeFileSync(file, pgn);
    const output = execFileSync('python3', [script, file], { encoding: 'utf8' });
    const [game, ...others] = JSON.parse(output.trim().split('\n').at(-1));
    assert.deepEqual(others, []);
    assert.deepEqual(game.errors, []);
    return game.moves.sort((a, b) => a.path.localeCompare(b.path));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [name, pgn] of Object.entries(games)) {
  test(`round trip: ${name}`, { timeout: 120_000 }, async () => {
    const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
    await page.getByRole('tab', { name: 'FEN & PGN' }).click();
    await page.getByRole('textbox', { name: 'PGN' }).fill(pgn);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.getByText('Game loaded.').waitFor();
    // The page writes the game again from its tree.
    await page.waitForFunction(
      (given) => {
        const { value } = document.querySelector('textarea');
        return value !== given && value.includes('1. ');
      },
      pgn,
    );
    const written = await page.getByRole('textbox', { name: 'PGN' }).inputValue();
    assert.deepEqual(judge(written), judge(pgn));
    assert.deepEqual(judgeByPython(written), judgeByPython(pgn));
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('a wrong FEN is named beside the field', { timeout: 120_000 }, async () => {
  const { page, errors, context } = await open(site.browser, `${site.server.url}#/analyse`);
  await page.getByRole('tab', { name: 'FEN & PGN' }).click();
  await page.getByRole('textbox', { name: 'FEN' }).fill('rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
  await page.getByRole('button', { name: 'Set position' }).click();
  await page.locator('#fen-error').filter({ hasText: /\w/ }).waitFor();
  assert.match(await page.locator('#fen-error').textContent(), /rank|row|square/i);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the link holds the position', { timeout: 120_000 }, async () => {
  const { page, context } = await open(site.browser, `${site.server.url}#/analyse`);
  for (const move of ['e3', 'e5', 'Qh5']) {
    await page.fill('#move-input', move);
    await page.press('#move-input', 'Enter');
    await page.locator('.move', { hasText: move }).waitFor();
  }
  await page.waitForFunction(() => location.hash.includes('d1h5'));
  const link = page.url();
  await context.close();
  const other = await open(site.browser, link);
  // The engine writes its score behind the last move.
  await other.page.locator('.main-line', { hasText: /^1\.?\s*e3\s*e5\s*2\.?\s*Qh5/ }).waitFor();
  await other.context.close();
});
