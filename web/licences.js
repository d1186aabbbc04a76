// The licence texts of what the page and the module contain: `crates()` asks cargo for the crates in
// brisance.wasm, `packages()` reads the npm packages in the page. `./build` runs this file, which
// writes npm/licences.txt. Each text is printed once.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = 'wasm32-unknown-unknown';

/** Name, licence and folder of each crate in the module. */
function crates() {
  const cargo = (...args) => execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const tree = ['--locked', '-p', 'brisance-wasm', '--target', target, '-e', 'normal', '--prefix', 'none', '-f', '{p}'];
  const used = new Set(cargo('tree', ...tree).split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')));
  const { packages } = JSON.parse(cargo('metadata', '--locked', '--format-version', '1', '--filter-platform', target));
  return packages
    .filter(({ name, version, source }) => source && used.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path: path }) => ({ name: `${name} ${version}`, license, folder: dirname(path) }));
}

/** The same for the npm packages that the page depends on, with theirs. */
export function packages() {
  const found = new Map();
  const visit = (from, others = []) => {
    const { dependencies = {} } = JSON.parse(readFileSync(from, 'utf8'));
    for (const name of [...Object.keys(dependencies), ...others]) {
      const paths = createRequire(from).resolve.paths(name) ?? [];
      const folder = paths.map((path) => join(path, name)).find((path) => readdir(path).includes('package.json'));
      if (!folder || found.has(name)) continue;
      const manifest = join(folder, 'package.json');
      const { version, license } = JSON.parse(readFileSync(manifest, 'utf8'));
      found.set(name, { name: `${name} ${version}`, license, folder });
      visit(manifest);
    }
  };
  // The service worker is made of workbox, which the build brings.
  visit(join(root, 'web/package.json'), ['workbox-core']);
  return [...found.values()];
}

function readdir(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Where a package may be used under one of several licences, the MIT one; and its notices. */
function textsOf(folder) {
  const files = readdir(folder).filter((file) => /^(licen[cs]e|copying|unlicense|notice)/i.test(file));
  const mit = files.filter((file) => /mit/i.test(file));
  const chosen = mit.length ? [...mit, ...files.filter((file) => /notice|unicode/i.test(file))] : files;
  return chosen.map((file) => readFileSync(join(folder, file), 'utf8').trim());
}

export function notices(parts) {
  const names = new Map();
  for (const { name, license, folder } of parts) {
    const texts = textsOf(folder);
    for (const text of texts.length ? texts : [`(${license}: its text is that of the page or of another part.)`]) {
      names.set(text, [...(names.get(text) ?? []), `${name} (${license})`]);
    }
  }
  return [...names].map(([text, users]) => `${users.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(78)}\n\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(join(root, 'web/npm/licences.txt'), notices(crates()));
}
