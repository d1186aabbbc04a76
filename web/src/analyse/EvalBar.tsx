// Win, draw and loss of the shown position as a bar in three parts, White's side at White's end.

import type { Wdl } from '../clients/info';
import type { Side } from '../clients/types';
import { strings } from '../strings';

interface Props {
  wdl: Wdl | null;
  score: string;
  orientation: Side;
}

export function EvalBar({ wdl, score, orientation }: Props) {
  const { win, draw, loss } = wdl ?? { win: 0, draw: 0, loss: 0 };
  const percent = (share: number) => Math.round(share * 100);
  const text = wdl ? strings.analyse.wdl(percent(win), percent(draw), percent(loss)) : '';
  return (
    <div class={`eval-bar ${orientation} ${wdl ? '' : 'unknown'}`} role="img" aria-label={`${strings.analyse.barLabel}: ${text || '–'}`} title={text}>
      <span class="loss" style={{ flexGrow: loss }} />
      <span class="draw" style={{ flexGrow: draw }} />
      <span class="win" style={{ flexGrow: win }} />
      <span class="score">{score}</span>
    </div>
  );
}
