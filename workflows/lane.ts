import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { openPool } from '../server/db/database.ts';
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
import { realTimeMs } from '../server/kernel/time.ts';
import type { OutboxWork } from '../server/outbox/outbox.ts';
import type { AdvancePace } from '../server/test-clock/pace.ts';
import { type Activities, createActivities } from './activities.ts';
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

/** Connections for the results and claims of deliveries. */
const DELIVERY_CONNECTIONS: PerLane<number> = { live: 4, sandbox: 3 };

/**
 * Plans of the delivery statements must not depend on when they were made: on an empty table a scan looks best, and the
 * plan stays when fifty thousand rows have come; of a million that wait, a claim must not sort all to take a hundred.
 */
export const DELIVERY_PLANS = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
};

function openDeliveryPool({ lane, databaseUrl, deps }: LaneOptions): pg.Pool {
  const url = new URL(databaseUrl);
  const settings = Object.entries(DELIVERY_PLANS).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...settings].join(' ').trim());
  const onError = (error: Error) => deps.logger.warn({ err: error }, 'database connection lost');
  return renewingPlans(openPool(url.href, { size: DELIVERY_CONNECTIONS[lane], onError }));
}

const PLANS_LAST_MS = 2_000;

/** Of a day that was empty when a plan was made, the plan reads everything, as long as it is kept: a burst would wait for a minute. */
function renewingPlans(pool: pg.Pool): pg.Pool {
  const plannedAtMs = new WeakMap<pg.PoolClient, number>();
  return pool.on('acquire', (client) => {
    const nowMs = realTimeMs();
    if (nowMs - (plannedAtMs.get(client) ?? 0) < PLANS_LAST_MS) return;
    plannedAtMs.set(client, nowMs);
    // Ahead of what the client was acquired for; a connection that is lost fails that too.
    client.query('DISCARD PLANS').catch(() => {});
  });
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
  const { lane, deps, client, taskQueue, isTemporalUp, windows, ladder, liveWork, advancePace } = options;
  const { logger, metrics } = deps;
  const pool = openDeliveryPool(options);
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
