// What a pasted or dropped text is: a position in any form that people have, a link of this page,
// or else games.
// Invariant: every text is one of these; nothing is ignored.

import { piecesOf } from '../game/squares';
import type { Key } from '../clients/types';

export type Recognised =
  | { is: 'position'; fen: string; isPlacementOnly: boolean }
  | { is: 'own link'; params: URLSearchParams }
  | { is: 'other link' }
  | { is: 'nothing' }
  | { is: 'games'; text: string };

const placement = /[pnbrqkPNBRQK1-8]+(?:\/[pnbrqkPNBRQK1-8]+){7}/;
/** Close enough to a FEN that the core should say what is wrong with it. */
const likeFen = /^[A-Za-z0-9~]+(\/[A-Za-z0-9~]+){5,9}(\s|$)/;
const link = /^(https?:\/\/|www\.)\S+$|^[\w-]+(\.[\w-]+)*\.(org|com|net|ovh|io|dev)\/\S*$/i;

export function recognise(given: string): Recognised {
  const text = given.replace(/^\uFEFF/, '').trim();
  if (!text) return { is: 'nothing' };
  if (link.test(text)) return recogniseLink(text);
  const fen = plainFen(text);
  if (!/\n/.test(fen) && likeFen.test(fen)) return position(fen);
  return { is: 'games', text };
}

/** A FEN with its label, underscores or escapes taken away. */
export function plainFen(text: string): string {
  const bare = text.trim().replace(/^\[?\s*FEN\s*[:=]?\s*"?/i, '').replace(/"\s*\]?$/, '');
  return (/\s/.test(bare) ? bare : unescape(bare).replaceAll('_', ' ').replaceAll('+', ' ')).trim();
}

/** The position of a text that is to be one, in any form; what is none is left to the core. */
export function positionIn(text: string): Recognised & { is: 'position' } {
  const found = recognise(text);
  return found.is === 'position' ? found : position(plainFen(text));
}

function recogniseLink(text: string): Recognised {
  const [, query] = text.split('#/analyse?');
  if (query !== undefined) return { is: 'own link', params: new URLSearchParams(query) };
  const words = unescape(text).replaceAll('_', ' ').replaceAll('+', ' ');
  const found = placement.exec(words);
  if (!found) return { is: 'other link' };
  const [fields] = /^[^&?#]*/.exec(words.slice(found.index)) ?? [''];
  return position(fields);
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The placement alone is read with White to move and the castling rights that it allows. */
export function position(text: string): Recognised & { is: 'position' } {
  const fen = text.trim();
  if (/\s/.test(fen) || !placement.test(fen)) return { is: 'position', fen, isPlacementOnly: false };
  return { is: 'position', fen: `${fen} w ${rightsOf(fen)} - 0 1`, isPlacementOnly: true };
}

function rightsOf(fen: string): string {
  const pieces = piecesOf(fen);
  const stands = (square: string, color: string, role: string) => {
    const piece = pieces.get(square as Key);
    return piece?.color === color && piece.role === role;
  };
  const rights = [
    ['K', 'white', 'e1', 'h1'],
    ['Q', 'white', 'e1', 'a1'],
    ['k', 'black', 'e8', 'h8'],
    ['q', 'black', 'e8', 'a8'],
  ] as const;
  const held = rights.filter(([, color, king, rook]) => stands(king, color, 'king') && stands(rook, color, 'rook'));
  return held.map(([right]) => right).join('') || '-';
}
