import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Longer than Debian's packages take to come and to unpack. Milliseconds. */
export const BROWSER_MS = 600_000;

/** Debian's Chromium, as it runs in a container without a screen; installed first where it is missing. */
export function openBrowser(options: readonly string[] = []): Promise<Browser> {
  if (!existsSync(CHROMIUM)) install();
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...options,
    ],
  });
}

function install(): void {
  const apt = (...args: string[]): void => {
    execFileSync('apt-get', args, { stdio: 'pipe', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  apt('update');
  apt('install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation');
}
