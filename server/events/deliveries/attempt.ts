import { type ClockRow, clockColumns } from '../../accounts/scope.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { idTimeMs } from '../../kernel/ids.ts';
import { modeOf, type PerMode } from '../../kernel/mode.ts';
import { realTime, realTimeMs, SECOND_MS, type Timestamp } from '../../kernel/time.ts';
import { type Tracing, tracedScope } from '../../kernel/tracing.ts';
import { places } from '../../sealing/sealed-columns.ts';
import type { SecretBox } from '../../sealing/secret-box.ts';
import type { Sender, SendResult } from './http/sender.ts';
import type { AttemptRecord, Recorder } from './results.ts';
import { type Ladder, nextAttemptAt, PROVEN_AFTER, UNSTABLE_AFTER } from './rules.ts';
import { signWebhook } from './signing.ts';
import type { SendingWindow } from './window.ts';

/** A delivery with its event and its endpoint, as an attempt needs them. */
export interface DeliveryRow extends ClockRow {
  day: string;
  eventId: string;
  endpointId: string;
  ladder: number;
  /** Attempts made. */
  attempts: number;
  firstAttemptAt: Timestamp | null;
  body: string;
  /** The part of a trace that the event was recorded in. */
  traceparent: string | null;
  url: string;
  secret: Buffer;
  formerSecret: Buffer | null;
  formerSecretUntil: Timestamp | null;
  /** The event was removed, or the endpoint was deleted or disabled meanwhile. */
  gone: boolean;
  /** The last attempts at the endpoint failed. */
  unwell: boolean;
  /** The URL has accepted some deliveries, and has not failed since. */
  proven: boolean;
}

/** The columns that make a row a `DeliveryRow`, of deliveries `d` joined by `DELIVERY_JOINS`. */
export const DELIVERY_COLUMNS = `d.day, d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.ladder, ${clockColumns('d')}, d.attempts,
  d.first_attempt_at AS "firstAttemptAt", e.body, e.traceparent, w.url, w.secret, w.former_secret AS "formerSecret",
  w.former_secret_until AS "formerSecretUntil",
  (e.id IS NULL OR w.id IS NULL OR w.deleted_at IS NOT NULL OR w.status = 'disabled') AS gone,
  coalesce(w.consecutive_failures > 0, false) AS unwell,
  coalesce(w.accepted_posts >= ${PROVEN_AFTER} AND w.consecutive_failures < ${UNSTABLE_AFTER}, false) AS proven`;

export const DELIVERY_JOINS = `JOIN account a ON a.id = d.account_id
  LEFT JOIN webhook_endpoint w ON w.id = d.endpoint_id
  LEFT JOIN event e ON e.day = d.day AND e.id = d.event_id`;

/** What of a delivery is signed and sent, and where to. */
export type SentDelivery = Pick<
  DeliveryRow,
  'eventId' | 'endpointId' | 'accountId' | 'liveMode' | 'url' | 'body' | 'secret' | 'formerSecret' | 'formerSecretUntil'
> & { readonly traceparent?: string | null };

/** Sends a delivery once; `now` is the account's instant. */
export type SendOnce = (delivery: SentDelivery, now: Timestamp, limits?: { timeoutMs: number }) => Promise<SendResult>;

const CACHED_SECRETS_MAX = 10_000;

/** Opens sealed secrets; the endpoint and the sealed bytes are the key, so a rotated secret is never confused with the former one. */
function createSecretReader(secretBox: SecretBox): (delivery: SentDelivery, sealed: Uint8Array) => string {
  const opened = new Map<string, string>();
  return ({ accountId, endpointId }, sealed) => {
    const key = `${endpointId}${Buffer.from(sealed).toString('latin1')}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const secret = secretBox.open(sealed, places.webhookSecret(accountId, endpointId));
    if (opened.size >= CACHED_SECRETS_MAX) opened.clear();
    opened.set(key, secret);
    return secret;
  };
}

/** A secret that no key of the ring opens: an attempt that failed like any other, so that its ladder goes on. */
const UNREADABLE = {
  ok: false,
  failure: 'connection',
  status: null,
  durationMs: 0,
  retryAfterSeconds: null,
  detail: 'the signing secret cannot be read',
  answer: null,
} as const satisfies SendResult;

/** Sends as a part of the event's trace, which the receiver may go on with. */
const traced = (
  tracing: Tracing,
  delivery: SentDelivery,
  send: (headers: { traceparent?: string }) => Promise<SendResult>,
): Promise<SendResult> => {
  const { eventId, endpointId, traceparent: after } = delivery;
  const ids = { ...tracedScope(delivery), 'fatura.event': eventId, 'fatura.endpoint': endpointId };
  return tracing.span({ name: 'webhook delivery', kind: 'client', after, ids }, async (span) => {
    const { traceparent } = tracing;
    const result = await send(traceparent === null ? {} : { traceparent });
    if (result.status !== null) span.set({ 'http.response.status_code': result.status });
    if (!result.ok) span.fail(result.failure);
    return result;
  });
};

/** Signs and posts deliveries: the first of each event, and the later ones of its ladder. */
export function createSendOnce(
  deps: Pick<Deps, 'metrics' | 'logger' | 'tracing'> & { readonly secretBox: SecretBox; readonly sender: Sender },
): SendOnce {
  const readSecret = createSecretReader(deps.secretBox);
  const sign = (delivery: SentDelivery, now: Timestamp): ReturnType<typeof signWebhook> | null => {
    const { eventId: id, body, formerSecret, formerSecretUntil } = delivery;
    const overlaps = formerSecret !== null && formerSecretUntil !== null && now < formerSecretUntil;
    try {
      const current = readSecret(delivery, delivery.secret);
      const secrets = overlaps ? ([current, readSecret(delivery, formerSecret)] as const) : ([current] as const);
      return signWebhook({ id, timestamp: realTime(), body, secrets });
    } catch {
      return null;
    }
  };
  return async (delivery, now, limits) => {
    const signature = sign(delivery, now);
    if (signature === null) {
      const { eventId: event, accountId: account } = delivery;
      raiseAlarm(deps, 'secret_unreadable', { event, account, message: 'a signing secret cannot be opened' });
      return UNREADABLE;
    }
    const { body, url, accountId, liveMode } = delivery;
    return traced(deps.tracing, delivery, (trace) => {
      const headers = { 'content-type': 'application/json', 'user-agent': 'Fatura-Webhooks/1', ...signature, ...trace };
      return deps.sender.post({ url, headers, body, accountId, liveMode, ...limits });
    });
  };
}

/** What makes attempts. */
export interface AttemptTools {
  readonly deps: Pick<Deps, 'metrics' | 'posts'>;
  readonly sendOnce: SendOnce;
  readonly recorder: Recorder;
  readonly windows: PerMode<SendingWindow>;
  readonly ladder: Ladder;
}

/** The window that a delivery takes a place in. */
export const windowOf = (
  { windows }: Pick<AttemptTools, 'windows'>,
  of: Pick<DeliveryRow, 'liveMode'>,
): SendingWindow => windows[modeOf(of)];

/**
 * Makes the next attempt of a delivery at an instant of the account's clock, and resolves when what came of it is recorded.
 * A delivery whose event or endpoint is gone ends without an attempt. `ticket` is its place in the window, where it has one.
 */
export async function attemptOnce(
  tools: AttemptTools,
  row: DeliveryRow,
  { at, ticket }: { at: Timestamp; ticket?: number },
): Promise<void> {
  const { deps, recorder, ladder } = tools;
  const { day, eventId, endpointId, url } = row;
  const ref = { day, eventId, endpointId, url, ladder: row.ladder };
  if (row.gone) {
    await recorder.record({ ...ref, ...UNSENT, attempt: row.attempts, at });
    return;
  }
  const place = ticket ?? windowOf(tools, row).begin(row);
  const result = await sendInWindow(tools, row, { at, ticket: place });
  deps.metrics.deliveries.inc({ outcome: result.ok ? 'delivered' : result.failure });
  if (row.firstAttemptAt === null) measureLag(deps, row);
  const attempted = { ...ref, attempt: row.attempts + 1, at };
  await recorder.record(toRecord(attempted, result, { ladder, firstAttemptAt: row.firstAttemptAt ?? at }));
}

/** By the instant of the event's id, for the event itself is dated by the account's clock. */
function measureLag({ metrics }: Pick<Deps, 'metrics'>, { eventId, liveMode }: DeliveryRow): void {
  const madeMs = idTimeMs(eventId);
  if (madeMs === null) return;
  metrics.business.webhookLag.observe({ mode: modeOf({ liveMode }) }, Math.max(0, realTimeMs() - madeMs) / SECOND_MS);
}

async function sendInWindow(
  tools: AttemptTools,
  row: DeliveryRow,
  { at, ticket }: { at: Timestamp; ticket: number },
): Promise<SendResult> {
  let end = { durationMs: 0, answered: false };
  try {
    const result = await tools.sendOnce(row, at);
    end = { durationMs: result.durationMs, answered: result.status !== null };
    return result;
  } finally {
    windowOf(tools, row).end(row.endpointId, ticket, end);
  }
}

/** The record of a delivery that ends without an attempt. */
const UNSENT = {
  outcome: 'gone',
  statusCode: null,
  failure: null,
  detail: null,
  answer: null,
  durationMs: 0,
  nextAttemptAt: null,
} as const;

/** The record of an attempt: when it failed, with the instant of the next one. */
function toRecord(
  attempted: Pick<AttemptRecord, 'day' | 'eventId' | 'endpointId' | 'url' | 'ladder' | 'attempt' | 'at'>,
  result: SendResult,
  options: { ladder: Ladder; firstAttemptAt: number },
): AttemptRecord {
  const common = { ...attempted, statusCode: result.status, answer: result.answer, durationMs: result.durationMs };
  if (result.ok) return { ...common, outcome: 'delivered', failure: null, detail: null, nextAttemptAt: null };
  const next = nextAttemptAt(options.ladder, {
    firstAttemptAt: options.firstAttemptAt,
    attempts: attempted.attempt,
    now: attempted.at,
    retryAfterSeconds: result.retryAfterSeconds,
    random: Math.random(),
  });
  return { ...common, outcome: 'failed', failure: result.failure, detail: result.detail, nextAttemptAt: next };
}
