// What can be done with the shown move: comment, promote, delete.

import { strings } from '../strings';
import { run } from '../game/SessionBoard';
import { isMainLine } from '../game/tree';
import type { Analysis } from './analysis';

const text = strings.analyse;

export function MoveTools({ analysis }: { analysis: Analysis }) {
  const { session } = analysis;
  const node = session.node.value;
  const tree = session.tree.value;
  void tree.version.value;
  return (
    <div class="move-tools">
      <input
        type="text"
        aria-label={text.commentLabel(node.san || strings.startPosition)}
        placeholder={text.comment}
        value={node.comment}
        onChange={(event) => {
          node.comment = event.currentTarget.value;
          tree.changed();
        }}
      />
      {node.parent && (
        <>
          {!isMainLine(node) && (
            <button type="button" class="button small" onClick={() => tree.promote(node)}>
              {text.promote}
            </button>
          )}
          <button
            type="button"
            class="button small"
            onClick={() => {
              const parent = tree.remove(node);
              run(session.goTo(parent));
            }}
          >
            {text.remove}
          </button>
        </>
      )}
    </div>
  );
}
