import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type pg from 'pg';
import { openPool } from '../server/db/database.ts';
import { FACTS_CHANNEL, listen, OUTBOX_CHANNEL } from '../server/db/notifications.ts';
import { acrossAccounts, run, statement } from '../server/db/statement.ts';
import type { Deps } from '../server/deps.ts';
import { createSendOnce } from '../server/events/deliveries/attempt.ts';
import { FirstDeliveries } from '../server/events/deliveries/first.ts';
import { createRecorder } from '../server/events/deliveries/results.ts';
import { LADDER, type Ladder } from '../server/events/deliveries/rules.ts';
import { SendingWindow } from '../server/events/deliveries/window.ts';
import { newSuffix } from '../server/kernel/ids.ts';
import { realTimeMs } from '../server/kernel/time.ts';
import { ownMetrics } from '../server/metrics.ts';
import { measureOldestDue } from '../server/outbox/oldest-due.ts';
import { measureCertificates } from '../server/payments/live/certificates.ts';
import { createActivities } from './activities.ts';
import { startRelay } from './relay.ts';
import type { RunEvery } from './schedules.ts';
import { TemporalSession } from './session.ts';
import { openClient, type TemporalAddress } from './temporal.ts';

export const TASK_QUEUE = 'fatura';

export interface WorkerOptions {
  readonly deps: Deps;
  readonly databaseUrl: string;
  readonly temporal: TemporalAddress;
  /** A queue of its own lets several share one Temporal server. */
  readonly taskQueue?: string;
  /** Goes before the names of the schedules; null: none are made. */
  readonly schedulePrefix?: string | null;
  /** For tests only: runs that come more often than the service's. */
  readonly runEvery?: RunEvery;
  /** For tests only: the workflows as they were bundled before. */
  readonly bundle?: (() => Promise<WorkflowBundleOption>) | undefined;
  /** A quicker ladder than the service's, for tests. */
  readonly ladder?: Ladder;
}

export interface RunningWorker {
  /** Whether Temporal answers and our workers poll it. */
  readonly isTemporalUp: boolean;
  /** Takes nothing new, ends what is under way, and leaves. */
  stop(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
/** Longer than an attempt; then what is left is sent anew by whoever comes next. */
const DRAIN_MS = 20_000;
const DELIVERY_CONNECTIONS = 4;

/**
 * Plans of the delivery statements must not depend on when they were made: on an empty table a scan looks best, and the
 * plan stays when fifty thousand rows have come; of a million that wait, a claim must not sort all to take a hundred.
 */
const DELIVERY_PLANS = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
};

function openDeliveryPool({ databaseUrl, deps }: WorkerOptions): pg.Pool {
  const url = new URL(databaseUrl);
  const settings = Object.entries(DELIVERY_PLANS).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...settings].join(' ').trim());
  const onError = (error: Error) => deps.logger.warn({ err: error }, 'database connection lost');
  return renewingPlans(openPool(url.href, { size: DELIVERY_CONNECTIONS, onError }));
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

const tellAlive = statement(
  'tell_alive',
  `INSERT INTO worker_heartbeat (id, seen_at, temporal_ok, metrics) VALUES (:id, now(), :isTemporalUp, :metrics)
   ON CONFLICT (id) DO UPDATE
     SET seen_at = excluded.seen_at, temporal_ok = excluded.temporal_ok, metrics = excluded.metrics`,
);
const countOutboxDue = acrossAccounts('count_outbox_due', `SELECT count(*) AS due FROM outbox WHERE due_at <= now()`);
const tellGone = statement('tell_gone', `DELETE FROM worker_heartbeat WHERE id = :id`);

/** Tells the API, through the database, that a worker is here, how Temporal is, and what the worker counted. */
function startHeartbeat({ deps }: WorkerOptions, isTemporalUp: () => boolean): { beat(): void; stop(): Promise<void> } {
  const id = `${hostname()}/${process.pid}/${newSuffix()}`;
  let last: Promise<unknown> = Promise.resolve();
  const beat = () => {
    // A database that is away shows by itself.
    last = run<{ due: number }>(deps.pool, countOutboxDue, [])
      .then(([row]) => deps.metrics.outboxWaiting.set(row?.due ?? 0))
      .then(() => measureOldestDue(deps))
      .then(() => measureCertificates(deps))
      .then(() => ownMetrics(deps.metrics.registry))
      .then((metrics) => run(deps.pool, tellAlive, { id, isTemporalUp: isTemporalUp(), metrics }))
      .catch(() => {});
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    beat,
    async stop() {
      clearInterval(timer);
      await last;
      await run(deps.pool, tellGone, { id }).catch(() => {});
    },
  };
}

const withinDrain = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, sleep(DRAIN_MS, undefined, { ref: false })]);

/** Starts everything a worker process does; first deliveries need PostgreSQL alone, the rest waits for Temporal. */
export function startWorker(options: WorkerOptions): RunningWorker {
  const { deps, temporal, taskQueue = TASK_QUEUE, schedulePrefix = '', runEvery = {}, ladder = LADDER } = options;
  const { logger } = deps;
  const pool = openDeliveryPool(options);
  const window = new SendingWindow();
  const sendOnce = createSendOnce(deps);
  const client = openClient(temporal);
  const recorder = createRecorder({ pool, logger, onLadders: () => relay.wake() });
  const activities = createActivities(deps, { deps, sendOnce, recorder, window, ladder });
  const onUp = () => {
    relay.wake();
    heartbeat.beat();
  };
  const named = { temporal, client, taskQueue, schedulePrefix, runEvery, bundle: options.bundle };
  const session = new TemporalSession({ ...named, activities, logger, onUp });
  const relay = startRelay({ pool: deps.pool, client, taskQueue, logger, isTemporalUp: () => session.isUp });
  const deliverer = new FirstDeliveries({ deps, pool, sendOnce, recorder, window, ladder });
  const bells = { [FACTS_CHANNEL]: () => deliverer.wake(), [OUTBOX_CHANNEL]: () => relay.wake() };
  const listener = listen({ pool: deps.pool, logger, bells });
  const heartbeat = startHeartbeat(options, () => session.isUp);
  return {
    get isTemporalUp() {
      return session.isUp;
    },
    async stop() {
      await Promise.all([withinDrain(deliverer.stop()), withinDrain(relay.stop()), withinDrain(session.stop())]);
      await recorder.close();
      await Promise.all([listener.stop(), heartbeat.stop()]);
      await client.connection.close();
      await pool.end();
    },
  };
}
