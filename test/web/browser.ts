import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { installDebian } from '../support/debian.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Longer than Debian's packages take to come and to unpack. Milliseconds. */
export const BROWSER_MS = 600_000;

/** Debian's Chromium, as it runs in a container without a screen; installed first where it is missing. */
export function openBrowser(options: readonly string[] = []): Promise<Browser> {
  if (!existsSync(CHROMIUM)) installDebian('chromium', 'fonts-liberation');
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
