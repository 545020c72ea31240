import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTemporal } from '../../server/embedded/temporal.ts';
import { temporaryFolder } from './support.ts';

const TEST_MS = 90_000;

test.runIf(process.platform !== 'win32')(
  'regression-47-nobody but the owner may read what the Temporal server keeps',
  async () => {
    const dir = temporaryFolder();
    const start = () => startTemporal({ dir, uiPort: null, namespace: 'default', env: process.env, stopsWithUs: true });
    const readable = () =>
      readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(dir, file)).mode & 0o077);
    const first = await start();
    expect(readdirSync(dir)).toContain('temporal.db');
    expect(readable()).toEqual([]);
    await first.stop();
    // As a start of before left it.
    chmodSync(join(dir, 'temporal.db'), 0o644);
    const second = await start();
    expect(readable()).toEqual([]);
    await second.stop();
  },
  TEST_MS,
);
