// What can be done with the shown move: comment, promote, delete; and undo.

import { strings } from '../strings';
import { run } from '../game/SessionBoard';
import { isMainLine } from '../game/tree';
import type { Analysis } from './analysis';

const text = strings.analyse;

export function MoveTools({ analysis }: { analysis: Analysis }) {
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
    </div>
  );
}
