import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Connection } from '@temporalio/client';
import Long from 'long';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import type { Diagnosis } from '../../ops/doctor/diagnosis.ts';
import { installDebian } from '../support/debian.ts';
import { startMailServer } from '../support/smtp.ts';
import { type Stack, startStack } from '../support/stack.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const START_MS = 120_000;
const WRONG_KEY = randomBytes(32).toString('base64');
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
}, START_MS);
afterAll(() => stack.stop());

type Settings = Readonly<Record<string, string | undefined>>;

/** The command in the environment of an API, with other settings, and what runs it. */
async function examine(settings: Settings = {}, runner: readonly string[] = []) {
  const [program = '', ...args] = [...runner, process.execPath, 'ops/admin/main.ts', 'doctor'];
  const child = spawn(program, args, {
    cwd: REPOSITORY,
    env: { ...stack.environment('api'), DATABASE_URL: loginUrls(stack.databaseUrl).admin, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const lines = out.trimEnd().split('\n');
  return { code, found: lines.map((line) => JSON.parse(line) as Diagnosis) };
}

async function asSuperuser(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Changes the database until the test has ended. */
async function changed(sql: string, back: string): Promise<void> {
  await asSuperuser(sql);
  onTestFinished(() => asSuperuser(back));
}

test('an installation that is well has nothing wrong, and says of what it did not look at', async () => {
  const { code, found } = await examine();
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
  expect(found.map(({ check }) => check)).toEqual([
    ...['settings', 'database', 'clock', 'roles', 'login', 'schema', 'months', 'encryption_key'],
    ...['temporal', 'search_attributes', 'smtp', 'tls', 'public_url', 'disk'],
  ]);
  expect(found.filter(({ skipped }) => skipped).map(({ check }) => check)).toEqual(['smtp', 'disk']);
});

interface Fault {
  readonly message: string;
  /** What of the remedy tells it from those of other checks. */
  readonly remedy: string;
  readonly plant: () => Promise<{ settings?: Settings; runner?: readonly string[] }>;
}

/** Faults by the check that finds them, each with the settings under which it is looked for. */
const faults: Readonly<Record<string, Fault>> = {
  settings: {
    message: 'FATURA_OPERATR is not a setting',
    remedy: 'correct the settings that it names',
    plant: async () => ({ settings: { FATURA_OPERATR: 'ana' } }),
  },
  clock: {
    message: 'ahead of the database',
    remedy: 'have a time service',
    plant: async () => {
      installDebian('faketime');
      return { runner: ['faketime', '-f', '+10s'] };
    },
  },
  roles: {
    message: 'there is no fatura_audit',
    remedy: 'run `npm run migrate` once',
    plant: async () => {
      await changed('ALTER ROLE fatura_audit RENAME TO elsewhere', 'ALTER ROLE elsewhere RENAME TO fatura_audit');
      return {};
    },
  },
  login: {
    message: 'is a superuser',
    remedy: 'give each process a login of its own',
    plant: async () => ({ settings: { DATABASE_URL: stack.databaseUrl } }),
  },
  schema: {
    message: 'not, or not wholly, there: ',
    remedy: 'run `npm run migrate` of this version',
    plant: async () => {
      await changed('UPDATE migration SET steps_done = 3', 'UPDATE migration SET steps_done = NULL');
      return {};
    },
  },
  encryption_key: {
    message: 'key',
    remedy: 'set ENCRYPTION_KEYS',
    plant: async () => ({ settings: { ENCRYPTION_KEYS: WRONG_KEY } }),
  },
  temporal: {
    message: 'nobody',
    remedy: 'see that Temporal runs',
    plant: async () => ({ settings: { TEMPORAL_NAMESPACE: 'nobody' } }),
  },
  search_attributes: {
    message: 'the namespace lacks ',
    remedy: 'start a worker once',
    plant: async () => {
      const connection = await Connection.connect({ address: stack.temporalAddress });
      const workflowExecutionRetentionPeriod = { seconds: Long.fromNumber(86_400) };
      await connection.workflowService.registerNamespace({ namespace: 'bare', workflowExecutionRetentionPeriod });
      await connection.close();
      return { settings: { TEMPORAL_NAMESPACE: 'bare' } };
    },
  },
  smtp: {
    message: '535',
    remedy: 'correct SMTP_URL',
    plant: async () => {
      const server = await startMailServer();
      onTestFinished(() => server.stop());
      const url = server.url.replace('smtp://', 'smtp://ana:wrong@');
      return { settings: { SMTP_URL: url, MAIL_FROM: 'loja@loja.test' } };
    },
  },
  tls: {
    message: 'PUBLIC_URL is http',
    remedy: 'use https in PUBLIC_URL',
    plant: async () => ({ settings: { PUBLIC_URL: 'http://192.0.2.1' } }),
  },
  public_url: {
    message: 'ECONNREFUSED',
    remedy: 'start the API',
    plant: async () => ({ settings: { PUBLIC_URL: `http://127.0.0.1:${await freePort()}` } }),
  },
};

test('a login that bypasses row level security, or owns the tables, is told of as a superuser is', async () => {
  await changed(`CREATE ROLE bypasser LOGIN PASSWORD 'a1b2c3' BYPASSRLS IN ROLE fatura_admin`, 'DROP ROLE bypasser');
  const bypasser = new URL(stack.databaseUrl);
  Object.assign(bypasser, { username: 'bypasser', password: 'a1b2c3' });
  const examineLogin = async (url: string) => {
    const { found } = await examine({ DATABASE_URL: url });
    return found.find(({ check }) => check === 'login');
  };
  const wrong = { check: 'login', ok: false, remedy: expect.stringContaining('docs/operations.md#database-logins') };
  expect([await examineLogin(bypasser.href), await examineLogin(loginUrls(stack.databaseUrl).migrator)]).toEqual([
    { ...wrong, message: expect.stringMatching(/^bypasser .*bypasses row level security/) },
    { ...wrong, message: expect.stringMatching(/^migrator owns the tables/) },
  ]);
});

test('a role of one mode that is missing is named', async () => {
  await changed(
    'ALTER ROLE fatura_worker_sandbox RENAME TO elsewhere',
    'ALTER ROLE elsewhere RENAME TO fatura_worker_sandbox',
  );
  const { found } = await examine();
  expect(found.filter(({ ok }) => !ok)).toEqual([
    expect.objectContaining({ check: 'roles', message: 'there is no fatura_worker_sandbox' }),
  ]);
});

test('while the database is away, whatever is looked at in it has the remedy for that', async () => {
  const { code, found } = await examine({ DATABASE_URL: 'postgres://admin@127.0.0.1:9/fatura' });
  const away = { ok: false, message: expect.stringContaining('ECONNREFUSED'), remedy: expect.stringContaining('psql') };
  expect(found.filter(({ ok }) => !ok)).toEqual(
    ['database', 'clock', 'roles', 'login', 'schema', 'months', 'encryption_key'].map((check) => ({ check, ...away })),
  );
  expect(code).toBe(1);
});

describe('a fault is found, with its remedy', () => {
  test.each(Object.entries(faults))('%s', async (check, { message, remedy, plant }) => {
    const { settings, runner } = await plant();
    const { code, found } = await examine(settings, runner);
    expect(found.find((one) => one.check === check)).toEqual({
      ...{ check, ok: false },
      ...{ message: expect.stringContaining(message), remedy: expect.stringContaining(remedy) },
    });
    expect(code).toBe(1);
  });

  test.runIf(mayMount)('disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fatura-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    const { found } = await examine({ DATABASE_URL: undefined, ENCRYPTION_KEYS: undefined, DATA_DIR: folder });
    expect(found.find(({ check }) => check === 'disk')).toMatchObject({
      ok: false,
      message: `0.1 GiB of 0.1 are free in ${folder}`,
      remedy: expect.stringContaining('make room'),
    });
  });
});
