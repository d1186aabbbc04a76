// What the person can do in a game, and after it.

import { useEffect, useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import { movesTo } from '../game/tree';
import { address } from '../state/route';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
import { linkParams } from '../analyse/link';
import type { Game } from './game';

const text = strings.play;

export function Actions({ game }: { game: Game }) {
  const { session } = game;
  const over = game.result.value !== null;
  const tree = session.tree.value;
  const last = tree.mainLine().at(-1) ?? tree.root;
  if (over) {
    return (
      <div class="actions">
        <a class="button primary" href={address('analyse', linkParams(tree.start, movesTo(last)))}>
          {text.analyse}
        </a>
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
