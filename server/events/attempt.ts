import type { SecretBox } from '../db/secret-box.ts';
import { realTime, type Timestamp } from '../kernel/time.ts';
import type { Sender, SendResult } from './safe-fetch.ts';
import { signWebhook } from './signing.ts';

/** One delivery that is to be sent, with what its endpoint is at this moment. */
export interface Outgoing {
  readonly eventId: string;
  readonly body: string;
  readonly url: string;
  readonly liveMode: boolean;
  readonly secret: Uint8Array;
  readonly formerSecret: Uint8Array | null;
  readonly formerSecretUntil: Timestamp | null;
}

/** Sends a delivery once; `now` is the account's instant, `timeoutMs` less than the 15 s of the service. */
export type SendOnce = (outgoing: Outgoing, options: { now: Timestamp; timeoutMs?: number }) => Promise<SendResult>;

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

/** Signs and posts deliveries: the first of each event, and the later ones of its ladder. */
export function createSendOnce(deps: { secretBox: SecretBox; sender: Sender }): SendOnce {
  const readSecret = createSecretReader(deps.secretBox);
  return async (outgoing, { now, timeoutMs }) => {
    const { eventId: id, body, url, liveMode, formerSecret, formerSecretUntil } = outgoing;
    const current = readSecret(outgoing.secret);
    const overlaps = formerSecret !== null && formerSecretUntil !== null && now < formerSecretUntil;
    const secrets = overlaps ? ([current, readSecret(formerSecret)] as const) : ([current] as const);
    const signature = signWebhook({ id, timestamp: realTime(), body, secrets });
    const headers = { 'content-type': 'application/json', 'user-agent': 'Fatura-Webhooks/1', ...signature };
    return deps.sender.post({ url, headers, body, liveMode, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  };
}

/** Whether a receiver answered at all: what keeps a window open to it. */
export const wasAnswered = (result: SendResult): boolean => result.status !== null;
