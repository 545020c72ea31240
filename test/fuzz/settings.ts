/** How long and from where schemathesis draws requests. */
export interface FuzzSettings {
  readonly examples: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** More arguments for schemathesis. */
  readonly more: readonly string[];
}

/** What a run of the tests does: enough to meet a mistake of the document, the same each time. */
const IN_TESTS = { examples: 10, seed: 1 } as const;
const TIMEOUT_MINUTES = 15;

/** The settings that `npm run fuzz` hands on by the environment. */
export function readFuzzSettings(env: NodeJS.ProcessEnv): FuzzSettings {
  const { FUZZ_EXAMPLES, FUZZ_SEED, FUZZ_MINUTES, FUZZ_MORE } = env;
  return {
    examples: Number(FUZZ_EXAMPLES ?? IN_TESTS.examples),
    seed: Number(FUZZ_SEED ?? IN_TESTS.seed),
    timeoutMs: Number(FUZZ_MINUTES ?? TIMEOUT_MINUTES) * 60_000,
    more: FUZZ_MORE === undefined ? [] : (JSON.parse(FUZZ_MORE) as string[]),
  };
}
