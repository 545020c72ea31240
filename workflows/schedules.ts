import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import type { Mode } from '../server/kernel/mode.ts';
import { queueOf } from './cases/queues.ts';
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
}

/** Intervals as Temporal takes them, by run. */
export type RunEvery = Partial<Record<RunName, Duration>>;

/** The id of a run's schedule, behind the prefix. */
export const scheduleId = (run: RunName, mode: Mode = 'live'): string =>
  mode === 'live' || runs[run].modes.length === 1 ? run : `${run}-${mode}`;

function scheduleOf({ run, mode }: { run: RunName; mode: Mode }, options: ScheduleSettings): ScheduleOptions {
  const { note } = runs[run];
  const every = options.runEvery[run] ?? runs[run].every;
  const id = options.prefix + scheduleId(run, mode);
  const taskQueue = queueOf(options.taskQueue, mode);
  return {
    scheduleId: id,
    spec: { intervals: [{ every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW },
    action: {
      type: 'startWorkflow',
      workflowType: run,
      workflowId: id,
      taskQueue,
      args: [mode],
    },
    state: { note },
  };
}

/** Every run in each of its modes. */
// The keys of a literal are those of its type.
const everyRun = (Object.keys(runs) as RunName[]).flatMap((run) => runs[run].modes.map((mode) => ({ run, mode })));

/** The runs of modes. */
export const runsOf = (modes: readonly Mode[]) => everyRun.filter(({ mode }) => modes.includes(mode));

/** Makes the schedules as the code has them; one that an operator paused stays paused. */
export async function ensureSchedules(client: Client, options: ScheduleSettings): Promise<void> {
  for (const each of runsOf(options.modes)) {
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
