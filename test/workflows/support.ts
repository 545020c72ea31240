import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventDeliveries, EventType, WebhookEndpoint } from '@fatura/sdk';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type pg from 'pg';
import { inject } from 'vitest';
import { createSendOnce, type SendOnce } from '../../server/events/deliveries/attempt.ts';
import { FirstDeliveries } from '../../server/events/deliveries/first.ts';
import type { PostBudget } from '../../server/events/deliveries/post-budget.ts';
import { createRecorder } from '../../server/events/deliveries/results.ts';
import { LADDER, type Ladder } from '../../server/events/deliveries/rules.ts';
import { SendingWindow, WINDOW_LIMITS } from '../../server/events/deliveries/window.ts';
import { MODES, perMode } from '../../server/kernel/mode.ts';
import { queueOf } from '../../workflows/cases/queues.ts';
import { openClient, type TemporalAddress } from '../../workflows/temporal.ts';
import { type RunningWorker, startWorker, type WorkerOptions } from '../../workflows/worker.ts';
import type { Merchant, RealTimeApi, TestApi } from '../support/api.ts';
import { leaksInHistories } from '../support/leaks.ts';
import type { Receiver } from '../support/receiver.ts';

const { History } = temporal.api.history.v1;

/** Ten attempts as quickly as they can be made. */
export const QUICK_LADDER: Ladder = LADDER.map(() => 0);

const WAIT_MS = 20_000;
const POLL_MS = 25;

/** Waits until something is found; says what it waited for when it never comes. */
export async function eventually<T>(what: string, find: () => Promise<T | null | undefined | false>): Promise<T> {
  const deadlineMs = performance.now() + WAIT_MS;
  for (;;) {
    const found = await find();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadlineMs) throw new Error(`waited ${WAIT_MS} ms in vain for: ${what}`);
    await sleep(POLL_MS);
  }
}

/** Waits until a case is asked for by somebody. */
export const askedFor = (pool: pg.Pool, workflowId: string): Promise<true> =>
  eventually(`${workflowId} to be asked for`, async () => {
    const { rowCount } = await pool.query(`SELECT FROM outbox WHERE kind || '/' || key = $1`, [workflowId]);
    return rowCount === 1;
  });

/** Has a case that is asked for begun although its time has not come. */
export async function beginNow(pool: pg.Pool, workflowId: string): Promise<void> {
  await askedFor(pool, workflowId);
  await pool.query(`UPDATE outbox SET due_at = now() WHERE kind || '/' || key = $1`, [workflowId]);
}

interface Sending {
  readonly slowAfterMs?: number;
  readonly sendOnce?: SendOnce;
  readonly posts?: PostBudget;
}

/** What makes attempts beside an API; its recorder is to be closed. */
export function sendingTools(
  api: TestApi,
  { sendOnce = createSendOnce(api.composition.deps), posts = api.composition.deps.posts, ...options }: Sending = {},
) {
  const { deps } = api.composition;
  return {
    deps: { ...deps, posts },
    sendOnce,
    recorder: createRecorder({ pool: deps.pool, logger: deps.logger }),
    windows: perMode(() => new SendingWindow({ ...WINDOW_LIMITS, ...options })),
    ladder: LADDER,
  };
}

/** First deliveries alone, without Temporal: woken by hand, else by its poll. */
export function deliverFrom(api: TestApi, options: Sending = {}) {
  const tools = sendingTools(api, options);
  const { recorder } = tools;
  const common = { ...tools, pool: tools.deps.pool };
  const deliverers = MODES.map((mode) => new FirstDeliveries({ ...common, mode }));
  return {
    wake() {
      for (const deliverer of deliverers) deliverer.wake(null);
    },
    async stop() {
      await Promise.all(deliverers.map((deliverer) => deliverer.stop()));
      await recorder.close();
    },
  };
}

/** What the files of the Temporal server hold, as they stand on its disk. */
export function temporalFiles(): Buffer {
  const folder = join(inject('runFolder'), 'temporal');
  const names = readdirSync(folder).filter((name) => name.startsWith('temporal.db'));
  return Buffer.concat(names.map((name) => readFileSync(join(folder, name))));
}

/** A client that opens what the worker of an API told Temporal. */
export const clientOf = (api: RealTimeApi): Client =>
  openClient(
    { address: inject('temporalAddress'), namespace: 'default', apiKey: null, tls: null },
    api.composition.deps.secretBox,
  );

/** A whole worker on a queue of its own, so that files share one Temporal server. No card may be in its histories. */
export function workerFor(api: RealTimeApi, options: Partial<WorkerOptions> = {}): RunningWorker {
  const temporal = { address: inject('temporalAddress'), namespace: 'default', apiKey: null, tls: null };
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const all = {
    deps: api.composition.deps,
    databaseUrl: api.urls.worker,
    temporal,
    taskQueue,
    schedulePrefix: null,
    buildId: null,
  };
  const worker = startWorker({ ...all, ...options });
  return {
    get isTemporalUp() {
      return worker.isTemporalUp;
    },
    async stop() {
      const isUp = worker.isTemporalUp;
      await worker.stop();
      if (isUp)
        for (const mode of MODES)
          await refuseLeaks(api, options.temporal ?? temporal, queueOf(options.taskQueue ?? taskQueue, mode));
    },
  };
}

async function refuseLeaks(api: RealTimeApi, temporal: TemporalAddress, taskQueue: string): Promise<void> {
  const client = openClient(temporal, api.composition.deps.secretBox);
  const leaks = await leaksInHistories(client, `TaskQueue = "${taskQueue}"`);
  await client.connection.close();
  if (leaks.length > 0) throw new Error(`card data was kept:\n${leaks.join('\n')}`);
}

/** Where histories are kept that every later version of the workflows has to replay. */
export const HISTORIES = join(import.meta.dirname, 'histories');

const isSealed = ({ metadata }: Payload): boolean => `${Buffer.from(metadata?.encoding ?? [])}` === 'binary/encrypted';

const isSealedPayload = (value: object): value is Payload =>
  'metadata' in value && 'data' in value && value.data instanceof Uint8Array && isSealed(value as Payload);

/** A part of a history with its payloads in clear: a later run has other keys. */
async function opened(client: Client, part: unknown): Promise<unknown> {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part;
  if (Array.isArray(part)) return Promise.all(part.map((one) => opened(client, one)));
  if (isSealedPayload(part)) {
    const [codec] = client.options.loadedDataConverter.payloadCodecs;
    return codec === undefined ? part : (await codec.decode([part]))[0];
  }
  const entries = Object.entries(part).map(async ([name, value]) => [name, await opened(client, value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Keeps the history of a case when the tests are run with RECORD_HISTORIES=1. */
export async function keepHistory(client: Client, workflowId: string, name: string): Promise<void> {
  if (process.env.RECORD_HISTORIES === undefined) return;
  const history = await opened(client, await client.workflow.getHandle(workflowId).fetchHistory());
  const { events = [] } = History.fromObject(history as object).toJSON() as { events?: object[] };
  const lines = events.map((event) => JSON.stringify(event));
  writeFileSync(join(HISTORIES, `${name}.json`), `{"events":[\n${lines.join(',\n')}\n]}\n`);
}

/** A kept history, an event a line, as Temporal takes it. The SDK's own reader fails where npm gives its packages a protobufjs each. */
export const readHistory = (name: string) =>
  History.fromObject(JSON.parse(readFileSync(join(HISTORIES, `${name}.json`), 'utf8')));

/** Registers a receiver for some types and lets it verify what comes. */
export async function register(
  { fatura }: Merchant,
  receiver: Receiver,
  types: (EventType | '*')[],
): Promise<WebhookEndpoint> {
  const endpoint = await fatura.webhookEndpoints.create({ url: receiver.url, event_types: types });
  receiver.secret = endpoint.secret ?? '';
  return endpoint;
}

/** The event of a type that tells of an object. */
export async function eventOf(merchant: Merchant, objectId: string, type: EventType): Promise<string> {
  const { data } = await merchant.fatura.events.list({ related_object: objectId, type: [type] }).page();
  const [event] = data;
  if (event === undefined) throw new Error(`no ${type} of ${objectId}`);
  return event.id;
}

/** The deliveries of an event once they have a result. */
export function settled(merchant: Merchant, eventId: string, status: string): Promise<EventDeliveries> {
  return eventually(`${eventId} to be ${status}`, async () => {
    const deliveries = await merchant.fatura.events.deliveries(eventId);
    return deliveries.delivery_status === status && deliveries;
  });
}
