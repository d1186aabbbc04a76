// The settings of a new game, in the place of its moves until it starts. They take effect at once.

import type { Level } from '../clients/core';
import { run } from '../game/SessionBoard';
import { address } from '../state/route';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import type { Game, Setup } from './game';

const text = strings.play;

/** What this page is, for somebody who comes for the first time. */
export function Welcome() {
  return (
    <div class="welcome">
      <h2>{text.welcome}</h2>
      <p>
        {text.rulesInShort} <a href={address('rules')}>{text.learn}</a>
      </p>
    </div>
  );
}

export function SetupForm({ game, levels }: { game: Game; levels: Level[] }) {
  const setup = game.setup.value;
  const update = (part: Partial<Setup>) => run(game.prepare({ ...game.setup.value, ...part }));
  return (
    <div class="panel setup">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run(game.start());
        }}
      >
        <fieldset class="whole" disabled={!game.loaded.value}>
          <label class="field">
            <span>{text.level}</span>
            <select value={setup.skill} onChange={(event) => update({ skill: Number(event.currentTarget.value) })}>
              {levels.map(({ skill, name, elo }) => (
                <option key={skill} value={skill}>
                  {text.levelName(name, elo)}
                </option>
              ))}
            </select>
          </label>
          <Choice name="side" label={text.side} options={text.sides} value={setup.side} onChange={(side) => update({ side })} />
          <div class="fields">
            <label class="field">
              <span>{text.clock}</span>
              <select
                value={setup.clock}
                onChange={(event) => update({ clock: event.currentTarget.value as Setup['clock'] })}
              >
                {Object.entries(text.clocks).map(([key, label]) => (
                  <option key={key} value={key}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>{text.variant}</span>
              <select
                value={setup.from?.variant ?? setup.variant}
                disabled={setup.from !== null}
                onChange={(event) => update({ variant: event.currentTarget.value as Setup['variant'] })}
              >
                {Object.entries(strings.variants).map(([key, label]) => (
                  <option key={key} value={key}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <div class="fields">
            <label class="field">
              <span>{text.position}</span>
              <select
                value={setup.from ? 'given' : setup.chess960 ? 'chess960' : 'standard'}
                onChange={(event) => update({ chess960: event.currentTarget.value === 'chess960', from: null })}
              >
                {(Object.keys(text.positions) as (keyof typeof text.positions)[])
                  .filter((key) => key !== 'given' || setup.from)
                  .map((key) => (
                    <option key={key} value={key}>
                      {text.positions[key]}
                    </option>
                  ))}
              </select>
            </label>
            {setup.chess960 && !setup.from && (
              <label class="field">
                <span>{text.number}</span>
                <input
                  type="number"
                  min={0}
                  max={959}
                  title={text.numberHint}
                  value={setup.number ?? ''}
                  onChange={(event) => update({ number: readNumber(event.currentTarget.value) })}
                />
              </label>
            )}
          </div>
          <p class="hint">{text.eloNote}</p>
          <button type="submit" class="button primary">
            {text.start}
          </button>
        </fieldset>
      </form>
    </div>
  );
}

function readNumber(value: string): number | null {
  const number = Number.parseInt(value, 10);
  return number >= 0 && number <= 959 ? number : null;
}
