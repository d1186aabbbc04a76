// The review of a game: effort, progress, accuracy and the marked moves.

import { useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import { markOf } from '../game/MoveTree';
import { moveNumber, type Node } from '../game/tree';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import type { Analysis } from './analysis';
import type { Effort, Review } from './review';

const text = strings.review;
type Mark = keyof typeof text.marks;

export function ReviewPanel({ analysis, review }: { analysis: Analysis; review: Review }) {
  const [effort, setEffort] = useState<Effort>('normal');
  const tree = analysis.session.tree.value;
  void tree.version.value;
  const progress = review.progress.value;
  const { accuracy } = tree;
  const line = tree.mainLine().slice(1);
  if (line.length === 0) return <p class="none">{text.empty}</p>;
  if (progress) {
    return (
      <div class="review">
        <progress max={progress.all} value={progress.done} aria-label={text.progress(progress.done, progress.all)} />
        <div class="row">
          <span>{text.progress(progress.done + 1, progress.all)}</span>
          <button type="button" class="button" onClick={() => review.cancel()}>
            {text.stop}
          </button>
        </div>
      </div>
    );
  }
  return (
    <div class="review">
      <div class="row">
        <Choice name="effort" label={text.effort} options={text.efforts} value={effort} onChange={(next) => setEffort(next)} />
        <button type="button" class="button primary" onClick={() => run(review.run(effort))}>
          {accuracy ? text.again : text.start}
        </button>
      </div>
      {accuracy && (
        <table class="summary">
          <tbody>
            <SideRow side="white" accuracy={accuracy.white} line={line} />
            <SideRow side="black" accuracy={accuracy.black} line={line} />
          </tbody>
        </table>
      )}
      {accuracy && <Marked analysis={analysis} line={line} />}
      <p class="hint">{text.explained}</p>
    </div>
  );
}

function SideRow({ side, accuracy, line }: { side: 'white' | 'black'; accuracy: number | null; line: Node[] }) {
  const own = line.filter((node) => (node.ply % 2 === 1) === (side === 'white'));
  const marks = Object.keys(text.marks) as Mark[];
  return (
    <tr>
      <th scope="row">{text.accuracy(strings.sides[side], accuracy?.toFixed(0) ?? '–')}</th>
      {marks.map((mark) => (
        <td key={mark} title={text.marks[mark]}>
          <span class={`mark mark-${marks.indexOf(mark)}`}>{mark}</span> {own.filter((node) => markOf(node) === mark).length}
        </td>
      ))}
    </tr>
  );
}

function Marked({ analysis, line }: { analysis: Analysis; line: Node[] }) {
  const marked = line.filter((node) => node.judgement?.nag);
  if (marked.length === 0) return <p class="none">{text.none}</p>;
  return (
    <p class="marked">
      {marked.map((node) => (
        <button key={node.id} type="button" class="chip" onClick={() => run(analysis.session.goTo(node))}>
          {moveNumber(node.ply, true)} {node.san}
          {markOf(node)}
        </button>
      ))}
    </p>
  );
}
