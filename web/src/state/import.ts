// An export read again: added to what is on this device.
// Invariant: nothing that is here is lost, except that settings are those of the export.

import { change, load, refresh, saveAll } from './storage';

interface Progress {
  history: { id: string; at: number }[];
}

export async function importAll(values: Record<string, unknown>): Promise<void> {
  const { settings, setup, puzzles, ...documents } = values;
  if (settings) await change('settings', () => settings);
  // The settings of a game, not a game.
  if (setup) await change('setup', () => setup);
  if (puzzles) await change<Progress>('puzzles', (kept) => join(kept, puzzles as Progress));
  const fresh: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(documents)) {
    // The same document, changed meanwhile: both stay.
    const kept = await load(key);
    if (kept === undefined) fresh[key] = value;
    else if (JSON.stringify(kept) !== JSON.stringify(value)) fresh[`${key}-import`] = value;
  }
  await saveAll(fresh);
  for (const key of Object.keys(values)) refresh(key);
}

/** Both histories in order; a try that both have counts once. */
function join(kept: Progress | undefined, given: Progress): Progress {
  if (!kept) return given;
  const tries = new Map([...kept.history, ...given.history].map((tried) => [`${tried.id} ${tried.at}`, tried]));
  const history = [...tries.values()].sort((a, b) => a.at - b.at);
  return { ...kept, history };
}
