// A line of moves from the shown position: each move plays the line up to it.

import { run } from '../game/SessionBoard';
import { moveNumber } from '../game/tree';
import type { Analysis } from './analysis';

interface Props {
  analysis: Analysis;
  /** In UCI or SAN. */
  line: readonly string[];
  san: readonly string[];
}

/** The Tab key stops at the first move only. */
export function PlayableLine({ analysis, line, san }: Props) {
  const { ply } = analysis.session.node.value;
  return (
    <span class="pv">
      {san.map((name, index) => (
        <button
          key={index}
          type="button"
          tabIndex={index ? -1 : 0}
          onClick={() => run(analysis.playLine(line.slice(0, index + 1)))}
        >
          {moveNumber(ply + 1 + index, index === 0)} {name}
        </button>
      ))}
    </span>
  );
}
