// Adds and deletes books and tables. The core gets them at once; the engine starts anew with them.
// Other tabs follow.

import type { NamedFile } from '../../npm/brisance.js';
import { core, engine } from '../clients';
import { CoreError } from '../clients/core';
import { report } from '../game/session';
import { filePrefix, filesChanged, forgetFiles, isBanned, keepFiles, keptFiles } from '../state/files';
import { watch } from '../state/storage';
import { strings } from '../strings';
import { hasItsMagic } from './magic';

const text = strings.files;

/** Keeps the good ones. Fails with the name of the first file that is refused, or when there is no room. */
export async function addFiles(files: readonly NamedFile[]): Promise<void> {
  const good: NamedFile[] = [];
  let refusal: unknown = null;
  for (const file of files) {
    try {
      await use(file);
      good.push(file);
    } catch (error) {
      refusal ??= error;
    }
  }
  await keepFiles(good).catch(() => (refusal = new CoreError(text.noRoom)));
  renew();
  if (refusal) throw refusal;
}

async function use(file: NamedFile): Promise<void> {
  const { name, content } = file;
  if (!hasItsMagic(name, content)) throw new CoreError(text.notAtomicTable(name));
  if (await isBanned(file)) throw new CoreError(text.damaged(name));
  await core.load(name, content);
}

export async function deleteFiles(names: readonly string[]): Promise<void> {
  await forgetFiles(names);
  await core.unload(names);
  renew();
}

watch(filePrefix, () => void follow().catch(report));

async function follow(): Promise<void> {
  await core.replaceFiles(await keptFiles());
  renew();
}

function renew(): void {
  engine.renew();
  filesChanged.value++;
}
