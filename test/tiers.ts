/** Which tests run together; each test file belongs to exactly one tier. */
export const tiers = {
  /** What a change of the service may break, in a few minutes. */
  main: [
    'test/*.test.ts',
    'test/{rules,contract,sdk,api,web,fake-psp,guides}/**/*.test.ts',
    'test/story/story.test.ts',
    'test/scenarios/{cancel,deadlines,examples,sessions,trouble,webhooks,year}.test.ts',
    'test/model/{fixed-seed,former-failures}.test.ts',
    'test/embedded/{config,entities,migrate,migrations,setup,start}.test.ts',
    'test/crash/matrix/{pix,session}.test.ts',
    'test/starters/servers.test.ts',
  ],
  /** The worker on a real Temporal server, stories that wait in real time or are drawn anew each time, and other runtimes. */
  workflows: [
    'test/workflows/**/*.test.ts',
    'test/embedded/loopback.test.ts',
    'test/{fuzz,generators}/*.test.ts',
    // The same story by way of the samples, in three languages.
    'test/story/samples.test.ts',
    'test/scenarios/{never-stops,same-time.property}.test.ts',
    // The installation and the build of Next.js take a minute.
    'test/starters/next.test.ts',
    'test/runtimes/*.test.ts',
    // PgBouncer is fetched first.
    'test/pooler/*.test.ts',
  ],
  /** Processes that are killed. */
  crash: [
    'test/crash/*.test.ts',
    'test/crash/matrix/{card,dispute,refund,return,session-expiry,session-payment,settlement,takeover}.test.ts',
    'test/embedded/{postgres,start-troubles,temporal}.test.ts',
  ],
  /** What tells something new only now and then: other interleavings, and whether the tests still bite. */
  long: ['test/model/any-seed.test.ts', 'test/mutations/mutations.test.ts'],
} as const satisfies Record<string, readonly string[]>;
