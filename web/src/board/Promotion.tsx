// The choice of a promotion piece, over the squares below (or above) the one where the pawn arrives.
// With a capture the new piece explodes, so nothing is asked.

import { useEffect, useRef } from 'preact/hooks';
import type { Role } from '@lichess-org/chessground/types';
import { promotion } from '../game/squares';
import { strings } from '../strings';
import type { LegalMove, Side } from '../clients/types';

interface Props {
  moves: LegalMove[];
  side: Side;
  orientation: Side;
  onChoose(move: LegalMove | null): void;
}

/** The piece that is nearly always wanted comes first and has the focus. */
const order: Role[] = ['queen', 'knight', 'rook', 'bishop'];

export function Promotion({ moves, side, orientation, onChoose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const roleOf = (move: LegalMove): Role => promotion(move.uci) ?? 'queen';
  useEffect(() => {
    const node = dialog.current;
    const board = document.querySelector('cg-board')?.getBoundingClientRect();
    if (!node) return;
    if (board && moves[0]) place(node, board, moves[0].to, orientation);
    node.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="promotion"
      aria-label={strings.promotion}
      onClose={() => onChoose(null)}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="cg-wrap promotion-pieces">
        {[...moves]
          .sort((a, b) => order.indexOf(roleOf(a)) - order.indexOf(roleOf(b)))
          .map((move) => (
            <button
              key={move.uci}
              type="button"
              aria-label={strings.pieces[roleOf(move)]}
              onClick={() => onChoose(move)}
            >
              <piece class={`${roleOf(move)} ${side}`} />
            </button>
          ))}
      </div>
    </dialog>
  );
}

/** The first piece lies on the square of the promotion, the others follow towards the middle. */
function place(node: HTMLElement, board: DOMRect, square: string, orientation: Side): void {
  const size = board.width / 8;
  const column = square.charCodeAt(0) - 97;
  const left = board.left + size * (orientation === 'white' ? column : 7 - column);
  const atTop = (square[1] === '8') === (orientation === 'white');
  node.style.setProperty('--square', `${size}px`);
  node.style.left = `${left}px`;
  node.style.top = `${atTop ? board.top : board.bottom - 4 * size}px`;
  node.classList.toggle('upwards', !atTop);
}
