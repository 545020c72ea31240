import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of tests run side by side, and apt serves one at a time. */
const LOCK = join(tmpdir(), 'fatura-tests-apt.lock');

/** Installs packages of Debian that the machine lacks. */
export function installDebian(...packages: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = `apt-get update && apt-get install --yes --no-install-recommends ${packages.join(' ')}`;
  execFileSync('flock', [LOCK, 'sh', '-c', install], { stdio: 'pipe', env });
}
