import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import {
  accountsIn,
  installation,
  keyIn,
  pidOf,
  postgresPid,
  READY,
  startWith,
  stop,
  storyOf,
  temporalPid,
} from './start-scene.ts';
import { isRunning, until } from './support.ts';

test('kill -9 of the supervisor ends all that it started, Temporal too, and the next start keeps the data', async () => {
  const here = await installation();
  const own = { TEMPORAL_ADDRESS: '' };
  const killed = startWith(here, own);
  await killed.says(READY);
  await until(() => storyOf(here).includes('worker started'));
  const started = [pidOf(here, 'worker'), pidOf(here, 'api'), temporalPid(here), postgresPid(here)];
  expect(started.map(isRunning)).toEqual([true, true, true, true]);
  killed.process.kill('SIGKILL');
  await killed.ended();
  await until(() => !started.some(isRunning));
  expect(readRunningInstance(here.dataDir)).toBeNull();

  const next = startWith(here, own);
  await next.says(READY);
  expect(await accountsIn(here)).toBe(1);
  expect(await stop(next)).toBe(0);
});

test('regression: what another program answers on the port of a crashing API is not ours', async () => {
  const here = await installation();
  const program = startWith(here, { WORKER_TAKES_THE_PORT: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toContain('The API ended 3 times before it was ready');
  expect(program.output()).not.toContain(READY);
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
  await until(() => !isRunning(postgres));
});

test('a migration that fails stops everything', async () => {
  const here = await installation();
  const program = startWith(here, { MIGRATION_FAILS: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toMatch(/Fatura does not start\. node .*migrate\.ts failed \(exit code 1\)/);
  expect(existsSync(join(here.dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
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
