// The shown position as a PNG, drawn with the page's own pieces and colours.

import { lastMove, piecesOf } from '../game/squares';
import type { Session } from '../game/session';
import type { Key } from '../clients/types';

const size = 90;

export async function picture(session: Session): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 8 * size;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  const white = session.orientation.value === 'white';
  const style = getComputedStyle(document.documentElement);
  const at = (key: Key): [number, number] => {
    const file = key.charCodeAt(0) - 97;
    const rank = key.charCodeAt(1) - 49;
    return white ? [file * size, (7 - rank) * size] : [(7 - file) * size, rank * size];
  };
  for (let file = 0; file < 8; file++) {
    for (let rank = 0; rank < 8; rank++) {
      context.fillStyle = style.getPropertyValue((file + rank) % 2 ? '--square-light' : '--square-dark');
      context.fillRect(...at(String.fromCharCode(97 + file, 49 + rank) as Key), size, size);
    }
  }
  context.fillStyle = 'rgb(155 199 0 / 0.41)';
  for (const key of lastMove(session.node.value.uci) ?? []) context.fillRect(...at(key), size, size);
  for (const [key, { color, role }] of piecesOf(session.fen)) {
    context.drawImage(await pieceImage(`${role} ${color}`), ...at(key), size, size);
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  );
}

/** The drawing that the style sheet gives to a piece. */
async function pieceImage(name: string): Promise<HTMLImageElement> {
  const wrap = document.createElement('div');
  wrap.className = 'cg-wrap off-page';
  const piece = document.createElement('piece');
  piece.className = name;
  wrap.append(piece);
  document.body.append(wrap);
  const source = /url\("?(.*?)"?\)/.exec(getComputedStyle(piece).backgroundImage)?.[1] ?? '';
  wrap.remove();
  const image = new Image(size, size);
  image.src = source;
  await image.decode();
  return image;
}
