/** So many share a database, which is audited after the last. */
const BATCH = 100;
const RUNS_FIXED = 200;
const RUNS_WHOLE = 2_000;
const RUNS_SOAK = 50_000;
const SEED_FIXED = 20_261_121;
const SEEDS = 2 ** 30;

/** Interleavings that follow from one seed. */
export interface Batch {
  readonly seed: number;
  readonly numRuns: number;
}

/** Where in a batch a failure was found; nothing replays a whole batch. */
export interface Replay {
  readonly property?: { readonly path: string };
  readonly commands?: { readonly replayPath: string };
}

/** Each batch has a seed of its own, so that it is the same whichever batches run beside it. */
const batchesOf = (firstSeed: number, runs: number): Batch[] =>
  Array.from({ length: Math.ceil(runs / BATCH) }, (_, index) => ({
    seed: firstSeed + index,
    numRuns: Math.min(BATCH, runs - index * BATCH),
  }));

/** The same interleavings each time. */
export const fixedBatches = batchesOf(SEED_FIXED, RUNS_FIXED);

/** How many interleavings are run, from which seed, and which one alone of them. */
export interface ModelRun {
  readonly batches: readonly Batch[];
  readonly replay: Replay;
  /** Whether so many interleavings are run that everything is met. */
  readonly isWhole: boolean;
}

/**
 * `MODEL_RUNS`: how many interleavings; `SOAK=1`: as many as a long run takes; `MODEL_SEED`, `MODEL_PATH`,
 * `MODEL_REPLAY`: the one that a failure printed. Without a seed each run has another.
 */
export function readModelRun(env: NodeJS.ProcessEnv): ModelRun {
  const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY, SOAK } = env;
  const runs = Number(MODEL_RUNS ?? (SOAK === undefined ? RUNS_WHOLE : RUNS_SOAK));
  const batches = batchesOf(Number(MODEL_SEED ?? Math.floor(Math.random() * SEEDS)), runs);
  const commands = MODEL_REPLAY === undefined ? {} : { commands: { replayPath: MODEL_REPLAY } };
  if (MODEL_PATH === undefined) return { batches, replay: commands, isWhole: runs >= RUNS_WHOLE };
  return { batches: batches.slice(0, 1), replay: { ...commands, property: { path: MODEL_PATH } }, isWhole: false };
}

/** How to run the failure again. */
export function replayLine({ seed, counterexamplePath, counterexample }: Failure): string {
  const commands = /replayPath="([^"]*)"/.exec((counterexample ?? []).map(String).join(' '))?.[1];
  const replayed = commands === undefined ? '' : ` MODEL_REPLAY='${commands}'`;
  return `Run it again: MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath}${replayed} npx vitest run test/model/any-seed`;
}

interface Failure {
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
}
