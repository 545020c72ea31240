import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readRunningInstance } from '../../server/embedded/data-dir.ts';
import { commandLines } from '../../server/embedded/leftovers.ts';
import { folderWithOneSale, type Program, query, runStandIn, temporaryFolder, until } from './support.ts';

const READY = 'Fatura is ready';

/** Ports below the system's own range, so that no connection of another test takes them meanwhile. */
let nextPort = 20_000 + (process.pid % 5_000);

type Installation = { dataDir: string; port: number; uiPort: number };

function emptyInstallation(): Installation {
  nextPort += 2;
  return { dataDir: join(temporaryFolder(), 'data'), port: nextPort, uiPort: nextPort + 1 };
}

/** Where PostgreSQL is there already, but no demo account yet. */
async function installation(): Promise<Installation> {
  return { ...emptyInstallation(), dataDir: await folderWithOneSale() };
}

/** With a Temporal of its own only where that is the point. */
function startWith({ dataDir, port, uiPort }: Installation, env: Record<string, string> = {}): Program {
  const own = { DATA_DIR: dataDir, PORT: String(port), TEMPORAL_UI_PORT: String(uiPort) };
  return runStandIn('start.ts', { TEMPORAL_ADDRESS: '127.0.0.1:1', ...own, ...env });
}

async function stop(program: Program): Promise<number | null> {
  program.process.kill('SIGTERM');
  return program.ended();
}

const storyOf = ({ dataDir }: Installation) => readFileSync(join(dataDir, 'story.log'), 'utf8').trim().split('\n');
const keyIn = (program: Program) => /Demo key +(sk_sandbox_\w+)/.exec(program.output())?.[1];
/** The process of one of the programs that were started for this folder; none: NaN. */
const pidOf = ({ dataDir }: Installation, program: string): number => {
  const mark = program === 'temporal' ? `${dataDir}/temporal.db` : `--data-dir ${dataDir} --as ${program}`;
  const found = [...commandLines()].filter(([, line]) => line.includes(mark)).map(([pid]) => pid);
  expect(found.length).toBeLessThan(2);
  return found[0] ?? Number.NaN;
};

const postgresPid = ({ dataDir }: Installation): number =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

async function accountsIn({ dataDir }: Installation): Promise<number> {
  const rows = await query(readRunningInstance(dataDir)?.databaseUrl ?? '', 'SELECT count(*)::int AS n FROM account');
  return Number(rows[0]?.n);
}

test('the first start shows URLs and a demo key, stops in order, and a later one shows no key', async () => {
  const here = emptyInstallation();
  const first = startWith(here);
  await first.says(READY);
  expect(keyIn(first)).toBe('sk_sandbox_1');
  expect(first.output()).toContain(`http://127.0.0.1:${here.port}/docs`);
  expect(first.output()).toContain('127.0.0.0/8, ::1/128');
  expect(readRunningInstance(here.dataDir)).toMatchObject({
    apiUrl: `http://127.0.0.1:${here.port}`,
    encryptionKeyFile: join(here.dataDir, 'encryption.key'),
  });
  // Once the key stands on the screen it is kept nowhere.
  await until(() => !readFileSync(join(here.dataDir, 'demo-account.json'), 'utf8').includes('sk_sandbox'));
  for (const file of ['running.json', 'encryption.key', 'demo-account.json']) {
    expect(statSync(join(here.dataDir, file)).mode & 0o777).toBe(0o600);
  }
  // Another account, which root's PostgreSQL runs under, may pass through and see nothing.
  expect(statSync(here.dataDir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  await until(() => storyOf(here).includes('worker started'));
  expect(await stop(first)).toBe(0);
  expect(readRunningInstance(here.dataDir)).toBeNull();
  expect(storyOf(here).filter((line) => line.includes('drained'))).toEqual(['worker drained', 'api drained']);

  const later = startWith(here);
  await later.says(READY);
  expect(keyIn(later)).toBeUndefined();
  expect(later.output()).toContain('npm run --silent admin -- key roll');
  expect(await accountsIn(here)).toBe(1);
});

test('a second start on the same data is refused and the first goes on', async () => {
  const here = await installation();
  const first = startWith(here);
  await first.says(READY);
  const second = startWith(here);
  expect(await second.ended()).toBe(1);
  expect(second.output()).toContain(
    `Fatura already runs here: ${here.dataDir} is in use by process ${first.process.pid}`,
  );
  expect((await fetch(`http://127.0.0.1:${here.port}/readyz`)).status).toBe(200);
  expect(await accountsIn(here)).toBe(1);
});

test('after kill -9 of the supervisor the next start stops what was left, Temporal too', async () => {
  const here = await installation();
  const own = { TEMPORAL_ADDRESS: '' };
  const killed = startWith(here, own);
  await killed.says(READY);
  const left = ['worker', 'api', 'temporal'].map((name) => pidOf(here, name));
  killed.process.kill('SIGKILL');
  await killed.ended();
  expect(left.map((pid) => commandLines().has(pid))).toEqual([true, true, true]);
  expect(readRunningInstance(here.dataDir)).toBeNull();

  const next = startWith(here, own);
  await next.says(READY);
  expect(left.map((pid) => commandLines().has(pid))).toEqual([false, false, false]);
  expect(next.output()).toContain('Stopping PostgreSQL');
  expect(await accountsIn(here)).toBe(1);
  expect(await stop(next)).toBe(0);
});

test('regression-56-what a start writes is for its owner alone', async () => {
  const here = await installation();
  const program = startWith(here, { TEMPORAL_ADDRESS: '' });
  await program.says(READY);
  const names = readdirSync(here.dataDir, { recursive: true, encoding: 'utf8' });
  expect(names).toContain('temporal.db');
  const isOpen = (name: string) =>
    ((statSync(join(here.dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
  expect(names.filter(isOpen)).toEqual([]);
});

test('a port in use is named with the setting that changes it', async () => {
  const here = await installation();
  const strangers = [here.port, here.uiPort].map((port) => createServer().listen(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const stranger of strangers) stranger.close();
  });
  await until(() => strangers.every((stranger) => stranger.listening));
  const refused = startWith(here, { TEMPORAL_ADDRESS: '' });
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toContain(`PORT: another program listens on 127.0.0.1:${here.port}; set PORT`);
  expect(refused.output()).toContain(`TEMPORAL_UI_PORT: another program listens on 127.0.0.1:${here.uiPort}`);
});

test('regression: what another program answers on the port of a crashing API is not ours', async () => {
  const here = await installation();
  const program = startWith(here, { WORKER_TAKES_THE_PORT: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toContain('The API ended 3 times before it was ready');
  expect(program.output()).not.toContain(READY);
});

test.runIf(process.platform === 'linux')(
  'regression: a data folder that cannot be made ends the start, which names the setting',
  async () => {
    const program = startWith({ ...emptyInstallation(), dataDir: '/proc/x/data' });
    expect(await program.ended()).toBe(1);
    expect(program.output()).toContain('DATA_DIR: /proc/x/data cannot be made or written to (');
  },
);

test('a data folder below a file is refused', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const program = startWith({ ...emptyInstallation(), dataDir: join(file, 'data') });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toContain(`cannot be made or written to (${file} is not a folder)`);
});

test('a crashed API is started again', async () => {
  const here = await installation();
  const program = startWith(here);
  await program.says(READY);
  const crashed = pidOf(here, 'api');
  process.kill(crashed, 'SIGKILL');
  await program.says('The API ended by itself (signal SIGKILL); starting it again in 1 s.');
  await until(() => storyOf(here).filter((line) => line === 'api listens').length === 2);
  expect(pidOf(here, 'api')).not.toBe(crashed);
});

test('a killed PostgreSQL comes back on the same port', async () => {
  const here = await installation();
  const program = startWith(here);
  await program.says(READY);
  process.kill(postgresPid(here), 'SIGKILL');
  await program.says('PostgreSQL ended by itself');
  await until(() =>
    accountsIn(here).then(
      (count) => count === 1,
      () => false,
    ),
  );
});

test('a second signal does not wait for a program that does not drain', async () => {
  const here = await installation();
  const program = startWith(here, { NEVER_DRAINS: '1' });
  await program.says(READY);
  program.process.kill('SIGINT');
  program.process.kill('SIGINT'); // npm repeats a terminal's Ctrl-C at once: still one wish
  await program.says('Stopping');
  await sleep(1_100);
  expect(program.process.exitCode).toBeNull();
  const postgres = postgresPid(here);
  program.process.kill('SIGINT');
  expect(await program.ended()).toBe(1);
  await until(() => !commandLines().has(postgres));
});

test('a migration that fails stops everything', async () => {
  const here = await installation();
  const program = startWith(here, { MIGRATION_FAILS: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toMatch(/Fatura does not start\. node .*migrate\.ts failed \(exit code 1\)/);
  expect(existsSync(join(here.dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('settings that are wrong end the start before anything is touched', async () => {
  const here = emptyInstallation();
  const program = startWith(here, { RATE_LIMIT_LIVE_PER_SECOND: 'many', FATURA_PORT: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toMatch(/2 settings are wrong:\n {2}- RATE_LIMIT_LIVE_PER_SECOND .*\n {2}- FATURA_PORT/);
  expect(existsSync(here.dataDir)).toBe(false);
});

test('a start killed before it showed the demo key leaves that to the next, and makes no second account', async () => {
  const here = await installation();
  const killed = startWith(here, { NEVER_READY: '1' });
  await until(() => pidOf(here, 'api') > 0);
  killed.process.kill('SIGKILL');
  await killed.ended();

  const next = startWith(here);
  await next.says(READY);
  expect(keyIn(next)).toBe('sk_sandbox_1');
  expect(await accountsIn(here)).toBe(1);
});

test('a demo account whose answer was lost is found in the list', async () => {
  const here = await installation();
  const lost = startWith(here, { LOSE_THE_ANSWER: '1' });
  expect(await lost.ended()).toBe(1);
  expect(lost.output()).toContain('The demo account was not made');

  const next = startWith(here);
  await next.says(READY);
  expect(keyIn(next)).toBeUndefined();
  expect(await accountsIn(here)).toBe(1);
});

test('a lost encryption key is told, not replaced', async () => {
  const here = await installation();
  const first = startWith(here);
  await first.says(READY);
  await stop(first);
  rmSync(join(here.dataDir, 'encryption.key'));
  const refused = startWith(here);
  expect(await refused.ended()).toBe(1);
  expect(refused.output()).toContain('encryption.key is missing');
});
