import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '../../../server/events/deliveries/signing.ts';

const EVENT_ID = 'evt_01h455vb4pex5vsknk084sn02q';
const SENDING_INSTANT = Math.floor(Date.now() / 1000); // the independent verifier compares with the real clock

const secret = fc
  .uint8Array({ minLength: 1, maxLength: 80 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const body = fc.oneof(fc.json(), fc.string({ unit: 'grapheme', minLength: 1 }));

function accepts(endpointSecret: string, payload: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(endpointSecret).verify(payload, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

describe('a signed delivery', () => {
  test('carries the signature of the Standard Webhooks example', () => {
    // From the README of standard-webhooks.
    expect(
      signWebhook({
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestamp: 1_614_265_330,
        body: '{"test": 2432232314}',
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('is accepted by an independent verifier, as text and as bytes', () => {
    fc.assert(
      fc.property(body, secret, (payload, only) => {
        const signed = { id: EVENT_ID, timestamp: SENDING_INSTANT, secrets: [only] as const };
        const headers = signWebhook({ ...signed, body: payload });
        expect(accepts(only, payload, headers)).toBe(true);
        expect(signWebhook({ ...signed, body: Buffer.from(payload) })).toEqual(headers);
      }),
    );
  });

  test('is accepted with either secret while a rotation overlaps, and with no other', () => {
    fc.assert(
      fc.property(body, fc.uniqueArray(secret, { minLength: 3, maxLength: 3 }), (payload, [current, former, other]) => {
        if (current === undefined || former === undefined || other === undefined) return;
        const headers = signWebhook({
          id: EVENT_ID,
          timestamp: SENDING_INSTANT,
          body: payload,
          secrets: [current, former],
        });
        expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
        expect(accepts(current, payload, headers)).toBe(true);
        expect(accepts(former, payload, headers)).toBe(true);
        // HMAC pads keys with zeros to a block, so keys that differ in trailing zeros alone are one key.
        const keyOf = (text: string) =>
          Buffer.from(text.slice(6), 'base64')
            .toString('hex')
            .replace(/(00)+$/, '');
        if (![current, former].map(keyOf).includes(keyOf(other))) expect(accepts(other, payload, headers)).toBe(false);
      }),
    );
  });

  test('is refused when the body, the id or the instant was changed', () => {
    const only = newWebhookSecret();
    const headers = signWebhook({ id: EVENT_ID, timestamp: SENDING_INSTANT, body: '{"a":1}', secrets: [only] });
    expect(accepts(only, '{"a":2}', headers)).toBe(false);
    expect(accepts(only, '{"a":1}', { ...headers, 'webhook-id': 'evt_other' })).toBe(false);
    expect(accepts(only, '{"a":1}', { ...headers, 'webhook-timestamp': String(SENDING_INSTANT + 1) })).toBe(false);
  });

  test('signs with the right key when more secrets are in use than are remembered', () => {
    const secrets = Array.from({ length: 10_050 }, (_, i) => `whsec_${Buffer.from(`secret-${i}`).toString('base64')}`);
    const sign = (only: string) =>
      signWebhook({ id: EVENT_ID, timestamp: 1, body: 'x', secrets: [only] })['webhook-signature'];
    const first = secrets.map(sign);
    expect(new Set(first).size).toBe(secrets.length);
    expect(secrets.map(sign)).toEqual(first);
  });

  test.each(['', 'whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_not base64!', 'whsec_YQ', 'WHSEC_YQ=='])(
    'is never made with the malformed secret %j, nor is that secret shown',
    (malformed) => {
      const sign = () => signWebhook({ id: EVENT_ID, timestamp: 1, body: 'x', secrets: [malformed] });
      expect(sign).toThrow('a webhook secret must be whsec_ followed by base64');
    },
  );

  test.each([1.5, -1, Number.NaN, 1e20])('is never dated %s', (timestamp) => {
    expect(() => signWebhook({ id: EVENT_ID, timestamp, body: 'x', secrets: [newWebhookSecret()] })).toThrow(
      RangeError,
    );
  });
});

test('a new secret is whsec_ and 32 random bytes in base64, never the same twice', () => {
  const secrets = Array.from({ length: 1_000 }, newWebhookSecret);
  for (const made of secrets) expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});
