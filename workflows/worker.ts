import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { acrossAccounts, run, statement } from '../server/db/statement.ts';
import type { Deps } from '../server/deps.ts';
import { createSendOnce } from '../server/events/deliveries/attempt.ts';
import { FirstDeliveries } from '../server/events/deliveries/first.ts';
import { createRecorder } from '../server/events/deliveries/results.ts';
import { LADDER, type Ladder } from '../server/events/deliveries/rules.ts';
import { SendingWindow, WINDOW_LIMITS } from '../server/events/deliveries/window.ts';
import { createOverdueMeasure } from '../server/invoices/overdue-amount.ts';
import type { Loop } from '../server/jobs/loop.ts';
import { accountsOf, channelOf, listen } from '../server/jobs/notifications.ts';
import { newSuffix } from '../server/kernel/ids.ts';
import { type Mode, perMode } from '../server/kernel/mode.ts';
import type { ShardCount } from '../server/kernel/shards.ts';
import { ownMetrics } from '../server/metrics.ts';
import { createOldestDueMeasure } from '../server/outbox/oldest-due.ts';
import { measureCertificates } from '../server/payments/live/certificates.ts';
import { createActivities } from './activities.ts';
import { buildIdOf, builtWorkflows } from './bundle.ts';
import { queueOf } from './cases/queues.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import { startCurrentBuild } from './deployment.ts';
import { startRelay } from './relay.ts';
import { RunShards } from './run-shards.ts';
import { startScheduleWatch } from './schedule-watch.ts';
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
  /** Into how many shards runs are cut, unless the schedules say another count. */
  readonly runShards?: ShardCount;
  /** For tests only: how long that is kept. Milliseconds. */
  readonly keepsShardsMs?: number;
  /** Which build of the workflows it runs; null: whichever, in tests that share a server. Absent: the one that was built. */
  readonly buildId?: string | null;
  /** A quicker ladder than the service's, for tests. */
  readonly ladder?: Ladder;
}

export interface RunningWorker {
  /** Whether Temporal answers and our workers poll it. */
  readonly isTemporalUp: boolean;
  /** Takes nothing new, ends what is in flight, and leaves. */
  stop(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
/** Longer than an attempt; then what is left is sent anew by whoever comes next. */
const DRAIN_MS = 20_000;

const tellAlive = statement(
  'tell_alive',
  `WITH first AS (INSERT INTO installation (ready_at) SELECT now() WHERE :isTemporalUp ON CONFLICT (is_only) DO NOTHING)
   INSERT INTO worker_heartbeat (id, modes, seen_at, temporal_ok, build, metrics) VALUES (:id, :modes, now(), :isTemporalUp, :build, :metrics)
   ON CONFLICT (id) DO UPDATE
     SET seen_at = excluded.seen_at, temporal_ok = excluded.temporal_ok, metrics = excluded.metrics`,
);
const countOutboxDue = acrossAccounts('count_outbox_due', `SELECT count(*) AS due FROM outbox WHERE due_at <= now()`);
const tellGone = statement('tell_gone', `DELETE FROM worker_heartbeat WHERE id = :id`);

/** Tells the API, through the database, that a worker is here, how Temporal is, and what the worker counted. */
function startHeartbeat(
  { deps, build }: { deps: Deps; build: string | null },
  { isTemporalUp, shards }: { isTemporalUp: () => boolean; shards: Pick<RunShards, 'largest'> },
): { send(): void; stop(): Promise<void> } {
  const measureOldestDue = createOldestDueMeasure(deps, () => shards.largest);
  const measureOverdue = createOverdueMeasure(deps);
  const id = `${hostname()}/${process.pid}/${newSuffix()}`;
  let last: Promise<unknown> = Promise.resolve();
  const send = () => {
    // A database that is away shows by itself.
    last = run<{ due: number }>(deps.pool, countOutboxDue, [])
      .then(([row]) => deps.metrics.outboxWaiting.set(row?.due ?? 0))
      .then(measureOldestDue)
      .then(measureOverdue)
      .then(() => measureCertificates(deps))
      .then(() => ownMetrics(deps.metrics.registry))
      .then((metrics) =>
        run(deps.pool, tellAlive, { id, modes: deps.settings.modes, isTemporalUp: isTemporalUp(), build, metrics }),
      )
      .catch(() => {});
  };
  send();
  const timer = setInterval(send, HEARTBEAT_MS);
  return {
    send,
    async stop() {
      clearInterval(timer);
      await last;
      await run(deps.pool, tellGone, { id }).catch(() => {});
    },
  };
}

const withinDrain = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.race([work, sleep(DRAIN_MS, undefined, { ref: false })]);

/** What hands on the work of a mode. */
interface ModeLoops {
  readonly mode: Mode;
  readonly relays: readonly Loop[];
  readonly deliverer: FirstDeliveries;
}

const wakeRelays = ({ relays }: ModeLoops): void => {
  for (const relay of relays) relay.wake();
};

/** The loops to wake, by the channel of the notification. */
const handlersOf = (all: readonly ModeLoops[]) =>
  Object.fromEntries(
    all.flatMap((loops) => [
      [channelOf('facts', loops.mode), (payload: string) => loops.deliverer.wake(accountsOf(payload))],
      [channelOf('outbox', loops.mode), () => wakeRelays(loops)],
    ]),
  );

/** What makes attempts: each mode has a window of its own, and all have connections that nothing else uses. */
function attemptTools({ deps, databaseUrl, ladder = LADDER }: WorkerOptions) {
  const { logger } = deps;
  const onError = (error: Error) => logger.warn({ err: error }, 'database connection lost');
  const pool = openDeliveryPool({ databaseUrl, onError });
  const recorder = createRecorder({ pool, logger });
  const windows = perMode(() => new SendingWindow(WINDOW_LIMITS));
  return { pool, tools: { deps, sendOnce: createSendOnce(deps), recorder, windows, ladder } };
}

/** Starts everything a worker process does; first deliveries need PostgreSQL alone, the rest waits for Temporal. */
export function startWorker(options: WorkerOptions): RunningWorker {
  const { deps, temporal, taskQueue = TASK_QUEUE, schedulePrefix = '', runEvery = {} } = options;
  const { runShards = 1, keepsShardsMs } = options;
  const { logger, secretBox, settings, tracing } = deps;
  const { modes } = settings;
  const client = openClient(temporal, secretBox, tracing);
  const shards = new RunShards({
    client,
    prefix: schedulePrefix ?? '',
    wanted: runShards,
    keepsMs: keepsShardsMs,
    logger,
  });
  const isTemporalUp = () => session.isUp;
  const { pool, tools } = attemptTools(options);
  const loopsOf = (mode: Mode): ModeLoops => {
    const common = {
      mode,
      client,
      taskQueue: queueOf(taskQueue, mode),
      pool: deps.pool,
      logger,
      tracing,
      isTemporalUp,
    };
    const relays = (['ladders', 'others'] as const).map((work) => startRelay({ ...common, work }));
    return { mode, relays, deliverer: new FirstDeliveries({ ...tools, mode, pool }) };
  };
  const all = modes.map(loopsOf);
  const onUp = () => {
    all.forEach(wakeRelays);
    for (const loop of currentBuilds) loop.wake();
    heartbeat.send();
  };
  const activities = createActivities(deps, tools);
  const polled = { temporal, secretBox, client, taskQueue, modes, schedulePrefix, runEvery, shards };
  const bundle = builtWorkflows();
  const { buildId = buildIdOf(bundle) } = options;
  const session = new TemporalSession({ ...polled, bundle, buildId, activities, logger, tracing, onUp });
  const listener = listen({ pool: deps.pool, logger, handlers: handlersOf(all) });
  const heartbeat = startHeartbeat({ deps, build: buildId }, { isTemporalUp, shards });
  const watched = { client, deps, taskQueue, modes, runEvery, shards, isTemporalUp };
  const deployment = { client, namespace: temporal.namespace, taskQueue, pool: deps.pool, logger };
  const watch = schedulePrefix === null ? null : startScheduleWatch({ ...watched, prefix: schedulePrefix });
  const currentBuilds =
    buildId === null ? [] : modes.map((mode) => startCurrentBuild({ ...deployment, mode, buildId, isTemporalUp }));
  return {
    get isTemporalUp() {
      return session.isUp;
    },
    async stop() {
      const loops = all.flatMap(({ deliverer, relays }) => [deliverer, ...relays].map((loop) => loop.stop()));
      const watches = [watch, ...currentBuilds].map((loop) => loop?.stop());
      await Promise.all([...loops, session.stop(), ...watches].map(withinDrain));
      await tools.recorder.close();
      await Promise.all([listener.stop(), heartbeat.stop()]);
      await client.connection.close();
      await pool.end();
    },
  };
}
