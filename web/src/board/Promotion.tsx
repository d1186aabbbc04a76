// The choice of a promotion piece. With a capture the new piece explodes, so nothing is asked.

import { useEffect, useRef } from 'preact/hooks';
import type { Role } from '@lichess-org/chessground/types';
import { promotion } from '../game/squares';
import { strings } from '../strings';
import type { LegalMove, Side } from '../clients/types';

interface Props {
  moves: LegalMove[];
  side: Side;
  onChoose(move: LegalMove | null): void;
}

export function Promotion({ moves, side, onChoose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="promotion" aria-label={strings.promotion} onClose={() => onChoose(null)}>
      <div class="cg-wrap promotion-pieces">
        {moves.map((move) => {
          const role = promotion(move.uci) ?? ('queen' as Role);
          return (
            <button key={move.uci} type="button" aria-label={strings.pieces[role]} onClick={() => onChoose(move)}>
              <piece class={`${role} ${side}`} />
            </button>
          );
        })}
      </div>
    </dialog>
  );
}
