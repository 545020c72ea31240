import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { FAST_SETTINGS, folderWithOneSale, isRunning, query, runStandIn, temporaryFolder, until } from './support.ts';

async function startIn(dir: string): Promise<RunningPostgres> {
  const server = await startPostgres({ dir, settings: FAST_SETTINGS });
  onTestFinished(() => server.stop());
  return server;
}

const sales = (server: RunningPostgres) => query(server.url, 'SELECT id FROM sale');

test('by default it is durable, takes 200 connections, and asks for a password only the owner can read', async () => {
  const dir = temporaryFolder();
  const server = await startPostgres({ dir });
  onTestFinished(() => server.stop());
  const names = ['synchronous_commit', 'fsync', 'full_page_writes', 'max_connections', 'listen_addresses'];
  const settings = await query(
    server.url,
    `SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("','")}')`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    synchronous_commit: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    max_connections: '200',
    listen_addresses: '127.0.0.1',
  });
  expect(statSync(join(dir, 'postgres.password')).mode & 0o777).toBe(0o600);
  await expect(query(server.url.replace(/:[0-9a-f]+@/, ':guess@'), 'SELECT 1')).rejects.toThrow('password');
});

test('a start that was killed during initdb is made good by the next one', async () => {
  const dir = temporaryFolder();
  const drafts = () => readdirSync(dir).filter((name) => name.startsWith('postgres.initdb'));
  const first = runStandIn('postgres.ts', {}, dir);
  await until(() => drafts().some((draft) => existsSync(join(dir, draft, 'PG_VERSION'))));
  first.process.kill('SIGKILL');
  await first.ended();
  expect(existsSync(join(dir, 'postgres'))).toBe(false);

  const server = await startIn(dir);
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(drafts()).toEqual([]);
});

test('after kill -9 of the server the next start recovers and keeps the data', async () => {
  const dir = await folderWithOneSale();
  const killed = await startIn(dir);
  process.kill(killed.pid, 'SIGKILL');
  await killed.exited;
  expect(existsSync(join(dir, 'postgres', 'postmaster.pid'))).toBe(true);

  expect(await sales(await startIn(dir))).toEqual([{ id: 1 }]);
});

test('a postmaster.pid whose number now belongs to another program does not stop the start', async () => {
  const dir = await folderWithOneSale();
  writeFileSync(join(dir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dir}/postgres\n0\n5433\n`);
  expect(await sales(await startIn(dir))).toEqual([{ id: 1 }]);
});

test('a server ends with the process that was killed, and the next start keeps the data', async () => {
  const dir = await folderWithOneSale();
  const starter = runStandIn('postgres.ts', {}, dir);
  await starter.says('running');
  const orphan = Number(starter.output().split(' ')[1]);
  starter.process.kill('SIGKILL');

  expect(await sales(await startIn(dir))).toEqual([{ id: 1 }]);
  expect(isRunning(orphan)).toBe(false);
});

test('a port in use is passed over', async () => {
  const stranger = createServer()
    .on('error', () => {})
    .listen(5433, '127.0.0.1');
  onTestFinished(() => void stranger.close());

  const server = await startIn(await folderWithOneSale());
  expect(server.port).not.toBe(5433);
  expect(await sales(server)).toEqual([{ id: 1 }]);
});

test('a folder named postgres that is none is left as it is', async () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'postgres'));
  writeFileSync(join(dir, 'postgres', 'letter.txt'), 'dear');
  await expect(startPostgres({ dir })).rejects.toThrow('is not a PostgreSQL data directory');
  expect(readFileSync(join(dir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear');
});

test('a cluster of another version is refused in words, and left as it is', async () => {
  const dir = await folderWithOneSale();
  const version = join(dir, 'postgres', 'PG_VERSION');
  writeFileSync(version, '17\n');
  await expect(startPostgres({ dir })).rejects.toThrow(
    /database files are incompatible with server\n.*\/postgres is of PostgreSQL 17\. .* set DATA_DIR to another folder\.$/,
  );
  expect(readFileSync(version, 'utf8')).toBe('17\n');
});

test('a lost password is told, not replaced', async () => {
  const dir = await folderWithOneSale();
  rmSync(join(dir, 'postgres.password'));
  await expect(startPostgres({ dir })).rejects.toThrow('postgres.password is missing');
});
