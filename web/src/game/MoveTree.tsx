// The moves of a game: two columns for the main line, variations in between, marks and comments.

import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { strings } from '../strings';
import { clockText } from '../play/clock';
import { scoreText } from '../clients/info';
import { run } from './SessionBoard';
import type { Session } from './session';
import { moveNumber, type Node } from './tree';

const marks: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };

export function markOf(node: Node): string {
  const nag = node.judgement?.nag ?? node.nags.find((number) => marks[number]);
  return nag ? (marks[nag] ?? '') : '';
}

export function MoveTree({ session }: { session: Session }) {
  const tree = session.tree.value;
  void tree.version.value;
  const list = useRef<HTMLDivElement>(null);
  const scrolled = useRef(false);
  const current = session.node.value;

  // Only the list scrolls, never the page.
  useEffect(() => {
    const box = list.current;
    const move = box?.querySelector<HTMLElement>('[aria-current]');
    // A list that never scrolled is at its top. Scrolling would lay out the page before its first frame.
    if (!box || (!move && !scrolled.current)) return;
    scrolled.current = true;
    const top = move ? move.offsetTop - box.clientHeight / 2 : 0;
    box.scrollTo({ top });
  }, [current, tree]);

  return (
    <div class="moves" ref={list} role="group" aria-label={strings.moveList} tabIndex={0}>
      {tree.root.comment && <p class="comment">{tree.root.comment}</p>}
      {tree.root.children.length ? <MainLine session={session} from={tree.root} /> : <p class="none">{strings.noMoves}</p>}
    </div>
  );
}

/** Rows of two moves; a variation or a comment interrupts the row. */
function MainLine({ session, from }: { session: Session; from: Node }) {
  const rows: ComponentChildren[] = [];
  let interrupted = true;
  for (let node = from.children[0]; node; node = node.children[0]) {
    const white = node.ply % 2 === 1;
    if (white || interrupted) {
      rows.push(<span key={`n${node.id}`} class="number">{Math.ceil(node.ply / 2)}</span>);
      if (!white) rows.push(<span key={`e${node.id}`} class="empty">…</span>);
    }
    rows.push(<Move key={node.id} session={session} node={node} />);
    const variations = node.parent?.children.slice(1) ?? [];
    interrupted = variations.length > 0 || node.comment !== '';
    if (interrupted) {
      if (white) rows.push(<span key={`f${node.id}`} class="empty">…</span>);
      rows.push(
        <div key={`v${node.id}`} class="aside">
          {node.comment && <p class="comment">{node.comment}</p>}
          {variations.map((variation) => (
            <p key={variation.id} class="variation">
              {variation.san === node.judgement?.bestSan && <span class="best">{strings.review.best} </span>}
              <Variation session={session} first={variation} />
            </p>
          ))}
        </div>,
      );
    }
  }
  return <div class="main-line">{rows}</div>;
}

/** A line inside a variation, with its own variations in brackets. */
function Variation({ session, first }: { session: Session; first: Node }) {
  const parts: ComponentChildren[] = [];
  let numbered = true;
  for (let node: Node | undefined = first; node; node = node.children[0]) {
    const number = moveNumber(node.ply, numbered);
    parts.push(<Move key={node.id} session={session} node={node} number={number} />);
    numbered = false;
    if (node.comment) parts.push(<span key={`c${node.id}`} class="comment">{node.comment}</span>);
    const others: Node[] = node === first ? [] : (node.parent?.children.slice(1) ?? []);
    for (const other of others) {
      parts.push(<span key={`o${other.id}`}>(<Variation session={session} first={other} />)</span>);
      numbered = true;
    }
  }
  return <>{parts}</>;
}

function Move({ session, node, number }: { session: Session; node: Node; number?: string }) {
  // Nodes change in place: without this the old mark would stay.
  void session.tree.value.version.value;
  const mark = markOf(node);
  const evaluation = number === undefined && node.evaluation ? scoreText(node.evaluation.score) : '';
  return (
    <button
      type="button"
      class={`move ${marksClass(mark)}`}
      aria-current={session.node.value === node ? 'step' : undefined}
      onClick={() => run(session.goTo(node))}
    >
      {number && <span class="index">{number} </span>}
      {node.san}
      {mark && <span class="mark">{mark}</span>}
      {(evaluation || node.clock !== null) && (
        <span class="evaluation">
          {evaluation}
          {evaluation && node.proof && <em class="proved">{strings.proved}</em>}
          {node.clock !== null && <time class="move-clock">{clockText(node.clock * 1000)}</time>}
        </span>
      )}
    </button>
  );
}

function marksClass(mark: string): string {
  return { '?!': 'inaccuracy', '?': 'mistake', '??': 'blunder' }[mark] ?? '';
}
