import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import lockfile from '../../../package-lock.json' with { type: 'json' };
import { askFramework } from '../../../sdk/src/cli/init.ts';
import { frameworks } from '../../../sdk/src/cli/starter.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { newUser, runCli, runHere, startCli } from './run-cli.ts';

const names = Object.keys(frameworks);

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fatura-init-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const manifestIn = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

describe('a folder', () => {
  test('with files is refused, and they are named', async () => {
    const folder = await newFolder();
    for (const file of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await writeFile(join(folder, file), '');
    const args = ['init', '--framework', 'node', '--sdk', '0.1.0', '--dir', folder];
    const { code, stdout, stderr } = await runHere(await newUser(), args);
    const words = `${folder} is not empty: it has a, b, c, d, e and 2 more. Give another folder with --dir.\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: words });
    expect(await readdir(folder)).toHaveLength(7);
  });

  test('in which npm left what it makes by itself is taken', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'node_modules', '@fatura'), { recursive: true });
    await writeFile(join(folder, 'package-lock.json'), '{}');
    await writeFile(join(folder, 'package.json'), '{ "dependencies": { "@fatura/sdk": "file:fatura-sdk-0.1.0.tgz" } }');
    const args = ['init', '--framework', 'node', '--sdk', '0.1.0', '--dir', folder];
    expect((await runHere(await newUser(), args)).code).toBe(0);
    expect(await manifestIn(folder)).toMatchObject({ scripts: { dev: expect.any(String) } });
  });

  test.each(['{ "name": "loja" }', '{ "dependencies": { "express": "5" } }', '{'])(
    'with a manifest of somebody else, %s, is refused',
    async (manifest) => {
      const folder = await newFolder();
      await writeFile(join(folder, 'package.json'), manifest);
      const args = ['init', '--framework', 'node', '--sdk', '0.1.0', '--dir', folder];
      const { code, stderr } = await runHere(await newUser(), args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('it has package.json')]);
      expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(manifest);
    },
  );

  test('that is not there is made; an empty repository and the tarball of this package do not count', async () => {
    const folder = join(await newFolder(), 'Minha Loja');
    await mkdir(join(folder, '.git'), { recursive: true });
    await writeFile(join(folder, 'fatura-sdk-0.1.0.tgz'), '');
    const { code, stdout } = await runHere(await newUser(), ['init', '--framework', 'hono', '--dir', folder]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Wrote a shop on Hono to ${folder}`)]);
    const { name, dependencies } = await manifestIn(folder);
    expect([name, dependencies['@fatura/sdk']]).toEqual(['minha-loja', 'file:./fatura-sdk-0.1.0.tgz']);
  });
});

describe('the framework', () => {
  test.each([
    ['none, where nobody can be asked', [], /give --framework: one of express, next, hono, node/],
    ['an unknown one', ['--framework', 'rails'], /--framework must be one of express, next, hono, node, got rails/],
  ])('%s', async (_, options, words) => {
    const { code, stderr } = await runCli(await newUser(), ['init', '--dir', await newFolder(), ...options]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  test('is asked for until it is one of them', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const asked = askFramework(input, output, new AbortController().signal);
    input.write('rails\n');
    await expect.poll(() => output.readableLength).toBeGreaterThan(40);
    input.write('Hono\n');
    expect(await asked).toBe('hono');
    expect(String(output.read())).toContain('Framework (express, next, hono, node): ');
  });

  test('an empty answer gives up', async () => {
    const input = new PassThrough();
    const asked = askFramework(input, new PassThrough(), new AbortController().signal);
    input.write('\n');
    await expect(asked).rejects.toThrow('--framework must be one of express, next, hono, node');
  });
});

describe('what is installed as @fatura/sdk', () => {
  const installed = async (...options: string[]) => {
    const folder = join(await newFolder(), 'shop');
    const ran = await runHere(await newUser(), ['init', '--framework', 'node', '--dir', folder, ...options]);
    if (ran.code !== 0) return ran.stderr;
    return (await manifestIn(folder)).dependencies['@fatura/sdk'];
  };

  test('is a version that was said', async () => {
    expect(await installed('--sdk', '0.0.9')).toBe('0.0.9');
  });

  test('is a tarball that was said, by its path from the shop', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'sdk.tgz'), '');
    const installedAs = await installed('--sdk', join(folder, 'sdk.tgz'));
    expect(installedAs).toMatch(/^file:\.\.\/\.\.\/fatura-init-\w+\/sdk\.tgz$/);
  });

  test('is no tarball that is not there', async () => {
    expect(await installed('--sdk', './nowhere.tgz')).toBe('--sdk: there is no ./nowhere.tgz\n');
  });
});

test.each(['0', '65536', 'x'])('a port of %s is refused', async (port) => {
  const args = ['init', '--framework', 'node', '--sdk', '0.1.0', '--dir', await newFolder(), '--port', port];
  expect((await runHere(await newUser(), args)).code).toBe(2);
});

/** Versions of the lockfile that the shops share with the repository. */
const locked: Readonly<Record<string, object>> = lockfile.packages;

test.each(names)('a shop on %s names exact versions, those of this repository where it has them', async (framework) => {
  const folder = join(await newFolder(), 'shop');
  await runHere(await newUser(), ['init', '--framework', framework, '--dir', folder, '--sdk', '0.1.0']);
  const { dependencies, devDependencies } = await manifestIn(folder);
  const versions = Object.entries<string>({ ...dependencies, ...devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const others = versions.filter(([name, version]) => {
    const ours = locked[`node_modules/${name}`] ?? {};
    return 'version' in ours && ours.version !== version;
  });
  expect(others).toEqual([]);
  const files = await readdir(folder, { recursive: true });
  for (const file of ['.env', '.env.example', '.gitignore', 'README.md', 'tsconfig.json', 'test/webhook.test.ts']) {
    expect(files).toContain(file);
  }
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toMatch(/^\.env$/m);
});

describe('with a key', () => {
  let api: RealTimeApi;
  let shop: Merchant;

  beforeAll(async () => {
    api = await startRealTimeApi();
    shop = await api.newMerchant();
  });

  afterAll(() => api.stop());

  const wordsFor = (folder: string) => ['init', '--framework', 'node', '--sdk', '0.1.0', '--dir', folder];

  test('of the sandbox, .env has it for its owner alone, and the secret that listen signs with', async () => {
    const folder = await newFolder();
    const user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: api.baseUrl });
    const { stdout, stderr } = await runHere(user, [...wordsFor(folder), '--port', '4321']);
    expect(stdout + stderr).not.toContain(shop.sandboxKey);
    const listening = startCli(user, ['listen', '--forward-to', 'localhost:4321/webhooks']);
    const secret = /whsec_\S+/.exec(await listening.until(/whsec_/))?.[0];
    const settings = (await readFile(join(folder, '.env'), 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line));
    expect(settings).toEqual([
      `FATURA_API_KEY=${shop.sandboxKey}`,
      `FATURA_BASE_URL=${api.baseUrl}`,
      `WEBHOOK_SECRET=${secret}`,
      'PORT=4321',
    ]);
    expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, '.env.example'), 'utf8')).not.toContain(shop.sandboxKey);
  });

  test('that is live nothing is written', async () => {
    const folder = await newFolder();
    const user = await newUser({ FATURA_API_KEY: shop.liveKey, FATURA_BASE_URL: api.baseUrl });
    const { code, stderr } = await runHere(user, wordsFor(folder));
    expect([code, stderr]).toEqual([1, expect.stringContaining('`fatura init` works in the sandbox alone')]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('of a service that is away the shop is written all the same, without the secret', async () => {
    const folder = await newFolder();
    const user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: 'http://127.0.0.1:1' });
    const { code, stderr } = await runHere(user, wordsFor(folder));
    expect([code, stderr]).toEqual([0, expect.stringContaining('The signing secret is not known yet')]);
    expect(await readFile(join(folder, '.env'), 'utf8')).toMatch(/^WEBHOOK_SECRET=$/m);
  });
});
