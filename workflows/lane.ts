import type { Client } from '@temporalio/client';
import type { Loop } from '../server/db/loop.ts';
import { workFor } from '../server/db/owner.ts';
import type { Deps } from '../server/deps.ts';
import { createSendOnce } from '../server/events/deliveries/attempt.ts';
import { FirstDeliveries } from '../server/events/deliveries/first.ts';
import { createRecorder, type Recorder } from '../server/events/deliveries/results.ts';
import type { Ladder } from '../server/events/deliveries/rules.ts';
import type { SendingWindow } from '../server/events/deliveries/window.ts';
import type { Lane, PerLane } from '../server/kernel/lane.ts';
import type { LiveWork } from '../server/kernel/live-work.ts';
import type { OutboxWork } from '../server/outbox/outbox.ts';
import type { AdvancePace } from '../server/test-clock/pace.ts';
import { type Activities, createActivities } from './activities.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import { startRelay } from './relay.ts';

export interface LaneOptions {
  readonly lane: Lane;
  readonly deps: Deps;
  readonly databaseUrl: string;
  readonly client: Client;
  /** Where the cases of this lane are begun. */
  readonly taskQueue: string;
  readonly isTemporalUp: () => boolean;
  /** A case that was begun before there were lanes makes attempts of either. */
  readonly windows: PerLane<SendingWindow>;
  readonly ladder: Ladder;
  readonly liveWork: LiveWork;
  /** A case that was begun before there were lanes may move a clock in either. */
  readonly advancePace: AdvancePace;
}

/** The work of one mode in a worker process, with connections and queues that the other mode does not use. */
export interface RunningLane {
  readonly activities: Activities;
  readonly relays: readonly Loop[];
  readonly deliverer: FirstDeliveries;
  readonly recorder: Recorder;
  /** Behind the end of all that makes attempts. */
  close(): Promise<void>;
}

/** Each activity takes the connections of its lane. */
function inLane(lane: Lane, activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    // What is called and answered is the activity's own affair.
    (...args: unknown[]) => workFor({ lane }, () => Reflect.apply(activity, null, args)),
  ]);
  // The same names with the same forms.
  return Object.fromEntries(wrapped) as Activities;
}

/** Starts the work of a lane; all that it does takes connections of the lane. */
export const startLane = (options: LaneOptions): RunningLane => workFor({ lane: options.lane }, () => start(options));

function start(options: LaneOptions): RunningLane {
  const { lane, deps, databaseUrl, client, taskQueue, isTemporalUp, windows, ladder, liveWork, advancePace } = options;
  const { logger, metrics } = deps;
  const onError = (error: Error) => logger.warn({ err: error }, 'database connection lost');
  const pool = openDeliveryPool({ lane, databaseUrl, onError });
  const recorder = createRecorder({ pool, logger });
  const tools = { deps, sendOnce: createSendOnce(deps), recorder, windows, ladder };
  const relayOf = (work: OutboxWork): Loop =>
    startRelay({ lane, work, pool: deps.pool, client, taskQueue, logger, metrics, isTemporalUp });
  return {
    activities: inLane(lane, createActivities(deps, tools, advancePace)),
    relays: [relayOf('ladders'), relayOf('others')],
    deliverer: new FirstDeliveries({ ...tools, lane, pool, liveWork }),
    recorder,
    async close() {
      await recorder.close();
      await pool.end();
    },
  };
}
