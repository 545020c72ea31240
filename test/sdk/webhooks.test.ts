import { Fatura } from '@fatura/sdk';
import { type EventOf, sign, unwrap, type WebhookEvent, WebhookVerificationError } from '@fatura/sdk/webhooks';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../server/events/deliveries/signing.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const NOW = 1_795_257_600;
const ID = 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4';

const event = (fields: object = {}) => ({
  id: ID,
  object: 'event',
  type: 'invoice.paid',
  created: NOW - 2,
  live_mode: false,
  data: { object: { id: 'in_01kaj4w2n8e9r7t5v3x1z0q6d4', object: 'invoice', customer_name: 'João' } },
  ...fields,
});
const BODY = JSON.stringify(event());

const delivery = (overrides: { body?: string; secrets?: string[]; timestamp?: number } = {}) =>
  sign(overrides.body ?? BODY, { id: ID, secrets: SECRET, timestamp: NOW, ...overrides });

const refusalOf = (unwrapped: Promise<WebhookEvent>): Promise<unknown> =>
  unwrapped.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
  );

describe('a delivery is accepted', () => {
  const accepted = { ...event(), known: true };

  test('with its body as text, as bytes or as a buffer', async () => {
    const headers = await delivery();
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer]) {
      expect(await unwrap(body, headers, { secrets: SECRET, now: NOW })).toEqual(accepted);
    }
  });

  test('with headers of fetch, of Node and of frameworks that keep their case or list values', async () => {
    const headers = await delivery();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), { host: undefined, ...headers }, upper, lists]) {
      expect(await unwrap(BODY, form, { secrets: SECRET, now: NOW })).toEqual(accepted);
    }
  });

  test('when any of its signatures matches any secret, as during a rotation', async () => {
    const rotated = await delivery({ secrets: [OTHER, SECRET] });
    expect(rotated['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secrets of [SECRET, OTHER, [SECRET, OTHER], ['whsec_AAAA', OTHER]]) {
      expect(await unwrap(BODY, rotated, { secrets, now: NOW })).toEqual(accepted);
    }
    expect(await unwrap(BODY, await delivery(), { secrets: [OTHER, SECRET], now: NOW })).toEqual(accepted);
    const listed = { ...rotated, 'webhook-signature': rotated['webhook-signature'].split(' ') };
    expect(await unwrap(BODY, listed, { secrets: SECRET, now: NOW })).toEqual(accepted);
  });

  test('beside signatures of other versions', async () => {
    const headers = await delivery();
    const signatures = `v1a,AAAA v2,${headers['webhook-signature'].slice(3)} nonsense ${headers['webhook-signature']}`;
    expect(await unwrap(BODY, { ...headers, 'webhook-signature': signatures }, { secrets: SECRET, now: NOW })).toEqual(
      accepted,
    );
  });

  test.each([
    [NOW - 300, undefined],
    [NOW + 300, undefined],
    [NOW - 10, 10],
    [NOW, 0],
  ])('dated %i, within a tolerance of %s', async (timestamp, toleranceSeconds) => {
    const options = { secrets: SECRET, now: NOW, toleranceSeconds };
    expect(await unwrap(BODY, await delivery({ timestamp }), options)).toEqual(accepted);
  });

  test('by the system clock when no instant is given', async () => {
    const headers = await sign(BODY, { id: ID, secrets: SECRET });
    expect(await unwrap(BODY, headers, { secrets: SECRET })).toEqual(accepted);
  });

  test('through the client too', async () => {
    const { webhooks } = new Fatura({ apiKey: 'sk_sandbox_1' });
    const headers = await webhooks.sign(BODY, { id: ID, secrets: SECRET, timestamp: NOW });
    expect(await webhooks.unwrap(BODY, headers, { secrets: SECRET, now: NOW })).toEqual(accepted);
  });

  test("as the service signs it, and the service's signature is ours", async () => {
    const headers = signWebhook({ id: ID, timestamp: NOW, body: BODY, secrets: [SECRET, OTHER] });
    expect(await sign(BODY, { id: ID, timestamp: NOW, secrets: [SECRET, OTHER] })).toEqual(headers);
    expect(await unwrap(BODY, { ...headers }, { secrets: OTHER, now: NOW })).toEqual(accepted);
  });
});

describe('a delivery is refused', () => {
  const without = async (name: string) => {
    const { [name]: _, ...rest }: Record<string, string> = await delivery();
    return rest;
  };
  const withHeader = async (name: string, value: string | string[]) => ({ ...(await delivery()), [name]: value });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without the header %s', async (name) => {
    expect(await refusalOf(unwrap(BODY, await without(name), { secrets: SECRET, now: NOW }))).toBe('HEADER_MISSING');
    expect(await refusalOf(unwrap(BODY, await withHeader(name, ''), { secrets: SECRET, now: NOW }))).toBe(
      'HEADER_MISSING',
    );
    expect(await refusalOf(unwrap(BODY, new Headers(await without(name)), { secrets: SECRET, now: NOW }))).toBe(
      'HEADER_MISSING',
    );
  });

  test.each([`${NOW}.0`, ` ${NOW}`, `${NOW}abc`, `+${NOW}`, '-1', '1e9', '0x6b', 'now', '٣', `${NOW},${NOW}`])(
    'with the timestamp %j, which is not digits alone',
    async (timestamp) => {
      const headers = await withHeader('webhook-timestamp', timestamp);
      expect(await refusalOf(unwrap(BODY, headers, { secrets: SECRET, now: NOW }))).toBe('TIMESTAMP_INVALID');
    },
  );

  test('with two timestamps', async () => {
    const headers = await withHeader('webhook-timestamp', [String(NOW), String(NOW)]);
    expect(await refusalOf(unwrap(BODY, headers, { secrets: SECRET, now: NOW }))).toBe('TIMESTAMP_INVALID');
  });

  test.each([
    ['TIMESTAMP_TOO_OLD', NOW - 301, undefined],
    ['TIMESTAMP_TOO_NEW', NOW + 301, undefined],
    ['TIMESTAMP_TOO_OLD', NOW - 1, 0],
    ['TIMESTAMP_TOO_NEW', NOW + 1, 0],
    ['TIMESTAMP_TOO_OLD', NOW, Number.NaN],
    ['TIMESTAMP_TOO_NEW', 10 ** 15, undefined],
  ])('as %s when dated %i with a tolerance of %s', async (code, timestamp, toleranceSeconds) => {
    const options = { secrets: SECRET, now: NOW, toleranceSeconds };
    expect(await refusalOf(unwrap(BODY, await delivery({ timestamp }), options))).toBe(code);
  });

  test('with the timestamp spelled otherwise than it was signed', async () => {
    const headers = await withHeader('webhook-timestamp', `0${NOW}`);
    expect(await refusalOf(unwrap(BODY, headers, { secrets: SECRET, now: NOW }))).toBe('SIGNATURE_MISMATCH');
  });

  test.each<[string, (headers: Record<string, string>) => [string, Record<string, string>]]>([
    ['body was changed', (headers) => [`${BODY} `, headers]],
    ['body was parsed and printed again', (headers) => [JSON.stringify(JSON.parse(BODY), null, 1), headers]],
    ['id was changed', (headers) => [BODY, { ...headers, 'webhook-id': 'evt_other' }]],
    ['instant was changed', (headers) => [BODY, { ...headers, 'webhook-timestamp': String(NOW + 1) }]],
    ['dot moved from the body to the id', (headers) => [BODY.slice(1), { ...headers, 'webhook-id': `${ID}.` }]],
  ])('when its %s', async (_, tamper) => {
    const [body, headers] = tamper({ ...(await delivery()) });
    expect(await refusalOf(unwrap(body, headers, { secrets: SECRET, now: NOW }))).toBe('SIGNATURE_MISMATCH');
  });

  test.each<[string, (signature: string) => string]>([
    ['of another version', (signature) => signature.replace('v1,', 'v2,')],
    ['without a version', (signature) => signature.replace('v1,', '')],
    ['cut short', (signature) => signature.slice(0, -1)],
    ['with more behind it', (signature) => `${signature}A`],
    ['in other letters', (signature) => signature.toLowerCase()],
    ['separated by commas from another', (signature) => `v1,AAAA,${signature}`],
    ['empty', () => 'v1,'],
    ['of spaces', () => '   '],
    ['behind more than 16 others', (signature) => `${'v1,AAAA '.repeat(16)}${signature}`],
  ])('with a signature %s', async (_, change) => {
    const headers = await delivery();
    const changed = { ...headers, 'webhook-signature': change(headers['webhook-signature']) };
    expect(await refusalOf(unwrap(BODY, changed, { secrets: SECRET, now: NOW }))).toBe('SIGNATURE_MISMATCH');
  });

  test('when signed with another secret', async () => {
    const headers = await delivery({ secrets: [OTHER] });
    expect(await refusalOf(unwrap(BODY, headers, { secrets: SECRET, now: NOW }))).toBe('SIGNATURE_MISMATCH');
  });

  test.each([
    [],
    '',
    'whsec_',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_not base64!',
    'WHSEC_AAAA',
    ['whsec_AAAA', ''],
    undefined,
  ])('with the secrets %j, and the message shows none', async (secrets) => {
    const given = secrets as string; // undefined stands for an environment variable that is not set
    const error = await unwrap(BODY, await delivery(), { secrets: given, now: NOW }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'WebhookVerificationError', code: 'SECRET_INVALID' });
    expect(String(error)).not.toContain('MfKQ');
  });

  test('as a mistake of the receiver when the body was parsed before', async () => {
    await expect(unwrap(JSON.parse(BODY), await delivery(), { secrets: SECRET, now: NOW })).rejects.toThrow(
      'not parsed JSON',
    );
  });

  test.each([
    '',
    'null',
    '[]',
    '"event"',
    '{',
    '{"object":"invoice"}',
    JSON.stringify(event({ created: 'today' })),
    JSON.stringify(event({ data: null })),
  ])('as PAYLOAD_INVALID when it is signed and says %j', async (body) => {
    const refusal = await refusalOf(unwrap(body, await delivery({ body }), { secrets: SECRET, now: NOW }));
    expect(refusal).toBe('PAYLOAD_INVALID');
  });
});

describe('an event', () => {
  const unwrapped = async (fields: object): Promise<WebhookEvent> => {
    const body = JSON.stringify(event(fields));
    return unwrap(body, await delivery({ body }), { secrets: SECRET, now: NOW });
  };

  test.each([
    [true, 'invoice.paid', { object: 'invoice' }],
    [true, 'payment_intent.refund_failed', { object: 'payment_intent' }],
    [true, 'customer.anonymized', { object: 'customer' }],
    [true, 'webhook.test', null],
    [false, 'webhook.test', { object: 'invoice' }],
    [false, 'invoice.framed', { object: 'invoice' }],
    [false, 'invoice.paid', { object: 'customer' }],
    [false, 'invoice.paid', null],
    [true, 'subscription.overdue', { object: 'subscription' }],
    [true, 'checkout_session.completed', { object: 'checkout_session' }],
    [false, 'checkout_session.framed', { object: 'checkout_session' }],
    [false, 'constructor', { object: 'constructor' }],
    [false, '__proto__.x', { object: '__proto__' }],
  ])('is known: %j when its type is %s and its object %j', async (known, type, object) => {
    expect(await unwrapped({ type, data: { object } })).toEqual({ ...event({ type, data: { object } }), known });
  });

  test('has its resource typed by its type alone', async () => {
    const describeEvent = (received: WebhookEvent): string => {
      switch (received.type) {
        case 'invoice.paid':
          return received.data.object.customer_name;
        case 'customer.created':
          return received.data.object.name;
        case 'webhook.test':
          return `a test, ${received.data.object}`;
        default:
          return received.known ? received.data.object.object : `unknown ${received.type}`;
      }
    };
    const paid: EventOf<'invoice.paid'>['data']['object']['status'] = 'paid';
    expect(paid).toBe('paid');
    expect(describeEvent(await unwrapped({}))).toBe('João');
    expect(describeEvent(await unwrapped({ type: 'webhook.test', data: { object: null } }))).toBe('a test, null');
    expect(describeEvent(await unwrapped({ type: 'price.framed', data: { object: {} } }))).toBe('unknown price.framed');
    expect(describeEvent(await unwrapped({ type: 'price.updated', data: { object: { object: 'price' } } }))).toBe(
      'price',
    );
  });

  test('cannot say of itself that it is known', async () => {
    expect(await unwrapped({ known: true, type: 'a.later.one' })).toMatchObject({ known: false });
  });
});
