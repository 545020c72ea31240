/** Which tests run together; each test file belongs to exactly one tier. */
export const tiers = {
  /** What a change of the service may break, in a few minutes. */
  main: [
    'test/*.test.ts',
    'test/{rules,contract,sdk,api,web,dashboard,fake-psp,fake-pagarme,guides}/**/*.test.ts',
    'test/story/story.test.ts',
    'test/scenarios/{cancel,deadlines,examples,mandates,sessions,trouble,webhooks,year}.test.ts',
    'test/model/{fixed-seed,former-failures}.test.ts',
    'test/embedded/{config,entities,migrate,migrations,setup,start}.test.ts',
    'test/crash/matrix/{pix,session}.test.ts',
    'test/starters/servers.test.ts',
    'test/deploy/settings.test.ts',
  ],
  /** The worker on a real Temporal server, and stories that wait in real time or are drawn anew each time. */
  workflows: [
    'test/workflows/**/*.test.ts',
    'test/embedded/loopback.test.ts',
    'test/scenarios/{demo,never-stops,same-time.property}.test.ts',
  ],
  /** Processes that are killed. */
  crash: [
    'test/crash/{clock,crash,end-of-process,export,full-disk,hanging-psp,kms,live-card,live-pix,races,replica,shards,silent-connections,worker-upgrade}.test.ts',
    'test/crash/matrix/{card,change,refund,settlement,stored-card,takeover}.test.ts',
    'test/embedded/{postgres,start-troubles,temporal}.test.ts',
    'test/deploy/!(helm|prometheus|settings).test.ts',
  ],
  /** What takes long and breaks seldom: other languages and runtimes, long rows of kills, other seeds, and whether the tests bite. */
  nightly: [
    'test/{fuzz,generators,mutations,runtimes}/*.test.ts',
    // Helm and Prometheus are built first.
    'test/deploy/{helm,prometheus}.test.ts',
    // PgBouncer is fetched first.
    'test/pooler/*.test.ts',
    // The installation and the build of Next.js take a minute.
    'test/starters/next.test.ts',
    // The same story by way of the samples, in three languages.
    'test/story/samples.test.ts',
    'test/model/any-seed.test.ts',
    'test/crash/{api-pix-troubles,debit-cycles,key-ring,migrate-under-load,soak,waiting}.test.ts',
    'test/crash/matrix/{dispute,return,session-expiry,session-payment}.test.ts',
  ],
} as const satisfies Record<string, readonly string[]>;
