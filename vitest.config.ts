import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more files at once only wait for each other.
    maxWorkers: 2,
    pool: 'forks',
    reporters: ['default', ['json', { outputFile: '.fatura/test-report.json' }]],
  },
});
