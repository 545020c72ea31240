import type { Price } from './forms.ts';
import { type EventObjects as DeclaredObjects, eventTypes } from './generated/events.ts';
import { secretBytes, WebhookVerificationError } from './secrets.ts';

const TOLERANCE_SECONDS = 300;
/** A rotation overlaps two secrets; more signatures than this are not looked at. */
const SIGNATURES_MAX = 16;

type EventTypes = typeof eventTypes;
type EventObjects = Omit<DeclaredObjects, 'price'> & { price: Price };
type Resource = keyof EventObjects & keyof EventTypes;

interface EventFields {
  /** The same at each delivery of the event, and the `webhook-id` header: deduplicate on it. */
  id: string;
  object: 'event';
  /** When it happened. Unix seconds. Deliveries may come out of order; this tells it. */
  created: number;
  live_mode: boolean;
}

interface StoredEvent<R extends Resource, T extends string> extends EventFields {
  type: T;
  data: { object: EventObjects[R] };
}

type StoredEvents = {
  [R in Resource]: { [T in EventTypes[R][number]]: StoredEvent<R, `${R}.${T}`> }[EventTypes[R][number]];
};

/** An event as the service keeps it, told apart by `type`; one newer than this client may answer other types. */
export type Event = StoredEvents[Resource];

/** An event of one resource; `data.object` is the resource as it stood when the event happened. */
export interface ResourceEvent<R extends Resource, T extends string> extends StoredEvent<R, T> {
  known: true;
}

/** Sent by the test button of the dashboard. */
export interface TestEvent extends EventFields {
  known: true;
  type: 'webhook.test';
  data: { object: null };
}

/** Any other string. That it is an enum keeps it from matching the types listed in a `switch`. */
declare enum OtherEventType {
  Any = '',
}

/** An event of a type this version of the client does not know. Answer 200 and ignore it, or read it with care. */
export interface UnknownEvent extends EventFields {
  known: false;
  type: OtherEventType;
  data: { object: unknown };
}

type KnownEvents = {
  [R in Resource]: { [T in EventTypes[R][number]]: ResourceEvent<R, `${R}.${T}`> }[EventTypes[R][number]];
};

/** What a delivery says, told apart by `type`. */
export type WebhookEvent = KnownEvents[Resource] | TestEvent | UnknownEvent;

/** The events of one type: `EventOf<'invoice.paid'>`. */
export type EventOf<T extends WebhookEvent['type']> = Extract<WebhookEvent, { type: T }>;

/** Headers of a delivery, as fetch, Node or a framework gives them; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body of a delivery exactly as received: parsing and printing it again would change its bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export interface UnwrapOptions {
  /** Secrets of the endpoint, `whsec_…`; for 24 hours after a rotation the former one counts too. */
  secrets: string | readonly string[];
  /** How far the delivery's clock may be from yours, either way. Seconds, default 300; 0 means the same second. */
  toleranceSeconds?: number | undefined;
  /** The present instant, for tests. Unix seconds, default the system's clock. */
  now?: number | undefined;
}

export { type WebhookErrorCode, WebhookVerificationError } from './secrets.ts';

/**
 * Verifies a delivery and reads its event.
 *
 * Rejects with {@link WebhookVerificationError}: `SECRET_INVALID`, `HEADER_MISSING`, `TIMESTAMP_INVALID`,
 * `TIMESTAMP_TOO_OLD`, `TIMESTAMP_TOO_NEW`, `SIGNATURE_MISMATCH`, `PAYLOAD_INVALID`.
 */
export async function unwrap(rawBody: RawBody, headers: WebhookHeaders, options: UnwrapOptions): Promise<WebhookEvent> {
  const body = toBytes(rawBody);
  const keys = await readSecrets(options.secrets);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ', SIGNATURES_MAX);
  const toleranceSeconds = options.toleranceSeconds ?? TOLERANCE_SECONDS;
  checkTimestamp(timestamp, { now: options.now ?? Math.floor(Date.now() / 1000), toleranceSeconds });
  let isSigned = false;
  for (const key of keys) {
    const expected = await signature(key, { id, timestamp, body });
    for (const received of signatures) isSigned = isEqual(received, expected) || isSigned;
  }
  if (!isSigned) throw new WebhookVerificationError('SIGNATURE_MISMATCH', 'no signature matches a secret');
  return readEvent(body);
}

export interface SignOptions {
  /** The `evt_…` id, which the body holds too. */
  id: string;
  /** One signature is made for each, as during a rotation. */
  secrets: string | readonly string[];
  /** When it is sent. Unix seconds, default the system's clock. */
  timestamp?: number | undefined;
}

/** The headers the service would send with this body, for tests of your receiver. */
export async function sign(
  rawBody: RawBody,
  options: SignOptions,
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const body = toBytes(rawBody);
  const { id } = options;
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000));
  const keys = await readSecrets(options.secrets);
  const signatures = await Promise.all(keys.map((key) => signature(key, { id, timestamp, body })));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function toBytes(rawBody: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (ArrayBuffer.isView(rawBody) || rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError('rawBody must be the body as received (string or bytes), not parsed JSON');
}

const readSecrets = (secrets: UnwrapOptions['secrets']): Promise<CryptoKey[]> =>
  Promise.all(
    secretBytes(secrets).map((bytes) =>
      crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
    ),
  );

const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers.get === 'function';

/** A header that came more than once is joined by spaces, as several signatures in one header are. */
function readHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'string' ? value : value?.join(' ');
  if (!text) throw new WebhookVerificationError('HEADER_MISSING', `the header ${name} is missing`);
  return text;
}

function checkTimestamp(timestamp: string, limits: { now: number; toleranceSeconds: number }): void {
  const { now, toleranceSeconds } = limits;
  if (!/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError('TIMESTAMP_INVALID', 'webhook-timestamp must be Unix seconds');
  }
  const ageSeconds = now - Number(timestamp);
  // Written so that a tolerance or clock that is not a number refuses everything.
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('TIMESTAMP_TOO_OLD', `the delivery was sent ${ageSeconds} s ago`);
  }
  if (!(-ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'TIMESTAMP_TOO_NEW',
      `the delivery is dated ${-ageSeconds} s ahead of this clock`,
    );
  }
}

/** `v1,` and the base64 HMAC-SHA256 of `{id}.{timestamp}.{body}`, of the headers' text as it came. */
async function signature(
  key: CryptoKey,
  signed: { id: string; timestamp: string; body: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const head = new TextEncoder().encode(`${signed.id}.${signed.timestamp}.`);
  const content = new Uint8Array(head.length + signed.body.length);
  content.set(head);
  content.set(signed.body, head.length);
  const mac = await crypto.subtle.sign('HMAC', key, content);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

/** Compares in a time that tells nothing of where the first difference is. */
function isEqual(received: string, expected: string): boolean {
  let difference = received.length ^ expected.length;
  for (let i = 0; i < expected.length; i += 1) difference |= received.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

function readEvent(body: Uint8Array): WebhookEvent {
  const event = parseObject(new TextDecoder().decode(body));
  const { object, id, type, created, live_mode, data } = event;
  const isEvent = object === 'event' && typeof id === 'string' && typeof type === 'string';
  if (!isEvent || typeof created !== 'number' || typeof live_mode !== 'boolean' || !isRecord(data)) {
    throw new WebhookVerificationError('PAYLOAD_INVALID', 'the body is signed but is not an event');
  }
  // Checked above but for the resource itself, whose fields the service holds to its contract.
  return { ...event, known: isKnown(type, data.object) } as WebhookEvent;
}

function isKnown(type: string, object: unknown): boolean {
  if (type === 'webhook.test') return object === null;
  if (!isRecord(object)) return false;
  const types: Readonly<Record<string, readonly string[]>> = eventTypes;
  const resource = String(object.object);
  return (
    Object.hasOwn(types, resource) && types[resource]?.some((happened) => type === `${resource}.${happened}`) === true
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
