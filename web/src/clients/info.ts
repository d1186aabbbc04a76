// `info` lines of UCI as values from White's point of view.

import type { Side } from './types';

export type Score = { cp: number } | { mate: number };

/** Probabilities that White wins, draws and loses; they add up to 1. */
export interface Wdl {
  win: number;
  draw: number;
  loss: number;
}

export interface EngineLine {
  multipv: number;
  depth: number;
  seldepth: number;
  score: Score;
  bound: 'exact' | 'lower' | 'upper';
  wdl: Wdl;
  nodes: number;
  nps: number;
  tbhits: number;
  pv: string[];
}

/** None for lines without a score and a move, such as `info string`. */
export function parseInfo(line: string, turn: Side): EngineLine | null {
  const words = line.split(/\s+/);
  if (words[1] === 'string') return null;
  const number = (name: string, otherwise: number): number => {
    const at = words.indexOf(name);
    return at < 0 ? otherwise : Number(words[at + 1]);
  };
  const scoreAt = words.indexOf('score');
  const pvAt = words.indexOf('pv');
  if (scoreAt < 0 || pvAt < 0) return null;
  const sign = turn === 'white' ? 1 : -1;
  const value = sign * Number(words[scoreAt + 2]);
  const score: Score = words[scoreAt + 1] === 'mate' ? { mate: value } : { cp: value };
  return {
    multipv: number('multipv', 1),
    depth: number('depth', 0),
    seldepth: number('seldepth', 0),
    score,
    bound: words.includes('lowerbound') ? 'lower' : words.includes('upperbound') ? 'upper' : 'exact',
    wdl: readWdl(words, turn) ?? wdlOfScore(score),
    nodes: number('nodes', 0),
    nps: number('nps', 0),
    tbhits: number('tbhits', 0),
    pv: words.slice(pvAt + 1),
  };
}

function readWdl(words: string[], turn: Side): Wdl | null {
  const at = words.indexOf('wdl');
  if (at < 0) return null;
  const [own, draw, other] = words.slice(at + 1, at + 4).map((word) => Number(word) / 1000);
  if (own === undefined || draw === undefined || other === undefined) return null;
  return turn === 'white' ? { win: own, draw, loss: other } : { win: other, draw, loss: own };
}

/** The engine sends no probabilities with a mate; anything else without them counts as a draw. */
function wdlOfScore(score: Score): Wdl {
  if ('mate' in score) return score.mate > 0 ? { win: 1, draw: 0, loss: 0 } : { win: 0, draw: 0, loss: 1 };
  return { win: 0, draw: 1, loss: 0 };
}

/** White's expected score: 1 is a sure win, 0 a sure loss. */
export function expected(wdl: Wdl): number {
  return wdl.win + wdl.draw / 2;
}

/** `+0.4`, `−12`, `#3`: a score of four characters at most. */
export function shortScore(score: Score): string {
  if ('mate' in score) return scoreText(score);
  const pawns = Math.abs(score.cp) / 100;
  return `${score.cp < 0 ? '−' : '+'}${pawns.toFixed(pawns < 9.95 ? 1 : 0)}`;
}

/** `+0.35`, `−1.20`, `#3`, `#−2`. */
export function scoreText(score: Score): string {
  if ('mate' in score) return score.mate < 0 ? `#−${-score.mate}` : `#${score.mate}`;
  const pawns = (Math.abs(score.cp) / 100).toFixed(2);
  return `${score.cp < 0 ? '−' : '+'}${pawns}`;
}
