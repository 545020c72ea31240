// A registry that lacks some platforms' optional packages makes npm write a lockfile without them, which `npm ci`
// then refuses on every machine. This adds what the depending package states: the version, and from its name the
// platform. Run it after an `npm install` against such a registry; elsewhere it finds nothing to do.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const path = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
const lockfile = JSON.parse(readFileSync(path, 'utf8'));
const added = Object.entries(lockfile.packages).flatMap(([parent, entry]) => missingOf(parent, entry));
for (const { place, entry } of added) lockfile.packages[place] = entry;
if (added.length > 0) {
  const sorted = Object.entries(lockfile.packages).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(path, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}
process.stdout.write(`${added.length} entries added to package-lock.json\n`);

function missingOf(parent, entry) {
  return Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isPlaced(parent, name))
    .map(([name, version]) => ({ place: `node_modules/${name}`, entry: describe({ name, version, parent: entry }) }));
}

/** Where Node would look: beside the parent, then in each folder above it. */
function isPlaced(parent, name) {
  const levels = parent.split('/node_modules/');
  const above = levels.map((_, depth) => levels.slice(0, depth + 1).join('/node_modules/'));
  return [...above.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].some(
    (place) => place in lockfile.packages,
  );
}

function describe({ name, version, parent }) {
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: ${version} is a range; only npm can choose from it.`);
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`${name} does not tell its platform; add it by hand.`);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : null;
  return { version, cpu, ...(parent.dev ? { dev: true } : {}), ...(libc ? { libc } : {}), optional: true, os };
}
