import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { startTemporal } from '../../dev/embedded/temporal.ts';
import { temporaryFolder } from './support.ts';

test('servers that start at once and want the same port have addresses of their own', async () => {
  const begun = [1, 2].map(async () => {
    const server = await startTemporal({
      dir: temporaryFolder(),
      uiPort: null,
      namespace: 'default',
      env: process.env,
    });
    onTestFinished(() => server.stop());
    return server.address;
  });
  expect(new Set(await Promise.all(begun)).size).toBe(2);
});

/** Addresses on which a process listens, as the kernel of Linux writes them: `0100007F` is 127.0.0.1. */
function listeningOn(pid: number): string[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === '0A' && own.has(columns[9]))
      .map((columns) => columns[1]?.split(':')[0] ?? ''),
  );
}

test.runIf(process.platform === 'linux')(
  'regression-157-the server writes for its owner alone and listens on this machine alone, whatever the umask',
  async () => {
    const mask = process.umask(0o022);
    onTestFinished(() => void process.umask(mask));
    const dir = temporaryFolder();
    const options = { dir, uiPort: await freePort(), namespace: 'default', env: process.env };
    const server = await startTemporal(options);
    onTestFinished(() => server.stop());
    const names = readdirSync(dir);
    expect(names).toContain('temporal.db');
    expect(names.filter((name) => (statSync(join(dir, name)).mode & 0o077) !== 0)).toEqual([]);
    const addresses = listeningOn(server.pid);
    expect(addresses.length).toBeGreaterThan(1);
    // Its UI has an address of its own, which is of this machine as well.
    expect(addresses.filter((address) => address !== '0100007F')).toEqual([expect.stringMatching(/7F$/)]);
  },
);
