import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { TEMPLATE } from '../support/global-setup.ts';
import { mutations } from './list.ts';
import { mutated } from './mutate.ts';
import type { Catcher, Mutation } from './mutation.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const VITEST = resolve(REPOSITORY, 'node_modules/vitest/vitest.mjs');
const CHILD_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'fatura-mutations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** More at once than the machine has cores only wait for each other. */
const LANES = 2;
let lanesFree = LANES;
const waiting: (() => void)[] = [];

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (lanesFree === 0) await new Promise<void>((go) => waiting.push(go));
  else lanesFree -= 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) lanesFree += 1;
    else next();
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

interface Run {
  readonly code: number;
  /** The tests that ran, by how they ended. */
  readonly ended: ReadonlyMap<string, string>;
  readonly output: string;
}

/** Runs tests in a Vitest of their own, on the PostgreSQL of this one. */
function runTests(catchers: readonly Catcher[], env: Record<string, string>): Promise<Run> {
  const outputFile = join(folder, `${randomBytes(6).toString('hex')}.json`);
  const files = [...new Set(catchers.map(({ file }) => file))];
  const names = catchers.map(({ test: name }) => escaped(name)).join('|');
  const args = ['run', '--config', 'test/mutations/vitest.config.ts', '--reporter=json', `--outputFile=${outputFile}`];
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const options = {
    cwd: REPOSITORY,
    timeout: CHILD_MS,
    env: { ...Object.fromEntries(own), TEST_POSTGRES_URL: inject('postgresUrl'), ...env },
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [VITEST, ...args, ...files, '-t', names], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, ended: readReport(outputFile), output: `${stdout}\n${stderr}` });
    });
  });
}

function readReport(file: string): ReadonlyMap<string, string> {
  // A run that never came to its tests reports nothing.
  if (!existsSync(file)) return new Map();
  // Vitest writes its report in the form of Jest's, of which this is a part.
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
  return new Map(
    ran
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => [fullName, status]),
  );
}

/** The template of all tests with one guard taken away. */
async function withChangedTemplate<T>(sql: string, work: (name: string) => Promise<T>): Promise<T> {
  const name = `mutation_${randomBytes(6).toString('hex')}`;
  await copyTemplate(name);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  try {
    await query(url.href, sql);
    return await work(name);
  } finally {
    await query(inject('postgresUrl'), `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

const TRIES_MAX = 20;
const OBJECT_IN_USE = '55006';

async function copyTemplate(name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query(inject('postgresUrl'), `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
    } catch (error) {
      // Another file copies the template at this moment.
      const isBusy = error instanceof Error && 'code' in error && error.code === OBJECT_IN_USE;
      if (!isBusy || tries >= TRIES_MAX) throw error;
      await sleep(50);
    }
  }
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function runMutated(mutation: Mutation): Promise<Run> {
  if ('sql' in mutation)
    return withChangedTemplate(mutation.sql, (template) => runTests([mutation.caughtBy], { TEST_TEMPLATE: template }));
  const { name, file, exported } = mutation;
  return runTests([mutation.caughtBy], { MUTATION: JSON.stringify({ name, file, exported }) });
}

test('each bug has its one function in the source', () => {
  for (const mutation of mutations) {
    if (!('bug' in mutation)) continue;
    const text = readFileSync(resolve(REPOSITORY, mutation.file), 'utf8');
    expect(mutated(text, mutation)).not.toBe(text);
  }
});

/** Every test of these files passes in a run like those of the mutations; that the others do is shown by the suite itself. */
const samples = ['test/api/payments/money.test.ts', 'test/api/payments/refunds/card.test.ts'];

describe.concurrent('the suite', () => {
  test('passes without a bug', { timeout: CHILD_MS }, async () => {
    const catchers = mutations.map(({ caughtBy }) => caughtBy).filter(({ file }) => samples.includes(file));
    const { code, ended, output } = await inLane(() => runTests(catchers, {}));
    expect({ code, ended: new Set(ended.values()) }, output).toEqual({ code: 0, ended: new Set(['passed']) });
  });

  test.for(mutations.map((mutation) => [mutation.name, mutation] as const))(
    'tells that %s',
    { timeout: CHILD_MS },
    async ([, mutation]) => {
      const { file, test: name } = mutation.caughtBy;
      const { code, ended, output } = await inLane(() => runMutated(mutation));
      expect(ended.size, `${file} has no test named "${name}"\n${output}`).toBeGreaterThan(0);
      expect(code, output).toBe(1);
      expect([...ended.values()], output).toContain('failed');
    },
  );
});
