// What can be done with the shown move: comment, promote, delete, play on from it; and undo.

import { strings } from '../strings';
import { run } from '../game/SessionBoard';
import { isMainLine } from '../game/tree';
import type { Game } from '../play/game';
import { address } from '../state/route';
import { SureButton } from '../ui/SureButton';
import type { Analysis } from './analysis';

const text = strings.analyse;

export function MoveTools({ analysis, game }: { analysis: Analysis; game: Game }) {
  const { session } = analysis;
  const node = session.node.value;
  const tree = session.tree.value;
  const undo = analysis.work.past.value.at(-1);
  void tree.version.value;
  return (
    <div class="move-tools">
      <input
        type="text"
        aria-label={text.commentLabel(node.san || strings.startPosition)}
        placeholder={text.comment}
        value={node.comment}
        onChange={(event) => analysis.comment(node, event.currentTarget.value)}
      />
      {node.parent && (
        <>
          {!isMainLine(node) && (
            <button type="button" class="button small" onClick={() => analysis.promote(node)}>
              {text.promote}
            </button>
          )}
          <button
            type="button"
            class="button small"
            onClick={() => run(analysis.remove(node))}
          >
            {text.remove}
          </button>
        </>
      )}
      {undo && (
        <button type="button" class="button small" title={undo.what} onClick={() => run(analysis.work.undo())}>
          {strings.work.undo}
        </button>
      )}
      {game.loaded.value && !session.info.value?.outcome && (
        <SureButton
          name={text.playFromHere}
          question={game.running ? strings.play.setupSure : null}
          onSure={() => run(playFrom(analysis, game))}
        />
      )}
    </div>
  );
}

/** The settings of a game that starts with the shown position; the person has the move. */
async function playFrom({ session }: Analysis, game: Game): Promise<void> {
  const { start, root } = session.tree.value;
  const node = session.node.value;
  const from = node === root ? start : { ...start, fen: node.fen };
  await game.prepare({ ...game.setup.value, side: session.info.value?.turn ?? 'white', from });
  location.hash = address('play');
}
