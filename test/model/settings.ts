/*
 * MODEL_RUNS: how many interleavings; SOAK=1: many, from another seed each time; MODEL_SEED, MODEL_PATH, MODEL_REPLAY: the
 * one that a failure printed.
 */
const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY, SOAK } = process.env;

const RUNS_WHOLE = 2_000;
const RUNS_DEFAULT = SOAK === undefined ? RUNS_WHOLE : 50_000;
/** So many share a database, which is audited after the last. */
const BATCH = 100;
const SEED_DEFAULT = 20_261_121;
const SEEDS = 2 ** 30;

const runs = Number(MODEL_RUNS ?? RUNS_DEFAULT);
const firstSeed = Number(MODEL_SEED ?? (SOAK === undefined ? SEED_DEFAULT : Math.floor(Math.random() * SEEDS)));
const isReplay = MODEL_PATH !== undefined;

/** Whether so many interleavings are run that everything is met. */
export const isWhole = !isReplay && runs >= RUNS_WHOLE;

/** Each batch has a seed of its own, so that it is the same whichever batches run beside it. */
export const batches = Array.from({ length: isReplay ? 1 : Math.ceil(runs / BATCH) }, (_, index) => ({
  seed: firstSeed + index,
  numRuns: Math.min(BATCH, runs - index * BATCH),
}));

export const replay = {
  property: isReplay ? { path: MODEL_PATH } : {},
  commands: MODEL_REPLAY === undefined ? {} : { replayPath: MODEL_REPLAY },
};

/** How to run the failure again. */
export function replayLine({ seed, counterexamplePath, counterexample }: Failure): string {
  const commands = /replayPath="([^"]*)"/.exec((counterexample ?? []).map(String).join(' '))?.[1];
  const replayed = commands === undefined ? '' : ` MODEL_REPLAY='${commands}'`;
  return `Run it again: MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath}${replayed} npx vitest run test/model`;
}

interface Failure {
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
}
