// The two clients of the whole page.

import { UciEngine, type EngineClient } from './engine';
import { WorkerCore, type CoreClient } from './core';
import { banTable, filesChanged, keptFiles, keptTables } from '../state/files';
import { notify } from '../ui/notice';
import { strings } from '../strings';

export const core: CoreClient = new WorkerCore((why) => notify(strings.coreRestarted(why)), keptFiles);
export const engine: EngineClient = new UciEngine(
  {
    onFailure: (why) => notify(strings.engineRestarted(why)),
    onRefusal: (why) => notify(strings.engineRefused(why)),
    onDamagedTable: (name) => void drop(name),
  },
  keptTables,
);
/** A second core for long proofs, so that the first one answers at once; started when needed. */
export const solver: CoreClient = new WorkerCore((why) => notify(strings.coreRestarted(why)));

async function drop(table: string): Promise<void> {
  if (!(await banTable(table))) return;
  notify(strings.files.damaged(table));
  await core.unload([table]);
  engine.renew();
  filesChanged.value++;
}

/** The `Skill Level` of full strength. */
export const fullStrength = 20;
