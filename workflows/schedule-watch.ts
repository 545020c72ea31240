import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import type { Deps } from '../server/deps.ts';
import { Loop } from '../server/jobs/loop.ts';
import { raiseAlarm } from '../server/kernel/alarms.ts';
import { machineTimeMs, realTimeMs } from '../server/kernel/time.ts';
import { scheduleId } from './run-shards.ts';
import { ensureSchedules, runsOf, type ScheduleSettings } from './schedules.ts';

const LOOK_EVERY_MS = 20_000;
/** So many runs that did not come are told (docs/operations.md#runs). */
const MISSED_MAX = 5;

export interface ScheduleStatus {
  readonly everyMs: number;
  /** When the newest run began; when the schedule was made, if none did. */
  readonly begunAtMs: number;
  readonly isPaused: boolean;
}

interface Now {
  readonly nowMs: number;
  /** Since when Temporal answers and our workers poll it. */
  readonly upSinceMs: number;
}

/** How long the next run of a schedule has been due. */
export const lateMs = ({ everyMs, begunAtMs }: ScheduleStatus, { nowMs }: Pick<Now, 'nowMs'>): number =>
  Math.max(0, nowMs - begunAtMs - everyMs);

/** Whether runs stay away; behind an outage those of a schedule that is not paused come by themselves. */
export function isSilent({ everyMs, begunAtMs, isPaused }: ScheduleStatus, { nowMs, upSinceMs }: Now): boolean {
  const fromMs = isPaused ? begunAtMs : Math.max(begunAtMs, upSinceMs);
  return nowMs - fromMs >= MISSED_MAX * everyMs;
}

function statusOf({ spec, info, state }: ScheduleDescription): ScheduleStatus {
  const [interval] = spec.intervals ?? [];
  if (interval === undefined) throw new Error('a schedule of ours has an interval');
  const begunAt = info.recentActions.at(-1)?.takenAt ?? info.createdAt;
  return { everyMs: Number(interval.every), begunAtMs: begunAt.getTime(), isPaused: state.paused };
}

/** Temporal answers for all of them within this, or is away. */
const LOOK_MAX_MS = 10_000;

export interface ScheduleWatchOptions extends ScheduleSettings {
  readonly client: Client;
  readonly deps: Pick<Deps, 'metrics' | 'logger'>;
  readonly isTemporalUp: () => boolean;
}

/** Measures how late each run is, tells of those that stay away, and makes anew a schedule that somebody deleted. */
export function startScheduleWatch(options: ScheduleWatchOptions): Loop {
  const { client, deps, prefix, modes, shards, isTemporalUp } = options;
  const { metrics, logger } = deps;
  let upSinceMs: number | null = null;
  let known: readonly string[] = [];
  const silent = new Set<string>();
  const look = async (id: string, now: Now) => {
    const status = statusOf(await client.schedule.getHandle(prefix + id).describe());
    metrics.oldestDue.set({ queue: id }, lateMs(status, now) / 1000);
    const wasSilent = silent.has(id);
    if (isSilent(status, now)) silent.add(id);
    else silent.delete(id);
    metrics.silentSchedules.set(silent.size);
    if (wasSilent || !silent.has(id)) return;
    const why = status.isPaused ? 'it is paused' : 'it is not paused';
    const message = `${MISSED_MAX} runs of a schedule did not come: ${why}`;
    raiseAlarm(deps, 'schedule_silent', { schedule: id, paused: status.isPaused, message });
  };
  /** Those that are to be there now; of those that cut a run otherwise nothing is told any more. */
  const findAll = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const mode of modes)
      ids.push(...runsOf([mode], await shards.of(mode)).map(({ run, runShard }) => scheduleId(run, mode, runShard)));
    for (const gone of known.filter((id) => !ids.includes(id))) {
      silent.delete(gone);
      metrics.oldestDue.remove({ queue: gone });
    }
    known = ids;
    return ids;
  };
  const lookAtAll = async (): Promise<void> => {
    const nowMs = realTimeMs();
    upSinceMs = isTemporalUp() ? (upSinceMs ?? nowMs) : null;
    if (upSinceMs === null) return;
    const now = { nowMs, upSinceMs };
    // Each is awaited: a call that goes on behind the end of the connection would end the process.
    const looks = await client.withDeadline(machineTimeMs() + LOOK_MAX_MS, async () =>
      Promise.allSettled((await findAll()).map((id) => look(id, now))),
    );
    const faults = looks.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (faults.length === 0) return;
    if (!faults.every((fault) => fault instanceof ScheduleNotFoundError)) throw faults[0];
    await ensureSchedules(client, options);
  };
  return new Loop({
    logger,
    what: 'the schedules of the runs',
    turn: async (reached) => {
      await lookAtAll();
      reached();
      return LOOK_EVERY_MS;
    },
    retryMs: LOOK_EVERY_MS,
  });
}
