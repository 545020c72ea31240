import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Log } from '../server/jobs/loop.ts';
import type { Mode } from '../server/kernel/mode.ts';
import { everyShard, type RunShard, SHARD_COUNTS, type ShardCount, shardName, WHOLE } from '../server/kernel/shards.ts';
import { type RunName, runs } from './runs.ts';

/** The id of a run's schedule, behind the prefix: `billing-run`, `billing-run-sandbox`, `billing-run-sandbox-0of4`. */
export function scheduleId(run: RunName, mode: Mode = 'live', runShard: RunShard = WHOLE): string {
  const ofMode = mode === 'live' || runs[run].modes.length === 1 ? run : `${run}-${mode}`;
  return runShard.of === 1 ? ofMode : `${ofMode}-${shardName(runShard)}`;
}

/** A schedule of one shard of a run. */
export interface ShardSchedule {
  readonly id: string;
  readonly runShard: RunShard;
  readonly madeAtMs: number;
  readonly isPaused: boolean;
  readonly note: string | undefined;
}

interface CutRun {
  readonly prefix: string;
  readonly run: RunName;
  readonly mode: Mode;
}

async function find(client: Client, { prefix, run, mode }: CutRun, runShard: RunShard): Promise<ShardSchedule[]> {
  const id = prefix + scheduleId(run, mode, runShard);
  try {
    const { info, state } = await client.schedule.getHandle(id).describe();
    return [{ id, runShard, madeAtMs: info.createdAt.getTime(), isPaused: state.paused, note: state.note }];
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return [];
    throw error;
  }
}

/** The schedules that are there and cut a run otherwise. The first shard of a count is made first and removed last, so it tells of the rest. */
export async function otherShards(client: Client, of: CutRun, count: ShardCount): Promise<ShardSchedule[]> {
  const found: ShardSchedule[] = [];
  for (const other of SHARD_COUNTS) {
    if (other === count) continue;
    const [first, ...rest] = everyShard(other);
    const one = first === undefined ? [] : await find(client, of, first);
    if (one.length === 0) continue;
    found.push(...one);
    for (const runShard of rest) found.push(...(await find(client, of, runShard)));
  }
  return found;
}

export interface RunShardsOptions {
  readonly client: Client;
  /** Goes before the names of the schedules. */
  readonly prefix: string;
  /** `RUN_SHARDS` of this worker. */
  readonly wanted: ShardCount;
  readonly logger: Log;
  /** For tests only: how long another count is kept. Milliseconds. */
  readonly keepsMs?: number | undefined;
}

const KEEPS_MS = 60_000;

/**
 * Into how many shards runs are cut: the schedules themselves say it, those that were made last. A worker that wants another
 * count has its way once, a minute after its start; from then on it keeps whatever is there. So the worker that was started
 * last has its way, and two with different counts do not remove each other's schedules for ever.
 */
export class RunShards {
  readonly #options: RunShardsOptions;
  readonly #startedMs = performance.now();
  readonly #hadItsWay = new Set<Mode>();
  readonly #inForce = new Map<Mode, ShardCount>();

  constructor(options: RunShardsOptions) {
    this.#options = options;
  }

  /** The largest count that was in force when it was asked for last. */
  get largest(): ShardCount {
    return SHARD_COUNTS.findLast((count) => [...this.#inForce.values()].includes(count)) ?? 1;
  }

  /** The count that is to be in force in a mode. */
  async of(mode: Mode): Promise<ShardCount> {
    const { wanted, logger, keepsMs = KEEPS_MS } = this.#options;
    const stored = (await this.#stored(mode)) ?? wanted;
    const keeps = this.#hadItsWay.has(mode) || performance.now() - this.#startedMs < keepsMs;
    const count = keeps ? stored : wanted;
    if (count !== wanted && this.#inForce.get(mode) !== count)
      logger.warn(
        { mode, wanted, inForce: count },
        'RUN_SHARDS of this worker is not in force: the schedules stay as they are',
      );
    this.#inForce.set(mode, count);
    return count;
  }

  /** The schedules of a mode are made as `of` said. */
  made(mode: Mode): void {
    if (this.#inForce.get(mode) === this.#options.wanted) this.#hadItsWay.add(mode);
  }

  async #stored(mode: Mode): Promise<ShardCount | null> {
    const { client, prefix } = this.#options;
    const found: ShardSchedule[] = [];
    // One after the other: a call that goes on behind the end of the connection would end the process.
    for (const of of SHARD_COUNTS)
      found.push(...(await find(client, { prefix, run: 'billing-run', mode }, { shard: 0, of })));
    const [newest] = found.toSorted((one, other) => other.madeAtMs - one.madeAtMs);
    return newest?.runShard.of ?? null;
  }
}
