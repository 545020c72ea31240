import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { start } from '../../dev/start.ts';
import { audit } from '../../ops/audit/audit.ts';
import { createAccount } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { realTime } from '../../server/kernel/time.ts';
import { sdkFor } from '../support/api.ts';
import { byCard } from '../support/cards.ts';
import { newCustomer, newInvoice } from '../support/factories.ts';
import { startServer } from '../support/server-process.ts';
import { until } from '../support/stack.ts';

const MEGABYTE = 1_048_576;
const TEST_MS = 300_000;
const SMALL = { shared_buffers: '32MB', max_wal_size: '64MB', min_wal_size: '32MB' };
/** A file system of its own that can be filled takes root, which CI is. */
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

/** A disk of so many megabytes. */
function smallDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Fills a disk to its last byte; what it answers makes room again. */
function fill(folder: string): () => void {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  const write = (bytes: number): void => {
    const chunk = Buffer.alloc(bytes);
    try {
      for (;;) writeSync(file, chunk);
    } catch {
      if (bytes > 512) write(bytes / 8);
    }
  };
  write(MEGABYTE);
  closeSync(file);
  return () => rmSync(path);
}

async function emptyShop(url: string) {
  const migrator = await openDatabase(loginUrls(url).migrator, { entities, size: 2 });
  await migrate(migrator);
  await migrator.close();
  const operator = await openDatabase(loginUrls(url).admin, { entities, size: 1, reachesEverybody: true });
  const account = await createAccount(operator, { name: 'Loja', email: 'dono@loja.test' });
  await operator.close();
  return account;
}

test.runIf(mayMount)(
  'a full disk is told in words, refuses what would be written, and is over as soon as there is room',
  async () => {
    const disk = smallDisk(320);
    const postgres = await startPostgres({ dir: disk, settings: SMALL });
    onTestFinished(() => postgres.stop());
    const { id: accountId, sandbox_key: sandboxKey, live_key: liveKey } = await emptyShop(postgres.url);
    const server = await startServer({
      databaseUrl: postgres.url,
      encryptionKey: randomBytes(32),
      settings: { RATE_LIMIT_SANDBOX_PER_SECOND: '1000', LOG_LEVEL: 'warn' },
    });
    onTestFinished(() => server.kill9());
    const fatura = sdkFor(server.baseUrl, sandboxKey);
    const shop = { accountId, sandboxKey, liveKey, fatura, live: sdkFor(server.baseUrl, liveKey) };
    const ready = async () => {
      const response = await fetch(`${server.baseUrl}/readyz`);
      return { status: response.status, text: await response.text() };
    };
    const before = await newInvoice(shop);

    const makeRoom = fill(disk);
    await until('readiness to know', async () => (await ready()).text.includes('disk_full'), 20_000);
    expect((await ready()).status).toBe(503);
    const kept: string[] = [];
    const refusals = new Set<string>();
    for (let nth = 0; nth < 400; nth += 1) {
      const answer = await newCustomer(shop).catch((error) => error);
      if (answer instanceof Error) refusals.add(String('code' in answer && answer.code));
      else kept.push(answer.id);
    }
    expect([...refusals]).toEqual(['SERVICE_UNAVAILABLE']);
    await until('the alarm', async () => server.logged().includes('"alarm":"disk_full"'), 10_000);
    const lines = server.logged().split('\n').filter(Boolean);
    expect(lines.some((line) => line.includes('the disk of PostgreSQL is full'))).toBe(true);
    expect(lines.length).toBeLessThan(40);

    makeRoom();
    await until('PostgreSQL to go on', async () => !(await ready()).text.includes('disk_full'), 30_000);
    for (const id of kept) expect((await fatura.customers.retrieve(id)).id).toBe(id);
    expect((await fatura.invoices.checkout(before.id, byCard())).status).toBe('paid');
    const auditor = await openDatabase(loginUrls(postgres.url).audit, { entities, size: 1, reachesEverybody: true });
    expect(await audit(auditor.pool, { now: realTime() })).toEqual([]);
    await auditor.close();
  },
  TEST_MS,
);

test.runIf(mayMount)('a start on a full disk says so', async () => {
  const disk = smallDisk(16);
  const said: string[] = [];
  const programs = { migrator: [], api: [], worker: [], admin: [] };
  const code = await start({ env: { DATA_DIR: join(disk, 'data') }, programs, print: (line) => said.push(line) });
  expect([code, said]).toEqual([
    1,
    [expect.stringMatching(/^Fatura does not start. The disk of \S+ is full: 1[56] MiB are left/)],
  ]);
});
