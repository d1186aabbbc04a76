// The view for training with proved wins.

import { useEffect } from 'preact/hooks';
import { copy } from '../analyse/files';
import { linkParams } from '../analyse/link';
import { Controls } from '../game/Controls';
import { MoveTree } from '../game/MoveTree';
import { run, SessionBoard } from '../game/SessionBoard';
import { movesTo } from '../game/tree';
import { address, route } from '../state/route';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
import { Puzzles } from './puzzles';

const text = strings.puzzles;

const puzzles = new Puzzles();

export function PuzzlesView() {
  const { value: target } = route;
  useEffect(() => run(puzzles.open(target.params.get('id'))), [target]);
  const { session } = puzzles;
  const state = puzzles.state.value;
  void session.node.value;
  if (state === 'missing') return <p class="page-note">{text.missing}</p>;
  if (state === 'unknown') return <Unknown puzzles={puzzles} />;
  const puzzle = puzzles.puzzle.value;
  const done = state === 'solved' || state === 'shown';
  return (
    <div class="layout">
      <h1 class="hidden">{text.title}</h1>
      <section class="board-area">
        <SessionBoard
          session={session}
          movable={state === 'find' ? puzzles.side : null}
          shapes={puzzles.hintArrows}
          status={state === 'loading' ? strings.loading : null}
          onMove={(move) => run(puzzles.try(move))}
        />
      </section>
      <section class="side">
        <div class="panel">
          <PuzzleFacts puzzles={puzzles} />
          <p class={`verdict ${state}`}>{state === 'none' ? text.none : puzzles.message.value}</p>
          <div class="actions">
            {state === 'find' && <IconButton icon="hint" name={text.hint} text onClick={() => puzzles.hint()} />}
            {state === 'wrong' && (
              <button type="button" class="button primary" onClick={() => run(puzzles.again())}>
                {text.tryAgain}
              </button>
            )}
            {(state === 'find' || state === 'wrong') && (
              <button type="button" class="button" onClick={() => run(puzzles.showSolution())}>
                {text.solution}
              </button>
            )}
            {done && (
              <button type="button" class="button primary" onClick={() => run(puzzles.next())}>
                {text.next}
              </button>
            )}
            {(done || state === 'wrong') && (
              <a class="button" href={address('analyse', linkParams(session.tree.value.start, movesTo(session.node.value)))}>
                {text.analyse}
              </a>
            )}
            {puzzle && (
              <button type="button" class="button" onClick={() => copyLink(puzzle.id)}>
                {strings.share.copyLink}
              </button>
            )}
          </div>
        </div>
        <div class="panel moves-panel">
          <MoveTree session={session} />
          <Controls session={session} />
        </div>
        <ProgressPanel puzzles={puzzles} />
      </section>
    </div>
  );
}

function copyLink(id: string): void {
  copy(`${location.origin}${location.pathname}${address('puzzles', { id })}`);
}

function Unknown({ puzzles }: { puzzles: Puzzles }) {
  return (
    <div class="page-note">
      <h1 class="hidden">{text.title}</h1>
      <p>{puzzles.message.value}</p>
      <button type="button" class="button primary" onClick={() => run(puzzles.next())}>
        {text.random}
      </button>
    </div>
  );
}

/** Which puzzle it is; what would help to solve it is not said. */
function PuzzleFacts({ puzzles }: { puzzles: Puzzles }) {
  const puzzle = puzzles.puzzle.value;
  if (!puzzle) return null;
  const facts = [text.name(puzzle.id), text.grades[puzzle.grade]];
  if (puzzle.variant !== 'atomic') facts.push(strings.variants[puzzle.variant]);
  return <p class="hint">{facts.filter(Boolean).join(' · ')}</p>;
}

function ProgressPanel({ puzzles }: { puzzles: Puzzles }) {
  const { grade, history, streak } = puzzles.progress.value;
  const failed = puzzles.toRepeat.value.length;
  const solved = history.filter((tried) => tried.solved).length;
  return (
    <div class="panel">
      <label class="field">
        <span>{text.grade}</span>
        <select value={grade} onChange={(event) => run(puzzles.setGrade(Number(event.currentTarget.value)))}>
          {text.grades.map((name, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p>
        <b>{text.streak(streak)}</b> · {text.solvedCount(solved, history.length)}
      </p>
      <div class="row wrap">
        <span>{text.repeatCount(failed)}</span>
        {failed > 0 && (
          <button type="button" class="button" onClick={() => run(puzzles.repeat())}>
            {text.repeat}
          </button>
        )}
      </div>
      {history.length > 0 && (
        <p class="history" role="img" aria-label={text.solvedCount(solved, history.length)} title={text.history}>
          {history.slice(-40).map(({ id, solved: right, at }) => (
            <span key={`${id}-${at}`} class={right ? 'tick' : 'cross'}>
              {right ? '✓' : '✗'}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
