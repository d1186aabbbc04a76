// What the person can do in a game, and after it.

import { useEffect, useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
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
      </div>
    );
  }
  return (
    <div class="actions">
      <IconButton icon="takeback" name={text.takeback} disabled={!game.started} onClick={() => run(game.takeback())} />
      <IconButton
        icon="hint"
        name={text.hint}
        disabled={game.thinking.value || !game.atEnd}
        onClick={() => run(game.showHint())}
      />
      <IconButton icon="draw" name={text.draw} disabled={!game.started} onClick={() => game.offerDraw()} />
      <Resign game={game} />
    </div>
  );
}

/** Asks once more in place of a dialog. */
function Resign({ game }: { game: Game }) {
  const [sure, setSure] = useState(false);
  useEffect(() => {
    if (!sure) return;
    const timer = setTimeout(() => setSure(false), 3000);
    return () => clearTimeout(timer);
  }, [sure]);
  if (sure) {
    return (
      <button type="button" class="button danger" onClick={() => game.resign()}>
        {text.resignSure}
      </button>
    );
  }
  return <IconButton icon="flag" name={text.resign} disabled={!game.started} onClick={() => setSure(true)} />;
}
