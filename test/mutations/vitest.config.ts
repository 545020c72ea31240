import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mutations } from './list.ts';
import { mutate } from './mutate.ts';

const { MUTATION } = process.env;
const mutation = mutations.find((known) => known.name === MUTATION);
if (MUTATION !== undefined && mutation === undefined) throw new Error(`there is no mutation "${MUTATION}"`);

// biome-ignore lint/style/noDefaultExport: Vitest reads its settings from one.
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: mutation !== undefined && 'file' in mutation ? [mutate(mutation)] : [],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
