import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isInstalled, markInstalled, matchesLockfile } from '../../scripts/setup/install.mjs';
import { withLock } from '../../scripts/setup/lock.mjs';
import { cachedTemporal, findTemporal } from '../../server/embedded/temporal/find.mjs';
import { obtainTemporal } from '../../server/embedded/temporal/obtain.mjs';
import { temporaryFolder, until } from './support.ts';

const quietly = {
  step: <T>(_title: string, work: () => Promise<T>) => work(),
  say: () => {},
};

const everywhere = (digest: string): Record<string, string> =>
  Object.fromEntries(
    ['linux', 'darwin', 'windows'].flatMap((system) => ['amd64', 'arm64'].map((arch) => [`${system}-${arch}`, digest])),
  );

function writeProgram(path: string): void {
  writeFileSync(path, '#!/bin/sh\necho temporal version 1.5.1\n');
  chmodSync(path, 0o755);
}

/** Answers as the download service of the Temporal SDKs does; `digest` is that of what it hands out. */
async function downloadService(): Promise<{ downloads: string; digest: string }> {
  const folder = temporaryFolder();
  writeProgram(join(folder, 'temporal'));
  execFileSync('tar', ['-czf', 'archive.tar.gz', 'temporal'], { cwd: folder });
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url?.startsWith('/cli/v1.5.1?')) {
      response.end(JSON.stringify({ archiveUrl: `${origin}/archive.tar.gz`, fileToExtract: 'temporal' }));
    } else response.end(readFileSync(join(folder, 'archive.tar.gz')));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await until(() => server.listening);
  const address = server.address();
  const downloads = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'archive.tar.gz')))
    .digest('hex');
  return { downloads, digest };
}

test('the Temporal server is the one on PATH, else the cached one', () => {
  const folder = temporaryFolder();
  const env = { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') };
  expect(findTemporal(env)).toBeNull();

  const cached = join(folder, 'cache', 'fatura', 'temporal-1.5.1', 'temporal');
  mkdirSync(join(cached, '..'), { recursive: true });
  writeProgram(cached);
  expect(findTemporal(env)).toBe(cached);

  mkdirSync(env.PATH);
  writeProgram(join(env.PATH, 'temporal'));
  expect(findTemporal(env)).toBe(join(env.PATH, 'temporal'));
});

test('a downloaded Temporal server ends in the cache, and nothing else stays there', async () => {
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: temporaryFolder() };
  const target = cachedTemporal(env);
  mkdirSync(join(target, '..', 'draft-1'), { recursive: true }); // of a set-up that was killed
  const { downloads, digest } = await downloadService();
  expect(await obtainTemporal({ env, ...quietly, downloads, archives: everywhere(digest) })).toBe(target);
  expect(readdirSync(join(target, '..'))).toEqual(['temporal']);
  expect(execFileSync(target, { encoding: 'utf8' })).toBe('temporal version 1.5.1\n');
});

test('a download with another checksum than the pinned one is not run', async () => {
  const env = { PATH: '/nowhere', XDG_CACHE_HOME: temporaryFolder() };
  const { downloads, digest } = await downloadService();
  const pinned = 'f'.repeat(64);
  const failure = obtainTemporal({ env, ...quietly, downloads, archives: everywhere(pinned) });
  await expect(failure).rejects.toThrow(`has the SHA-256 ${digest} instead of ${pinned}: it is not run`);
  expect(existsSync(cachedTemporal(env))).toBe(false);
  // As the service pins it, what this one hands out is another file, too.
  await expect(obtainTemporal({ env, ...quietly, downloads })).rejects.toThrow(/it is not run|no checksum is known/);
});

test('without download and without Go the message says what to do', async () => {
  const env = { PATH: '/nowhere', XDG_CACHE_HOME: temporaryFolder() };
  const failure = obtainTemporal({ env, ...quietly, downloads: 'http://127.0.0.1:9' });
  await expect(failure).rejects.toThrow(/Download: .*\n.*there is no `go` on PATH\nDo one of these/);
  await expect(failure).rejects.toThrow('TEMPORAL_ADDRESS');
  expect(existsSync(cachedTemporal(env))).toBe(false);
});

test('packages are installed anew exactly when the lockfile is another', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules', '.bin', 'node'), '');
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');
  expect(isInstalled(root)).toBe(false);
  markInstalled(root);
  expect(isInstalled(root)).toBe(true);
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{"node_modules/pg":{"version":"8.0.0"}}}');
  expect(isInstalled(root)).toBe(false);
});

test("an npm install of one's own counts when it put there what the lockfile asks for", () => {
  const root = temporaryFolder();
  const pg = { version: '8.0.0', integrity: 'sha512-x' };
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules', '.bin', 'node'), '');
  const lockfiles = (wanted: object, present: object) => {
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: present }));
  };
  lockfiles({ 'node_modules/pg': pg, 'node_modules/other-os': { optional: true } }, { 'node_modules/pg': pg });
  expect(matchesLockfile(root)).toBe(true);
  lockfiles({ 'node_modules/pg': { ...pg, version: '8.0.1' } }, { 'node_modules/pg': pg });
  expect(matchesLockfile(root)).toBe(false);
  lockfiles({ 'node_modules/pg': pg, 'node_modules/zod': pg }, { 'node_modules/pg': pg });
  expect(matchesLockfile(root)).toBe(false);
  lockfiles({}, { 'node_modules/pg': pg });
  expect(matchesLockfile(root)).toBe(false);
});

test('two set-ups at once take turns', async () => {
  const path = join(temporaryFolder(), 'setup.lock');
  const story: string[] = [];
  const setUp = (name: string) =>
    withLock(path, {
      onWait: () => story.push('waits'),
      work: async () => {
        story.push(`${name} begins`);
        await sleep(100);
        story.push(`${name} ends`);
      },
    });
  await Promise.all([setUp('one'), setUp('other')]);
  expect(story.filter((line) => line !== 'waits')).toEqual(['one begins', 'one ends', 'other begins', 'other ends']);
  expect(story).toContain('waits');
});

test.each([
  ['whose holder is gone', '999999999 token', 0],
  ['that nobody touched for a minute', `${process.pid} token`, 60],
])('a lock %s is taken over', async (_what, holder, ageSeconds) => {
  const path = join(temporaryFolder(), 'setup.lock');
  writeFileSync(path, holder);
  const touchedAt = Date.now() / 1000 - ageSeconds;
  utimesSync(path, touchedAt, touchedAt);
  expect(await withLock(path, { onWait: () => {}, work: async () => 'done' })).toBe('done');
  expect(existsSync(path)).toBe(false);
});

test('regression-96-an install script runs only where package.json names it, and none reports home', () => {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { allowScripts, scarfSettings } = JSON.parse(readFileSync('package.json', 'utf8'));
  const packages = Object.entries<{ hasInstallScript?: boolean }>(lockfile.packages);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
  expect(scripted.length).toBeGreaterThan(5);
  expect(
    scripted.map((place) => place.split('node_modules/').at(-1)).filter((name) => !(`${name}` in allowScripts)),
  ).toEqual([]);
  expect(allowScripts['@scarf/scarf']).toBe(false);
  // An npm without allowScripts runs the script; it then reads this.
  expect(scarfSettings).toEqual({ enabled: false });
});

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
