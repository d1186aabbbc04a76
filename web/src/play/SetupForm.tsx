// The settings of a new game. Until the first move they take effect at once.

import { useEffect, useState } from 'preact/hooks';
import type { Level } from '../clients/core';
import { run } from '../game/SessionBoard';
import { strings } from '../strings';
import { Choice } from '../ui/Choice';
import type { Game, Setup } from './game';

const text = strings.play;

export function SetupForm({ game, levels }: { game: Game; levels: Level[] }) {
  const [draft, setDraft] = useState<Setup>(game.setup.value);
  useEffect(() => setDraft(game.setup.value), [game.setup.value]);
  const fresh = !game.started;
  const over = game.result.value !== null;

  const update = (part: Partial<Setup>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (fresh && next.side === 'white') run(game.begin(next));
  };

  return (
    <details class="panel setup" open={fresh || over}>
      <summary>{text.setup}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run(game.begin(draft));
        }}
      >
        <label class="field">
          <span>{text.level}</span>
          <select value={draft.skill} onChange={(event) => update({ skill: Number(event.currentTarget.value) })}>
            {levels.map(({ skill, name, elo }) => (
              <option key={skill} value={skill}>
                {text.levelName(name, elo)}
              </option>
            ))}
          </select>
        </label>
        <Choice name="side" label={text.side} options={text.sides} value={draft.side} onChange={(side) => update({ side })} />
        <div class="fields">
          <label class="field">
            <span>{text.clock}</span>
            <select
              value={draft.clock}
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
              value={draft.variant}
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
              value={draft.chess960 ? 'chess960' : 'standard'}
              onChange={(event) => update({ chess960: event.currentTarget.value === 'chess960' })}
            >
              {Object.entries(text.positions).map(([key, label]) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {draft.chess960 && (
            <label class="field">
              <span>{text.number}</span>
              <input
                type="number"
                min={0}
                max={959}
                title={text.numberHint}
                value={draft.number ?? ''}
                onChange={(event) => update({ number: readNumber(event.currentTarget.value) })}
              />
            </label>
          )}
        </div>
        <p class="hint">{text.eloNote}</p>
        <button type="submit" class="button primary">
          {text.start}
        </button>
      </form>
    </details>
  );
}

function readNumber(value: string): number | null {
  const number = Number.parseInt(value, 10);
  return number >= 0 && number <= 959 ? number : null;
}
