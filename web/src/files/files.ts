// Adds and deletes books and tables. The core gets them at once; the engine starts anew with them.

import type { NamedFile } from '../../npm/brisance.js';
import { core, engine } from '../clients';
import { CoreError } from '../clients/core';
import { filesChanged, forgetFile, keepFiles } from '../state/files';
import { strings } from '../strings';
import { hasItsMagic } from './magic';

const text = strings.files;

/** Fails with the name of the first file that is refused, or when there is no room. */
export async function addFiles(files: readonly NamedFile[]): Promise<void> {
  for (const { name, content } of files) {
    if (!hasItsMagic(name, content)) throw new CoreError(text.notAtomicTable(name));
    await core.load(name, content);
  }
  try {
    await keepFiles(files);
  } catch {
    throw new CoreError(text.noRoom);
  } finally {
    renew();
  }
}

export async function deleteFiles(names: readonly string[]): Promise<void> {
  for (const name of names) {
    await forgetFile(name);
    await core.unload(name);
  }
  renew();
}

function renew(): void {
  engine.renew();
  filesChanged.value++;
}
