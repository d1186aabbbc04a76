// The review of a game: effort, progress, accuracy and the marked moves.

import { useState } from 'preact/hooks';
import { run } from '../game/SessionBoard';
import type { Side } from '../clients/types';
import { markOf } from '../game/MoveTree';
import { moveNumber, moverOf, type Node } from '../game/tree';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import { winText, type Analysis } from './analysis';
import type { Learn } from './learn';
import type { Effort, Review } from './review';

const text = strings.review;
type Mark = keyof typeof text.marks;

interface Props {
  analysis: Analysis;
  review: Review;
  learn: Learn;
}

export function ReviewPanel({ analysis, review, learn }: Props) {
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
  const again = (
    <div class="row">
      <Choice name="effort" label={text.effort} options={text.efforts} value={effort} onChange={(next) => setEffort(next)} />
      <button type="button" class="button primary" onClick={() => run(review.run(effort))}>
        {accuracy ? text.again : text.start}
      </button>
    </div>
  );
  if (!accuracy) {
    return (
      <div class="review">
        {again}
        <p class="hint">{text.explained}</p>
      </div>
    );
  }
  return (
    <div class="review done">
      <table class="summary" title={text.explained}>
        <tbody>
          <SideRow side="white" accuracy={accuracy.white} line={line} learn={learn} />
          <SideRow side="black" accuracy={accuracy.black} line={line} learn={learn} />
        </tbody>
      </table>
      <Marked analysis={analysis} line={line} />
      {again}
    </div>
  );
}

interface SideProps {
  side: Side;
  accuracy: number | null;
  line: Node[];
  learn: Learn;
}

function SideRow({ side, accuracy, line, learn }: SideProps) {
  const own = line.filter((node) => moverOf(node) === side);
  const marks = Object.keys(text.marks) as Mark[];
  return (
    <tr>
      <th scope="row">{text.accuracy(strings.sides[side], accuracy?.toFixed(0) ?? '–')}</th>
      {marks.map((mark) => (
        <td key={mark} title={text.marks[mark]}>
          <span class={`mark mark-${marks.indexOf(mark)}`}>{mark}</span> {own.filter((node) => markOf(node) === mark).length}
        </td>
      ))}
      <td>
        {learn.mistakes(side).length > 0 && (
          <button
            type="button"
            class="button small"
            aria-label={strings.learn.begin(strings.sides[side])}
            title={strings.learn.begin(strings.sides[side])}
            onClick={() => run(learn.begin(side))}
          >
            {strings.learn.short}
          </button>
        )}
      </td>
    </tr>
  );
}

/** What each marked move has cost, with its proof. */
function Marked({ analysis, line }: { analysis: Analysis; line: Node[] }) {
  const marked = line.filter((node) => node.judgement?.nag);
  if (marked.length === 0) return <p class="none">{text.none}</p>;
  return (
    <ol class="marked">
      {marked.map((node) => (
        <li key={node.id}>
          <button type="button" class="chip" onClick={() => run(analysis.session.goTo(node))}>
            {moveNumber(node.ply, true)} {node.san}
            <span class={`mark mark-${(Object.keys(text.marks) as string[]).indexOf(markOf(node))}`}>{markOf(node)}</span>
          </button>{' '}
          {costOf(node)}
        </li>
      ))}
    </ol>
  );
}

function costOf(node: Node): string {
  const { judgement } = node;
  if (!judgement) return '';
  const { parent, proof } = node;
  if (judgement.forced === 'missed') {
    return [text.forced.missed, parent?.proof ? winText(parent.proof) : ''].filter(Boolean).join(' ');
  }
  if (proof && proof.winner !== moverOf(node)) return `${strings.analyse.losesByForce(proof.moves)} ${proof.line}`;
  return judgement.forced ? text.forced.allowed : text.lost(Math.round(judgement.lost * 100));
}
