// What the person can do in a game, and after it.

import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
import { SureButton } from '../ui/SureButton';
import type { Game } from './game';

const text = strings.play;

export function Actions({ game, onAnalyse }: { game: Game; onAnalyse(): void }) {
  const over = game.result.value !== null;
  if (over) {
    return (
      <div class="actions">
        <button type="button" class="button primary" onClick={onAnalyse}>
          {text.analyse}
        </button>
        <button type="button" class="button" onClick={() => run(game.rematch())}>
          {text.rematch}
        </button>
        <button type="button" class="button" onClick={() => run(game.prepare())}>
          {text.setup}
        </button>
      </div>
    );
  }
  return (
    <div class="actions">
      <IconButton icon="takeback" name={text.takeback} text disabled={!game.takebackTarget} onClick={() => run(game.takeback())} />
      <IconButton
        icon="hint"
        name={text.hint}
        text
        disabled={game.thinking.value || !game.atEnd}
        onClick={() => run(game.showHint())}
      />
      <IconButton icon="draw" name={text.draw} text onClick={() => game.offerDraw()} />
      <SureButton icon="flag" name={text.resign} question={text.resignSure} onSure={() => game.resign()} />
      <SureButton icon="add" name={text.setup} question={text.setupSure} onSure={() => run(game.prepare())} />
    </div>
  );
}
