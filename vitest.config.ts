import { defineConfig } from 'vitest/config';
import { tiers } from './test/tiers.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes soon, but not on a machine that is busy: a second was too little.
    expect: { poll: { timeout: 10_000 } },
    // Two cores: more files at once only wait for each other.
    maxWorkers: 2,
    pool: 'forks',
    reporters: ['default', ['json', { outputFile: '.fatura/test-report.json' }]],
    projects: Object.entries(tiers).map(([name, include]) => ({
      extends: true,
      // The files of a process share the modules of the service: to load them anew for each took as long as the tests.
      test: { name, include: [...include], isolate: name !== 'main' },
    })),
  },
});
