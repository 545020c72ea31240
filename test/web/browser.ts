import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, as it runs in a container without a screen. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
