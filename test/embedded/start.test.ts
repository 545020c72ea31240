import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { accountsIn, emptyInstallation, installation, keyIn, READY, startWith, stop, storyOf } from './start-scene.ts';
import { temporaryFolder, until } from './support.ts';

test('the first start shows URLs and a demo key, stops in order, and a later one shows no key', async () => {
  const here = emptyInstallation();
  const first = startWith(here);
  await first.says(READY);
  expect(keyIn(first)).toBe('sk_sandbox_1');
  expect(first.output()).toContain(`http://127.0.0.1:${here.port}/docs`);
  expect(first.output()).toContain('/dashboard/setup#a-link (good once, for 24 hours)');
  expect(first.output()).toContain('127.0.0.0/8, ::1/128');
  expect(readRunningInstance(here.dataDir)).toMatchObject({
    apiUrl: `http://127.0.0.1:${here.port}`,
    // Each program has a login of its own.
    databaseUrl: expect.stringMatching(/^postgres:\/\/admin:/),
    apiDatabaseUrl: expect.stringMatching(/^postgres:\/\/api:/),
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

test('settings that are wrong end the start before anything is touched', async () => {
  const here = emptyInstallation();
  const program = startWith(here, { RATE_LIMIT_LIVE_PER_SECOND: 'many', FATURA_PORT: '1' });
  expect(await program.ended()).toBe(1);
  expect(program.output()).toMatch(/2 settings are wrong:\n {2}- RATE_LIMIT_LIVE_PER_SECOND .*\n {2}- FATURA_PORT/);
  expect(existsSync(here.dataDir)).toBe(false);
});
