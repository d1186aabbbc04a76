// The two clients of the whole page.

import { UciEngine, type EngineClient } from './engine';
import { WorkerCore, type CoreClient } from './core';
import { notify } from '../ui/notice';
import { strings } from '../strings';

export const core: CoreClient = new WorkerCore((why) => notify(strings.coreRestarted(why)));
export const engine: EngineClient = new UciEngine((why) => notify(strings.engineRestarted(why)));
/** A second core for long proofs, so that the first one answers at once; started when needed. */
export const solver: CoreClient = new WorkerCore((why) => notify(strings.coreRestarted(why)));

/** The `Skill Level` of full strength. */
export const fullStrength = 20;
