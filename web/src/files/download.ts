// The tables that lie beside the page, if whoever hosts it has put them there.
// Invariant: a file that is cut off or no table is never kept.

import type { NamedFile } from '../../npm/brisance.js';
import { CoreError } from '../clients/core';
import { keptFiles } from '../state/files';
import { strings } from '../strings';
import { addFiles } from './files';

const folder = './tables/';
const text = strings.files;

/** Fetches the tables that are not here yet, and returns how many; `onStep` is called after each. */
export async function downloadTables(onStep: (done: number, all: number) => void): Promise<number> {
  const here = new Set((await keptFiles()).map(({ name }) => name));
  const missing = Object.entries(await readList()).filter(([name]) => !here.has(name));
  let done = 0;
  const fetchOne = async ([name, size]: [string, number]): Promise<NamedFile> => {
    const response = await get(name);
    const content = new Uint8Array(await response.arrayBuffer());
    if (!response.ok || content.length !== size) throw new CoreError(text.incomplete(name));
    onStep(++done, missing.length);
    return { name, content };
  };
  await addFiles(await Promise.all(missing.map(fetchOne)));
  return missing.length;
}

/** The names of the tables with their sizes in bytes. */
async function readList(): Promise<Record<string, number>> {
  const response = await get('index.json');
  // Some servers answer with the page itself instead of an error.
  const list: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (!list || typeof list !== 'object') throw new CoreError(text.notHere);
  return list as Record<string, number>;
}

function get(name: string): Promise<Response> {
  return fetch(folder + name).catch(() => {
    throw new CoreError(text.notReached);
  });
}
