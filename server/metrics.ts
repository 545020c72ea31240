import { hostname } from 'node:os';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';
import { keyRefusals } from './accounts/authentication.ts';
import { type LimitName, limits } from './admission/limits.ts';
import { businessMetrics } from './business-metrics.ts';
import { alarmKinds } from './kernel/alarms.ts';
import { modeOf } from './kernel/mode.ts';
import { clockSkewMs, SECOND_MS } from './kernel/time.ts';

function createAlarms(registers: Registry[]) {
  const alarms = new Counter({
    name: 'fatura_alarms_total',
    help: 'Situations that need an operator, by kind.',
    labelNames: ['kind'] as const,
    registers,
  });
  // Each is shown from the start, so that its first increase is one.
  for (const kind of alarmKinds) alarms.inc({ kind }, 0);
  return alarms;
}

/** What the table of limits allows, and how often that was not enough; all from the start, so that a first refusal is an increase. */
function limitMetrics(registers: Registry[]) {
  const labelNames = ['limit', 'mode'] as const;
  const amount = new Gauge({
    name: 'fatura_limit',
    help: 'What a tenant may use at once or in a time, by limit and mode.',
    labelNames,
    // Each process has the same table.
    aggregator: 'max',
    registers,
  });
  const refused = new Counter({
    name: 'fatura_limit_refusals_total',
    help: 'What was refused or put off because a limit was used up, by limit and mode.',
    labelNames,
    registers,
  });
  for (const [limit, { sandbox, live }] of Object.entries(limits)) {
    for (const [mode, of] of Object.entries({ sandbox, live })) {
      if (of === null) continue;
      amount.set({ limit, mode }, of);
      refused.inc({ limit, mode }, 0);
    }
  }
  return {
    /** Counts one that was more than its limit. */
    refuse: (limit: LimitName, of: { readonly liveMode: boolean }): void => refused.inc({ limit, mode: modeOf(of) }),
  };
}

function createKeyRefusals(registers: Registry[]) {
  const refusals = new Counter({
    name: 'fatura_api_key_refusals_total',
    help: 'Requests whose API key was refused, by the reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of keyRefusals) refusals.inc({ reason }, 0);
  return refusals;
}

function createStaffSignIns(registers: Registry[]) {
  const signIns = new Counter({
    name: 'fatura_staff_sign_ins_total',
    help: 'Tries to sign in to the dashboard, by what came of them.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['signed_in', 'refused', 'limited'] as const) signIns.inc({ outcome }, 0);
  return signIns;
}

const acquirerMetrics = (registers: Registry[]) => ({
  acquirerCalls: new Histogram({
    name: 'fatura_acquirer_call_seconds',
    help: 'Duration of calls to acquirers by call.',
    labelNames: ['call'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  }),
  acquirerNotices: new Counter({
    name: 'fatura_acquirer_notices_total',
    help: 'Callbacks of acquirers by what came of them.',
    labelNames: ['outcome'],
    registers,
  }),
  certificateEnds: new Gauge({
    name: 'fatura_acquirer_certificate_expiry_timestamp_seconds',
    help: 'When the client certificate ends with which an account calls its acquirer, in Unix seconds.',
    labelNames: ['account', 'method', 'profile'],
    // Each worker measures the same rows.
    aggregator: 'max',
    registers,
  }),
});

/** Connections of clients to this process, and those that it ended; all labels from the start. */
function connectionMetrics(registers: Registry[]) {
  const ended = new Counter({
    name: 'fatura_http_connections_ended_total',
    help: 'Connections of clients that were ended or refused because there were too many, by why.',
    labelNames: ['why'] as const,
    registers,
  });
  for (const why of ['address', 'crowded', 'full'] as const) ended.inc({ why }, 0);
  return {
    connectionsEnded: ended,
    /** Shows how many connections there are whenever the metrics are asked for. */
    showConnections(connections: { readonly busy: number; readonly silent: number }): void {
      new Gauge({
        name: 'fatura_http_connections',
        help: 'Connections of clients, with a request in flight (busy) or without one (silent).',
        labelNames: ['state'],
        registers,
        collect() {
          for (const state of ['busy', 'silent'] as const) this.set({ state }, connections[state]);
        },
      });
    },
  };
}

/** What is due and not yet done. */
const workMetrics = (registers: Registry[]) => ({
  outboxWaiting: new Gauge({
    name: 'fatura_outbox_waiting',
    help: 'Outbox rows that are due and not yet taken by the relay.',
    registers,
  }),
  oldestDue: new Gauge({
    name: 'fatura_oldest_due_seconds',
    help: 'How long the oldest row of a queue has been due.',
    labelNames: ['queue'],
    // Each worker measures the same rows.
    aggregator: 'max',
    registers,
  }),
  silentSchedules: new Gauge({
    name: 'fatura_silent_schedules',
    help: 'Schedules whose last five runs did not come.',
    // Each worker looks at the same ones.
    aggregator: 'max',
    registers,
  }),
});

/** What `GET /metrics` shows. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'fatura_http_request_seconds',
      help: 'Duration of API requests by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: 'fatura_webhook_attempts_total',
      help: 'Webhook attempts by outcome: delivered or the failure kind.',
      labelNames: ['outcome'],
      registers,
    }),
    ...workMetrics(registers),
    groupsSplit: new Counter({
      name: 'fatura_groups_split_total',
      help: 'Transactions that a run shared between works of an account and that failed, so that each work was done alone.',
      registers,
    }),
    clockSkew: new Gauge({
      name: 'fatura_clock_skew_seconds',
      help: "How far the clock of the process's machine is from that of PostgreSQL.",
      registers,
      aggregator: 'max',
      collect() {
        this.set(Math.abs(clockSkewMs()) / SECOND_MS);
      },
    }),
    replicaLag: new Gauge({
      name: 'fatura_replica_lag_seconds',
      help: 'How old the rows are that a process reads of the replica, or could; 0 where there is none.',
      registers,
      aggregator: 'max',
    }),
    keyRefusals: createKeyRefusals(registers),
    staffSignIns: createStaffSignIns(registers),
    ...connectionMetrics(registers),
    ...acquirerMetrics(registers),
    limits: limitMetrics(registers),
    alarms: createAlarms(registers),
    business: businessMetrics(registers),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

const OWN = /^fatura_(?!http_)/;

const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram']);

const PROCESS = `${hostname()}/${process.pid}`;

/**
 * Says of what was counted which process did it: a sum over processes would fall when one of them leaves, and each API shows
 * the counts of all workers.
 */
const countedBy = (all: readonly MetricObject[], process: string): MetricObject[] =>
  all.map((metric) => {
    const { name, type } = metric;
    // Only a metric with values comes of a registry.
    if (!OWN.test(name) || !COUNTED.has(String(type)) || !('values' in metric)) return metric;
    const values = (metric.values as { labels: object }[]).map((value) => ({
      ...value,
      labels: { ...value.labels, process },
    }));
    return { ...metric, values };
  });

/** What a worker counted, as JSON text; its process figures stay its own. */
export async function ownMetrics(registry: Registry, process: string = PROCESS): Promise<string> {
  const all = await registry.getMetricsAsJSON();
  return JSON.stringify(
    countedBy(
      all.filter(({ name }) => OWN.test(name)),
      process,
    ),
  );
}

/** The metrics of this process with those that the workers told: gauges put together by name and label, counts by their process. */
export async function mergedMetrics(registry: Registry, ofWorkers: readonly MetricObject[][]): Promise<string> {
  const own = countedBy(await registry.getMetricsAsJSON(), PROCESS);
  return AggregatorRegistry.aggregate([own, ...ofWorkers]).metrics();
}
