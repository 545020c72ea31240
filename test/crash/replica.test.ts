import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../../dev/embedded/child.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import type { Fatura } from '../../sdk/src/index.ts';
import { createKey } from '../../server/accounts/key-changes.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { type Database, openDatabase } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { ReplicaReads } from '../../server/unit-of-work/late-reads.ts';
import { createWatermark } from '../../server/unit-of-work/watermark.ts';
import { sdkFor } from '../support/api.ts';
import { unreachedLimits } from '../support/limits.ts';
import { startReplica } from '../support/replica.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/stack.ts';

const TEST_MS = 120_000;
const LATE_MS = 5_000;
const METRICS_TOKEN = randomBytes(32).toString('hex');

const folder = mkdtempSync(join(tmpdir(), 'fatura-replica-'));
const encryptionKey = randomBytes(32);
let primary: Awaited<ReturnType<typeof startPostgres>>;
let replica: Child & { readonly port: number };
let operator: Database;
let atReplica: pg.Pool;
let api: ServerProcess;
let latest: Fatura;
let eventual: Fatura;

const replicaUrl = (url: string): string => Object.assign(new URL(url), { port: String(replica.port) }).href;

beforeAll(async () => {
  for (const name of ['primary', 'replica']) mkdirSync(join(folder, name), { mode: 0o755 });
  primary = await startPostgres({ dir: join(folder, 'primary'), settings: { fsync: 'off' } });
  const migrator = await openDatabase(loginUrls(primary.url).migrator, { entities, size: 2 });
  await migrate(migrator);
  await migrator.close();
  operator = await openDatabase(loginUrls(primary.url).admin, { entities, size: 2, reachesEverybody: true });
  replica = await startReplica({ url: primary.url, from: join(folder, 'primary'), to: join(folder, 'replica') });
  atReplica = new pg.Pool({ connectionString: replicaUrl(primary.url), max: 2 });
  atReplica.on('error', () => {});
  api = await startServer({
    databaseUrl: primary.url,
    encryptionKey,
    settings: { DATABASE_READ_URL: replicaUrl(loginUrls(primary.url).api), METRICS_TOKEN },
  });
  const account = await createAccount(operator, { name: 'Loja', email: 'dono@loja.test' });
  await setLimits(operator, account.id, unreachedLimits);
  const made = await createKey(operator, {
    accountId: account.id,
    liveMode: false,
    name: 'reports',
    scope: 'full',
    networks: [],
    expiresAt: null,
    reads: 'eventual',
  });
  latest = sdkFor(api.baseUrl, account.sandbox_key);
  eventual = sdkFor(api.baseUrl, made.key);
  await until('the replica to be read', async () => (await lag()) < 1, 30_000);
}, TEST_MS);

afterAll(async () => {
  await api?.stop();
  await atReplica?.end();
  await operator?.close();
  await replica?.stop();
  await primary?.stop();
  rmSync(folder, { recursive: true, force: true });
}, TEST_MS);

async function lag(): Promise<number> {
  const answer = await fetch(`${api.baseUrl}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(/^fatura_replica_lag_seconds\S* (\S+)$/m.exec(await answer.text())?.[1] ?? Number.NaN);
}

const pause = () => atReplica.query('SELECT pg_wal_replay_pause()');
const resume = () => atReplica.query('SELECT pg_wal_replay_resume()');

const namesIn = async (fatura: Fatura): Promise<string[]> =>
  (await fatura.products.list().all({ max: 100 })).map(({ name }) => name);

const typesIn = async (fatura: Fatura): Promise<string[]> =>
  (await fatura.events.list().all({ max: 100 })).map(({ type }) => type);

/** The statements of the service that the replica runs, or ran last, on the connections that it has. */
async function statementsAtReplica(): Promise<string> {
  const { rows } = await atReplica.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE usename = 'api' AND pg_is_in_recovery()`,
  );
  return rows.map(({ query }) => query).join('\n');
}

describe(
  'with a replica',
  () => {
    test('the lists of a key that asks for it, the events, and no others are read there', async () => {
      await latest.products.create({ name: 'Ouro' });
      await until('the replica to follow', async () => (await namesIn(eventual)).includes('Ouro'), 10_000);
      expect(await statementsAtReplica()).toMatch(/from "product"/i);
      await pause();
      try {
        const made = await eventual.products.create({ name: 'Prata' });
        expect(await namesIn(latest)).toEqual(['Prata', 'Ouro']);
        expect(await namesIn(eventual)).toEqual(['Ouro']);
        expect(await typesIn(latest)).toEqual(['product.created']);
        // What it wrote it reads at once.
        expect(await eventual.products.retrieve(made.id)).toMatchObject({ name: 'Prata' });
        // What the replica does not have yet may be named to it.
        expect((await eventual.products.list({ starting_after: made.id }).page()).data).toHaveLength(1);
      } finally {
        await resume();
      }
      await until('the replica to follow', async () => (await namesIn(eventual)).includes('Prata'), 10_000);
    });

    test('a reader of the feed misses nothing that the replica has yet to replay', async () => {
      const { cursor } = await latest.events.feed();
      let isOver = false;
      const writing = (async () => {
        for (let nth = 0; nth < 60; nth += 1) await latest.products.create({ name: `Plano ${nth}` });
        isOver = true;
      })();
      const told: string[] = [];
      const stutter = (async () => {
        while (!isOver) {
          await pause();
          await sleep(300);
          await resume();
          await sleep(100);
        }
      })();
      for (let at = cursor; told.length < 60; ) {
        const feed = await latest.events.feed({ cursor: at, wait: 2 });
        told.push(...feed.data.map(({ data }) => ('name' in data.object ? String(data.object.name) : '')));
        at = feed.cursor;
      }
      await Promise.all([writing, stutter]);
      expect(told).toEqual(Array.from({ length: 60 }, (_, nth) => `Plano ${nth}`));
    });

    test('one that is more than five seconds behind is not read', async () => {
      await pause();
      try {
        await latest.products.create({ name: 'Bronze' });
        expect(await namesIn(eventual)).not.toContain('Bronze');
        await sleep(LATE_MS + 500);
        expect(await lag()).toBeGreaterThan(LATE_MS / 1_000);
        expect(await namesIn(eventual)).toContain('Bronze');
        expect(await typesIn(latest)).toHaveLength(63);
      } finally {
        await resume();
      }
      await until('the replica to be read again', async () => (await lag()) < 1, 10_000);
    });

    test('whose database is another one is never read', async () => {
      const pool = new pg.Pool({ connectionString: primary.url });
      const alarms: string[] = [];
      const read = () => {
        throw new Error('no entity is read here');
      };
      const reads = new ReplicaReads({
        primary: { pool, read, watermark: createWatermark(pool, { process: 'test' }) },
        // The primary itself is none.
        replica: { pool, read },
        lag: { set: () => {} },
        metrics: { alarms: { inc: ({ kind }) => void alarms.push(kind) } },
        logger: { error: () => {} },
        toleratedMs: 500,
      });
      await sleep(1_500);
      expect(
        await reads.run(async (place) => (await place.pool.query('SELECT pg_is_in_recovery() AS it')).rows),
      ).toEqual([{ it: false }]);
      expect(alarms).toEqual(['replica_unused']);
      await reads.stop();
      await pool.end();
    });

    test('one that is killed is missed by nobody', async () => {
      let isOver = false;
      const failed: unknown[] = [];
      let answered = 0;
      const reading = (async () => {
        while (!isOver) {
          await Promise.all([
            namesIn(eventual).then(
              () => {
                answered += 1;
              },
              (error: unknown) => failed.push(error),
            ),
            latest.events.feed({ since: 0 }).catch((error: unknown) => failed.push(error)),
          ]);
        }
      })();
      await sleep(500);
      replica.kill();
      await sleep(3_000);
      const before = answered;
      await sleep(1_000);
      expect(answered).toBeGreaterThan(before);
      isOver = true;
      await reading;
      expect(failed).toEqual([]);
      expect(await lag()).toBeGreaterThan(2);
    });
  },
  TEST_MS,
);
