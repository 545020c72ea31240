import type { SecretBox } from '../../db/secret-box.ts';
import type { Deps } from '../../deps.ts';
import { realTime, type Timestamp } from '../../kernel/time.ts';
import type { Sender, SendResult } from './http/sender.ts';
import type { AttemptRecord } from './results.ts';
import type { DeliveryRow } from './row.ts';
import { type Ladder, nextAttemptAt } from './rules.ts';
import { signWebhook } from './signing.ts';

/** One delivery that is to be sent, with what its endpoint is at this moment. */
export interface Outgoing {
  readonly eventId: string;
  readonly body: string;
  readonly url: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly secret: Uint8Array;
  readonly formerSecret: Uint8Array | null;
  readonly formerSecretUntil: Timestamp | null;
}

/** Sends a delivery once; `now` is the account's instant. */
export type SendOnce = (outgoing: Outgoing, now: Timestamp, limits?: { timeoutMs: number }) => Promise<SendResult>;

const CACHED_SECRETS_MAX = 10_000;

/** Opens sealed secrets; the sealed bytes are the key, so a rotated secret is never confused with the former one. */
function createSecretReader(secretBox: SecretBox): (sealed: Uint8Array) => string {
  const opened = new Map<string, string>();
  return (sealed) => {
    const key = Buffer.from(sealed).toString('latin1');
    const known = opened.get(key);
    if (known !== undefined) return known;
    const secret = secretBox.open(sealed);
    if (opened.size >= CACHED_SECRETS_MAX) opened.clear();
    opened.set(key, secret);
    return secret;
  };
}

/** A secret sealed with another ENCRYPTION_KEY: an attempt that failed like any other, so that its ladder goes on. */
const UNREADABLE = {
  ok: false,
  failure: 'connection',
  status: null,
  durationMs: 0,
  retryAfterSeconds: null,
  detail: 'the signing secret cannot be read',
} as const satisfies SendResult;

/** Signs and posts deliveries: the first of each event, and the later ones of its ladder. */
export function createSendOnce(
  deps: Pick<Deps, 'metrics'> & { readonly secretBox: SecretBox; readonly sender: Sender },
): SendOnce {
  const readSecret = createSecretReader(deps.secretBox);
  const sign = (outgoing: Outgoing, now: Timestamp): ReturnType<typeof signWebhook> | null => {
    const { eventId: id, body, formerSecret, formerSecretUntil } = outgoing;
    const overlaps = formerSecret !== null && formerSecretUntil !== null && now < formerSecretUntil;
    try {
      const current = readSecret(outgoing.secret);
      const secrets = overlaps ? ([current, readSecret(formerSecret)] as const) : ([current] as const);
      return signWebhook({ id, timestamp: realTime(), body, secrets });
    } catch {
      return null;
    }
  };
  return async (outgoing, now, limits) => {
    const signature = sign(outgoing, now);
    if (signature === null) {
      deps.metrics.alarms.inc({ kind: 'secret_unreadable' });
      return UNREADABLE;
    }
    const { body, url, accountId, liveMode } = outgoing;
    const headers = { 'content-type': 'application/json', 'user-agent': 'Fatura-Webhooks/1', ...signature };
    return deps.sender.post({ url, headers, body, accountId, liveMode, ...limits });
  };
}

/** Whether a receiver answered at all: what keeps a window open to it. */
export const wasAnswered = (result: SendResult): boolean => result.status !== null;

export const outgoingOf = (row: DeliveryRow): Outgoing => ({
  eventId: row.event_id,
  body: row.body,
  url: row.url,
  accountId: row.accountId,
  liveMode: row.liveMode,
  secret: row.secret,
  formerSecret: row.former_secret,
  formerSecretUntil: row.former_secret_until,
});

/** The record of a delivery that ends without an attempt: its event or its endpoint is gone. */
export const NOT_SENT = {
  outcome: 'gone',
  statusCode: null,
  failure: null,
  detail: null,
  durationMs: 0,
  nextAttemptAt: null,
} as const;

/** The record of an attempt: when it failed, with the instant of the next one. */
export function toRecord(
  attempted: Pick<AttemptRecord, 'day' | 'eventId' | 'endpointId' | 'ladder' | 'attempt' | 'at'>,
  result: SendResult,
  options: { ladder: Ladder; firstAttemptAt: number },
): AttemptRecord {
  const common = { ...attempted, statusCode: result.status, durationMs: result.durationMs };
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
