import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mutate } from './mutate.ts';
import type { Place } from './mutation.ts';

const { MUTATION } = process.env;
// The list itself would bring the whole service into the settings.
const place: Place | null = MUTATION === undefined ? null : JSON.parse(MUTATION);

// biome-ignore lint/style/noDefaultExport: Vitest reads its settings from one.
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: place === null ? [] : [mutate(place)],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
