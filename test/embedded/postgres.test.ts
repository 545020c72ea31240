import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLines } from '../../dev/embedded/leftovers.ts';
import { isFolderLocked } from '../../dev/embedded/lock.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { FAST_SETTINGS, folderWithOneSale, query, runStandIn, temporaryFolder, until } from './support.ts';

async function startIn(dir: string, report?: (line: string) => void): Promise<RunningPostgres> {
  const server = await startPostgres({
    dir,
    settings: FAST_SETTINGS,
    stopsWithUs: true,
    ...(report ? { report } : {}),
  });
  onTestFinished(() => server.stop());
  return server;
}

const sales = (server: RunningPostgres) => query(server.url, 'SELECT id FROM sale');

test('by default it is durable, takes 200 connections, and asks for a password only the owner can read', async () => {
  const dir = temporaryFolder();
  const server = await startPostgres({ dir, stopsWithUs: true });
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
  const first = runStandIn('postgres.ts', {}, dir);
  await until(() => readdirSync(dir).some((name) => name.startsWith('postgres.initdb-')));
  first.process.kill('SIGKILL');
  await first.ended();
  expect(existsSync(join(dir, 'postgres'))).toBe(false);

  const server = await startIn(dir);
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  await startIn(dir); // by now the orphaned initdb is at rest too
  expect(readdirSync(dir).filter((name) => name.startsWith('postgres.initdb-'))).toEqual([]);
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
  expect(commandLines().has(process.pid)).toBe(true);
});

test('a server that outlived the one who started it is stopped by the next start', async () => {
  const dir = await folderWithOneSale();
  const starter = runStandIn('postgres.ts', {}, dir);
  await starter.says('running');
  const orphan = Number(starter.output().split(' ')[1]);
  starter.process.kill('SIGKILL');
  await starter.ended();
  expect(commandLines().has(orphan)).toBe(true);

  const lines: string[] = [];
  const server = await startIn(dir, (line) => lines.push(line));
  expect(lines).toEqual([`Stopping PostgreSQL (process ${orphan}), left running by a former start.`]);
  expect(commandLines().has(orphan)).toBe(false);
  expect(await sales(server)).toEqual([{ id: 1 }]);
});

test('a second start on the same folder is refused and the first goes on', async () => {
  const dir = await folderWithOneSale();
  const first = await startIn(dir);
  await expect(startPostgres({ dir })).rejects.toThrow(`${dir} is in use by process ${process.pid}`);
  expect(await sales(first)).toEqual([{ id: 1 }]);
  await first.stop();
  await until(() => !isFolderLocked({ folder: dir, purpose: 'postgres' }));
});

test('a port in use is passed over, and the choice remembered', async () => {
  const dir = await folderWithOneSale();
  const before = readFileSync(join(dir, 'postgres.port'), 'utf8'); // free now, unless another test has it
  const stranger = createServer()
    .on('error', () => {})
    .listen(Number(before), '127.0.0.1');
  onTestFinished(() => void stranger.close());

  const server = await startIn(dir);
  expect(server.port).not.toBe(Number(before));
  expect(await sales(server)).toEqual([{ id: 1 }]);
  expect(readFileSync(join(dir, 'postgres.port'), 'utf8')).toBe(String(server.port));
});

test('a folder named postgres that is none is left as it is', async () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'postgres'));
  writeFileSync(join(dir, 'postgres', 'letter.txt'), 'dear');
  await expect(startPostgres({ dir })).rejects.toThrow('is not a PostgreSQL data directory');
  expect(readFileSync(join(dir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear');
});

test('a lost password is told, not replaced', async () => {
  const dir = await folderWithOneSale();
  rmSync(join(dir, 'postgres.password'));
  await expect(startPostgres({ dir })).rejects.toThrow('postgres.password is missing');
});

test('a test server ends with the run that started it', async () => {
  const dir = temporaryFolder();
  const starter = runStandIn('postgres.ts', {}, dir, 'stops-with-us');
  await starter.says('running');
  const server = Number(starter.output().split(' ')[1]);
  starter.process.kill('SIGKILL');
  await until(() => !commandLines().has(server));
});
