import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import type { Lane } from '../server/kernel/lane.ts';
import { queueOf } from './cases/queues.ts';
import { type RunName, runs } from './runs.ts';

/** What an outage of the workers leaves out is not made up for: a run does whatever is due. */
const CATCHUP_WINDOW = '1 minute';

export interface ScheduleSettings {
  readonly prefix: string;
  readonly taskQueue: string;
  /** For tests only: how often some runs come there. */
  readonly runEvery: RunEvery;
}

/** Intervals as Temporal takes them, by run. */
export type RunEvery = Partial<Record<RunName, Duration>>;

/** The id of a run's schedule, behind the prefix. */
export const scheduleId = (run: RunName, lane: Lane = 'live'): string =>
  lane === 'live' || runs[run].lanes.length === 1 ? run : `${run}-${lane}`;

function scheduleOf({ run, lane }: { run: RunName; lane: Lane }, options: ScheduleSettings): ScheduleOptions {
  const { note } = runs[run];
  const every = options.runEvery[run] ?? runs[run].every;
  const id = options.prefix + scheduleId(run, lane);
  const taskQueue = queueOf(options.taskQueue, lane);
  return {
    scheduleId: id,
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW },
    action: {
      type: 'startWorkflow',
      workflowType: run,
      workflowId: id,
      taskQueue,
      args: lane === 'live' ? [] : [lane],
    },
    state: { note },
  };
}

/** Every run in each of its lanes. */
// The keys of a literal are those of its type.
export const everyRun = (Object.keys(runs) as RunName[]).flatMap((run) =>
  runs[run].lanes.map((lane) => ({ run, lane })),
);

/** Makes the schedules as the code has them; one that an operator paused stays paused. */
export async function ensureSchedules(client: Client, options: ScheduleSettings): Promise<void> {
  for (const each of everyRun) {
    const wanted = scheduleOf(each, options);
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
}

/** Whether Temporal knows the schedule that finds what it lost; an empty one in the place of the former does not. */
export async function knowsSchedules(client: Client, { prefix }: { prefix: string }): Promise<boolean> {
  try {
    await client.schedule.getHandle(`${prefix}${'case-recovery-run' satisfies RunName}`).describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
