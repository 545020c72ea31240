import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { accountsOf, channelOf, listen } from '../server/db/notifications.ts';
import { acrossAccounts, run, statement } from '../server/db/statement.ts';
import type { Deps } from '../server/deps.ts';
import { LADDER, type Ladder } from '../server/events/deliveries/rules.ts';
import { SendingWindow, WINDOW_LIMITS } from '../server/events/deliveries/window.ts';
import { newSuffix } from '../server/kernel/ids.ts';
import { LANES, type PerLane, perLane } from '../server/kernel/lane.ts';
import { LiveWork } from '../server/kernel/live-work.ts';
import { ownMetrics } from '../server/metrics.ts';
import { createOldestDueMeasure } from '../server/outbox/oldest-due.ts';
import { measureCertificates } from '../server/payments/live/certificates.ts';
import { AdvancePace } from '../server/test-clock/pace.ts';
import { queueOf } from './cases/queues.ts';
import { type RunningLane, startLane } from './lane.ts';
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

const tellAlive = statement(
  'tell_alive',
  `WITH first AS (INSERT INTO installation (ready_at) SELECT now() WHERE :isTemporalUp ON CONFLICT (is_only) DO NOTHING)
   INSERT INTO worker_heartbeat (id, seen_at, temporal_ok, metrics) VALUES (:id, now(), :isTemporalUp, :metrics)
   ON CONFLICT (id) DO UPDATE
     SET seen_at = excluded.seen_at, temporal_ok = excluded.temporal_ok, metrics = excluded.metrics`,
);
const countOutboxDue = acrossAccounts('count_outbox_due', `SELECT count(*) AS due FROM outbox WHERE due_at <= now()`);
const tellGone = statement('tell_gone', `DELETE FROM worker_heartbeat WHERE id = :id`);

/** Tells the API, through the database, that a worker is here, how Temporal is, and what the worker counted. */
function startHeartbeat({ deps }: WorkerOptions, isTemporalUp: () => boolean): { beat(): void; stop(): Promise<void> } {
  const measureOldestDue = createOldestDueMeasure(deps);
  const id = `${hostname()}/${process.pid}/${newSuffix()}`;
  let last: Promise<unknown> = Promise.resolve();
  const beat = () => {
    // A database that is away shows by itself.
    last = run<{ due: number }>(deps.pool, countOutboxDue, [])
      .then(([row]) => deps.metrics.outboxWaiting.set(row?.due ?? 0))
      .then(measureOldestDue)
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

const withinDrain = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.race([work, sleep(DRAIN_MS, undefined, { ref: false })]);

function wakeRelays({ relays }: RunningLane): void {
  for (const relay of relays) relay.wake();
}

/** What rings where the database tells of news. */
const bellsOf = (lanes: PerLane<RunningLane>, liveWork: LiveWork) =>
  Object.fromEntries(
    LANES.flatMap((lane) => [
      [
        channelOf('facts', lane),
        (payload: string) => {
          if (lane === 'live') liveWork.saw();
          lanes[lane].deliverer.wake(accountsOf(payload));
        },
      ],
      [channelOf('outbox', lane), () => wakeRelays(lanes[lane])],
    ]),
  );

/** Starts everything a worker process does; first deliveries need PostgreSQL alone, the rest waits for Temporal. */
export function startWorker(options: WorkerOptions): RunningWorker {
  const { deps, databaseUrl, temporal, taskQueue = TASK_QUEUE, schedulePrefix = '', ladder = LADDER } = options;
  const { logger } = deps;
  const { secretBox } = deps;
  const client = openClient(temporal, secretBox);
  const isTemporalUp = () => session.isUp;
  const windows = perLane((lane) => new SendingWindow(WINDOW_LIMITS[lane]));
  const liveWork = new LiveWork();
  const advancePace = new AdvancePace(liveWork);
  const common = { databaseUrl, client, isTemporalUp, windows, ladder, liveWork, advancePace };
  const lanes = perLane((lane) => startLane({ ...common, lane, deps, taskQueue: queueOf(taskQueue, lane) }));
  const all = LANES.map((lane) => lanes[lane]);
  const onUp = () => {
    all.forEach(wakeRelays);
    heartbeat.beat();
  };
  const { runEvery = {}, bundle } = options;
  const activities = perLane((lane) => lanes[lane].activities);
  const session = new TemporalSession({
    temporal,
    secretBox,
    client,
    taskQueue,
    schedulePrefix,
    runEvery,
    bundle,
    activities,
    logger,
    onUp,
  });
  const listener = listen({ pool: deps.pool, logger, bells: bellsOf(lanes, liveWork) });
  const heartbeat = startHeartbeat(options, isTemporalUp);
  const watched = { client, deps, taskQueue, runEvery, isTemporalUp };
  const watch = schedulePrefix === null ? null : startScheduleWatch({ ...watched, prefix: schedulePrefix });
  return {
    get isTemporalUp() {
      return session.isUp;
    },
    async stop() {
      const loops = all.flatMap(({ deliverer, relays }) => [deliverer, ...relays].map((loop) => loop.stop()));
      await Promise.all([...loops, session.stop(), watch?.stop()].map(withinDrain));
      await Promise.all(all.map(({ recorder }) => recorder.close()));
      await Promise.all([listener.stop(), heartbeat.stop()]);
      await client.connection.close();
      await Promise.all(all.map((lane) => lane.close()));
    },
  };
}
