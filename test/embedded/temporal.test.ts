import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../server/embedded/ports.ts';
import { startTemporal } from '../../server/embedded/temporal.ts';
import { temporaryFolder } from './support.ts';

test('servers that start at once and want the same port have addresses of their own', async () => {
  const wanted = await freePort();
  const begun = [1, 2].map(async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'temporal.port'), String(wanted));
    const server = await startTemporal({
      dir,
      uiPort: null,
      namespace: 'default',
      env: process.env,
      stopsWithUs: true,
    });
    onTestFinished(() => server.stop());
    return server.address;
  });
  const addresses = await Promise.all(begun);
  expect(addresses).toContain(`127.0.0.1:${wanted}`);
  expect(new Set(addresses).size).toBe(2);
});
