// The panel of the questions: what to find, how the answer did, and the way on.

import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import type { Learn } from './learn';

const text = strings.learn;

export function LearnPanel({ learn }: { learn: Learn }) {
  const all = learn.questions.value?.length ?? 0;
  const index = learn.index.value;
  const state = learn.state.value;
  const next = index + 1 < all;
  return (
    <div class="panel learn">
      <h2>{text.title}</h2>
      <p class="hint">{text.count(index + 1, all)}</p>
      <p class={`verdict ${state === 'right' ? 'solved' : state}`}>{learn.message.value}</p>
      <div class="row wrap">
        {state === 'wrong' && (
          <button type="button" class="button primary" onClick={() => run(learn.ask(index))}>
            {text.again}
          </button>
        )}
        {(state === 'find' || state === 'wrong') && (
          <button type="button" class="button" onClick={() => run(learn.solve())}>
            {text.solution}
          </button>
        )}
        {state !== 'done' && state !== 'checking' && (
          <button
            type="button"
            class={state === 'right' ? 'button primary' : 'button'}
            onClick={() => run(learn.ask(index + 1))}
          >
            {next ? text.next : text.finish}
          </button>
        )}
        <button type="button" class={state === 'done' ? 'button primary' : 'button'} onClick={() => learn.end()}>
          {text.leave}
        </button>
      </div>
    </div>
  );
}
