// What the person can do in a game, and after it.

import { run } from '../game/SessionBoard';
import { movesTo } from '../game/tree';
import { address } from '../state/route';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
import { linkParams } from '../analyse/link';
import { SureButton } from '../ui/SureButton';
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
