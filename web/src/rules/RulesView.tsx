// The view of the rules: a dozen positions, each with a task and what it shows.

import { useEffect } from 'preact/hooks';
import { run, SessionBoard } from '../game/SessionBoard';
import { address, route } from '../state/route';
import { strings } from '../strings';
import { lessons } from './lessons';
import { Rules } from './rules';

const text = strings.rules;

const rules = new Rules();

export function RulesView() {
  const number = route.value.params.get('n');
  useEffect(() => run(rules.open(number)), [number]);
  const index = rules.index.value;
  const state = rules.state.value;
  const lesson = text.lessons[rules.lesson.id];
  const verdict = {
    open: '',
    right: lesson.done,
    wrong: text.wrong(rules.session.node.value.san),
  }[state];
  return (
    <div class="layout">
      <section class="board-area">
        <SessionBoard
          session={rules.session}
          movable={state === 'open' ? 'white' : null}
          onMove={(move) => run(rules.try(move))}
        />
      </section>
      <section class="side">
        <div class="panel lesson">
          <h1>{text.title}</h1>
          <p class="hint">{text.count(index + 1, lessons.length)}</p>
          <h2>{lesson.title}</h2>
          <p>{lesson.task}</p>
          <p class={`verdict ${state === 'right' ? 'solved' : state}`}>{verdict}</p>
          <div class="row wrap">
            {state === 'wrong' && (
              <button type="button" class="button primary" onClick={() => run(rules.again())}>
                {text.again}
              </button>
            )}
            {index + 1 < lessons.length ? (
              <a class={state === 'right' ? 'button primary' : 'button'} href={address('rules', { n: String(index + 2) })}>
                {text.next}
              </a>
            ) : (
              <a class="button primary" href={address('play')}>
                {text.play}
              </a>
            )}
          </div>
        </div>
        <nav class="panel lessons" aria-label={text.all}>
          <ol>
            {lessons.map(({ id }, at) => (
              <li key={id}>
                <a href={address('rules', { n: String(at + 1) })} aria-current={at === index ? 'step' : undefined}>
                  {text.lessons[id].title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      </section>
    </div>
  );
}
