// The Syzygy tables that the page offers for download, from a folder on this machine: all of up to four
// pieces. The build puts them into `dist/tables`, with `index.json`, their names and sizes in bytes.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of a table of two to four pieces, such as KQvKP.atbw. */
const small = /^(?=[A-Z]+v[A-Z]+\.)[KQRBNPv]{3,5}\.atb[wz]$/;

/** The files of the folder `tables`, by name. */
export function tableFiles(folder) {
  const names = readdirSync(folder).filter((name) => small.test(name));
  if (!names.length) throw new Error(`${folder} holds no atomic Syzygy tables`);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
  const sizes = Object.fromEntries(names.map((name) => [name, files[name].length]));
  return { ...files, 'index.json': Buffer.from(JSON.stringify(sizes)) };
}
