import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import type { Mode } from '../server/kernel/mode.ts';
import { doOverlap, everyShard, type RunShard, type ShardCount, WHOLE } from '../server/kernel/shards.ts';
import { queueOf } from './cases/queues.ts';
import { otherShards, type RunShards, type ShardSchedule, scheduleId } from './run-shards.ts';
import { type RunName, runs } from './runs.ts';

/** What an outage of the workers leaves out is not made up for: a run does whatever is due. */
const CATCHUP_WINDOW = '1 minute';

export interface ScheduleSettings {
  readonly prefix: string;
  readonly taskQueue: string;
  /** Those of other modes are another worker's. */
  readonly modes: readonly Mode[];
  /** For tests only: how often some runs come there. */
  readonly runEvery: RunEvery;
  readonly shards: Pick<RunShards, 'of' | 'made'>;
}

/** Intervals as Temporal takes them, by run. */
export type RunEvery = Partial<Record<RunName, Duration>>;

/** A run of a mode, or a shard of it. */
interface Scheduled {
  readonly run: RunName;
  readonly mode: Mode;
  readonly runShard: RunShard;
}

type Making = Omit<ScheduleSettings, 'modes' | 'shards'>;

/** `paused`: a schedule whose rows this one takes over. */
function scheduleOf(
  { run, mode, runShard }: Scheduled,
  { options, paused }: { options: Making; paused: ShardSchedule | undefined },
): ScheduleOptions {
  const { note } = runs[run];
  const every = options.runEvery[run] ?? runs[run].every;
  const id = options.prefix + scheduleId(run, mode, runShard);
  const taskQueue = queueOf(options.taskQueue, mode);
  return {
    scheduleId: id,
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: CATCHUP_WINDOW },
    action: {
      type: 'startWorkflow',
      workflowType: run,
      workflowId: id,
      taskQueue,
      args: runShard.of === 1 ? [mode] : [mode, runShard],
    },
    state: paused === undefined ? { note } : { paused: true, note: paused.note ?? note },
  };
}

// The keys of a literal are those of its type.
const names = Object.keys(runs) as RunName[];

/** The schedules of modes: each run in each of its modes, and of a run in shards each shard. */
export const runsOf = (modes: readonly Mode[], of: ShardCount = 1): Scheduled[] =>
  names.flatMap((run) => {
    const shards = 'inShards' in runs[run] ? everyShard(of) : [WHOLE];
    return runs[run].modes
      .filter((mode) => modes.includes(mode))
      .flatMap((mode) => shards.map((runShard) => ({ run, mode, runShard })));
  });

/** Makes the schedules as the code has them; one that an operator paused stays paused. */
export async function ensureSchedules(client: Client, options: ScheduleSettings): Promise<void> {
  for (const mode of options.modes) {
    const of = await options.shards.of(mode);
    for (const run of names)
      await ensureRun(client, { scheduled: runsOf([mode], of).filter((one) => one.run === run), options });
    options.shards.made(mode);
  }
}

/** Makes the schedules of a run, then removes those that cut it otherwise: for a moment both are there, which does nothing twice. */
async function ensureRun(
  client: Client,
  { scheduled, options }: { scheduled: readonly Scheduled[]; options: Making },
): Promise<void> {
  const [first] = scheduled;
  if (first === undefined) return;
  const { run, mode, runShard } = first;
  const others =
    'inShards' in runs[run] ? await otherShards(client, { prefix: options.prefix, run, mode }, runShard.of) : [];
  for (const one of scheduled) {
    // What an operator paused does not begin by being cut otherwise.
    const paused = others.find((other) => other.isPaused && doOverlap(other.runShard, one.runShard));
    await ensureSchedule(client, scheduleOf(one, { options, paused }));
  }
  for (const { id } of others.toReversed()) await removeSchedule(client, id);
}

async function ensureSchedule(client: Client, wanted: ScheduleOptions): Promise<void> {
  try {
    await client.schedule.create(wanted);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, policies, action } = wanted;
    await client.schedule
      .getHandle(wanted.scheduleId)
      .update(({ state }) => ({ spec, policies: policies ?? {}, action, state }));
  }
}

/** Another worker may remove it at the same moment. */
async function removeSchedule(client: Client, id: string): Promise<void> {
  try {
    await client.schedule.getHandle(id).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** Whether Temporal knows the schedule that finds what it lost; an empty one in the place of the former does not. */
export async function knowsSchedules(
  client: Client,
  { prefix, modes }: Pick<ScheduleSettings, 'prefix' | 'modes'>,
): Promise<boolean> {
  try {
    for (const mode of modes)
      await client.schedule.getHandle(prefix + scheduleId('case-recovery-run', mode)).describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
