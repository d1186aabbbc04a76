// What a PGN says about a game against the engine.

import { core } from '../clients';
import { strings } from '../strings';
import type { Game } from './game';

const text = strings.play;

export async function tagsOf({ setup, side, result, clock, date }: Game): Promise<[string, string][]> {
  const { skill } = setup.value;
  const level = (await core.levels()).find((found) => found.skill === skill);
  const engine = [text.engine, level && text.levelName(level.name, level.elo)].filter(Boolean).join(', ');
  const [white, black] = side.value === 'white' ? [text.you, engine] : [engine, text.you];
  const end = result.value;
  const { control } = clock;
  const tags: [string, string][] = [
    ['Event', text.event],
    ['Site', '?'],
    ['Date', date.toISOString().slice(0, 10).replaceAll('-', '.')],
    ['Round', '-'],
    ['White', white],
    ['Black', black],
    ['Result', !end ? '*' : end.winner ? { white: '1-0', black: '0-1' }[end.winner] : '1/2-1/2'],
    ['TimeControl', control ? `${control.base / 1000}+${control.increment / 1000}` : '-'],
  ];
  return end ? [...tags, ['Termination', end.text]] : tags;
}
