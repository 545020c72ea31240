import { sign, unwrap, type WebhookEvent, type WebhookHeaders } from '@fatura/sdk/webhooks';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signWebhook } from '../../server/events/deliveries/signing.ts';
import { vectors } from './standard-webhooks-vectors.ts';

const ID = 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4';
const NOW = 1_795_257_600;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FORMER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const OTHER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

const event = (fields: object = {}) => ({
  id: ID,
  object: 'event',
  type: 'webhook.test',
  created: NOW,
  live_mode: false,
  data: { object: null },
  ...fields,
});
const BODY = JSON.stringify(event());

type Signed = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/** As the published library signs. */
const theirs = (body: string, secret: string, timestamp = NOW): Signed => ({
  'webhook-id': ID,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': new Webhook(secret).sign(ID, new Date(timestamp * 1_000), body),
});

/** As the service signs. */
const service = (body: string, secrets: readonly [string] | readonly [string, string], timestamp = NOW): Signed =>
  signWebhook({ id: ID, timestamp, body, secrets });

type Outcome = 'accepted' | 'refused' | string;

const byTheirs = (body: string, headers: Record<string, string>, secret: string): Outcome => {
  try {
    new Webhook(secret).verify(body, headers);
    return 'accepted';
  } catch {
    return 'refused';
  }
};

const byOurs = (body: string, headers: WebhookHeaders, secrets: string | string[]): Promise<Outcome> =>
  unwrap(body, headers, { secrets }).then(
    () => 'accepted',
    (error) => error.code,
  );

/** What both make of a delivery, which must be the same: accepted, or the code of our refusal. */
async function byBoth(body: string, headers: Record<string, string>, secret = SECRET): Promise<Outcome> {
  const ours = await byOurs(body, headers, secret);
  expect([headers, byTheirs(body, headers, secret)]).toEqual([headers, ours === 'accepted' ? 'accepted' : 'refused']);
  return ours;
}

// The library asks the system's clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('the published libraries', () => {
  test.each(vectors)('and the service sign $name alike', async ({ secret, id, timestamp, body, signature }) => {
    const at = new Date(timestamp * 1_000);
    const ours = await sign(body, { id, timestamp, secrets: secret });
    expect(ours).toEqual({ 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature });
    expect(new Webhook(secret).sign(id, at, body)).toBe(signature);
    expect(signWebhook({ id, timestamp, body, secrets: [secret] })).toEqual(ours);
    // As that of Python does, the client takes a secret whose padding got lost.
    expect(await sign(body, { id, timestamp, secrets: secret.replace(/=+$/, '') })).toEqual(ours);
  });

  const secret = fc
    .uint8Array({ minLength: 1, maxLength: 80 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
  const text = fc.string({ unit: 'grapheme' });

  test('accept what the service and the client sign, and the client accepts what they sign', async () => {
    await fc.assert(
      fc.asyncProperty(secret, text, async (only, said) => {
        const body = JSON.stringify(event({ said }));
        const signed = theirs(body, only);
        expect(await sign(body, { id: ID, secrets: only })).toEqual(signed);
        expect(service(body, [only])).toEqual(signed);
        expect(await byBoth(body, signed, only)).toBe('accepted');
        expect(await unwrap(body, signed, { secrets: only })).toEqual({ ...event({ said }), known: true });
      }),
    );
  });

  test('read the headers of a rotation as the client does, with either secret', async () => {
    const rotated = service(BODY, [SECRET, FORMER]);
    expect(rotated['webhook-signature'].split(' ')).toHaveLength(2);
    expect(await Promise.all([SECRET, FORMER, OTHER].map((only) => byBoth(BODY, rotated, only)))).toEqual([
      'accepted',
      'accepted',
      'SIGNATURE_MISMATCH',
    ]);
    const turned = { ...rotated, 'webhook-signature': rotated['webhook-signature'].split(' ').toReversed().join(' ') };
    expect(await byBoth(BODY, turned, FORMER)).toBe('accepted');
  });
});

describe('a delivery', () => {
  test.each([
    [-301, 'TIMESTAMP_TOO_OLD'],
    [-300, 'accepted'],
    [-299, 'accepted'],
    [0, 'accepted'],
    [299, 'accepted'],
    [300, 'accepted'],
    [301, 'TIMESTAMP_TOO_NEW'],
    [-86_400, 'TIMESTAMP_TOO_OLD'],
    [86_400, 'TIMESTAMP_TOO_NEW'],
  ])('that is %i s from the clock is %s', async (seconds, outcome) => {
    expect(await byBoth(BODY, theirs(BODY, SECRET, NOW + seconds))).toBe(outcome);
    expect(await byBoth(BODY, service(BODY, [SECRET, FORMER], NOW + seconds))).toBe(outcome);
  });

  test('holds its edges to the second, whatever part of it has passed', async () => {
    vi.setSystemTime(NOW * 1_000 + 999);
    expect(await byBoth(BODY, theirs(BODY, SECRET, NOW - 300))).toBe('accepted');
    expect(await byBoth(BODY, theirs(BODY, SECRET, NOW + 301))).toBe('TIMESTAMP_TOO_NEW');
  });

  /** Every text that differs from another in one character. */
  const changed = (whole: string, others: string): string[] =>
    [...whole].flatMap((character, at) =>
      [...others]
        .filter((other) => other !== character)
        .map((other) => whole.slice(0, at) + other + whole.slice(at + 1)),
    );
  const outcomes = async (rows: readonly (readonly [string, Record<string, string>])[]) => [
    ...new Set(await Promise.all(rows.map(([body, headers]) => byBoth(body, headers)))),
  ];
  const signed = service(BODY, [SECRET]);
  const withHeaders = (changes: Partial<Signed>): [string, Record<string, string>] => [BODY, { ...signed, ...changes }];

  test('is refused with any character of its body changed, left out or added', async () => {
    const rows = changed(BODY, 'x"{ 0\u00e9').map((body): [string, Record<string, string>] => [body, { ...signed }]);
    for (let at = 0; at < BODY.length; at += 1) rows.push([BODY.slice(0, at) + BODY.slice(at + 1), { ...signed }]);
    for (const body of [`${BODY} `, ` ${BODY}`, `${BODY}\n`, `\ufeff${BODY}`, BODY + BODY])
      rows.push([body, { ...signed }]);
    expect(rows.length).toBeGreaterThan(800);
    expect(await outcomes(rows)).toEqual(['SIGNATURE_MISMATCH']);
  });

  test('is refused with any bit of its body changed', async () => {
    const bytes = Buffer.from(BODY);
    const codes = new Set<Outcome>();
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const other = Buffer.from(bytes);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      codes.add(
        await unwrap(other, signed, { secrets: SECRET }).then(
          () => 'accepted',
          (error) => error.code,
        ),
      );
    }
    expect([...codes]).toEqual(['SIGNATURE_MISMATCH']);
  });

  test('is refused with any character of its id changed', async () => {
    const ids = [...changed(ID, 'aZ0_.'), `${ID}.`, ID.slice(1), ` ${ID}`, ID.toUpperCase(), `${ID}\u00e9`];
    expect(await outcomes(ids.map((id) => withHeaders({ 'webhook-id': id })))).toEqual(['SIGNATURE_MISMATCH']);
  });

  test('is refused with any digit of its instant changed', async () => {
    const instants = changed(String(NOW), '0123456789');
    const codes = await outcomes(instants.map((instant) => withHeaders({ 'webhook-timestamp': instant })));
    expect(codes.sort()).toEqual(['SIGNATURE_MISMATCH', 'TIMESTAMP_TOO_NEW', 'TIMESTAMP_TOO_OLD']);
  });

  test('is refused with any character of its signature changed', async () => {
    const signatures = changed(signed['webhook-signature'], 'aZ0+/=,').filter(
      // What stands behind a second comma the library does not look at.
      (signature) => signature.split(',').length <= 2,
    );
    const codes = await outcomes(signatures.map((signature) => withHeaders({ 'webhook-signature': signature })));
    expect(codes).toEqual(['SIGNATURE_MISMATCH']);
  });
});

describe('a signature header', () => {
  const good = service(BODY, [SECRET])['webhook-signature'];
  const bad = service(BODY, [OTHER])['webhook-signature'];

  test.each<[name: string, header: string, outcome: Outcome]>([
    [
      'of the libraries’ own suite',
      `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,${good.slice(3)} ${good} ${bad}`,
      'accepted',
    ],
    [
      'with an asymmetric one beside',
      `v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZ ${good}`,
      'accepted',
    ],
    ['with the good one first', `${good} ${bad}`, 'accepted'],
    ['with the good one last', `${bad} ${bad} ${good}`, 'accepted'],
    ['with spaces around', `  ${good}  `, 'accepted'],
    ['with one of nothing beside', `v1, ${good}`, 'accepted'],
    ['of another secret alone', bad, 'SIGNATURE_MISMATCH'],
    ['of an unknown version', `v2,${good.slice(3)}`, 'SIGNATURE_MISMATCH'],
    ['of the version in upper case', `V1,${good.slice(3)}`, 'SIGNATURE_MISMATCH'],
    ['without a version', good.slice(3), 'SIGNATURE_MISMATCH'],
    ['of a version alone', 'v1', 'SIGNATURE_MISMATCH'],
    ['of nothing', 'v1,', 'SIGNATURE_MISMATCH'],
    ['without padding', good.replace('=', ''), 'SIGNATURE_MISMATCH'],
    ['in the other alphabet', good.replaceAll('+', '-').replaceAll('/', '_').replace('=', '%3D'), 'SIGNATURE_MISMATCH'],
    ['in hexadecimal', `v1,${Buffer.from(good.slice(3), 'base64').toString('hex')}`, 'SIGNATURE_MISMATCH'],
    ['joined by a comma', `${bad},${good}`, 'SIGNATURE_MISMATCH'],
    ['joined by a semicolon', `${bad};${good}`, 'SIGNATURE_MISMATCH'],
    ['that is empty', '', 'HEADER_MISSING'],
  ])('%s is judged alike', async (_, header, outcome) => {
    expect(await byBoth(BODY, { ...service(BODY, [SECRET]), 'webhook-signature': header })).toBe(outcome);
  });

  test('may be one of many secrets, and no wrong one', async () => {
    const headers = { ...service(BODY, [SECRET, FORMER]) };
    expect(await byOurs(BODY, headers, [OTHER, FORMER])).toBe('accepted');
    expect(await byOurs(BODY, headers, [OTHER])).toBe('SIGNATURE_MISMATCH');
    expect(await byOurs(BODY, headers, [SECRET.slice(0, -4), `${SECRET}BBBB`])).toBe('SIGNATURE_MISMATCH');
  });
});

test('an event whose body is not UTF-8 or has bytes of every value is judged by its bytes', async () => {
  const bytes = Buffer.concat([Buffer.from(BODY.slice(0, -1)), Buffer.from([...Array(256).keys()])]);
  const headers = await sign(bytes, { id: ID, secrets: SECRET });
  expect(signWebhook({ id: ID, timestamp: NOW, body: bytes, secrets: [SECRET] })).toEqual(headers);
  const outcome = (body: Uint8Array): Promise<WebhookEvent | string> =>
    unwrap(body, headers, { secrets: SECRET }).catch((error) => error.code);
  expect(await outcome(bytes)).toBe('PAYLOAD_INVALID');
  expect(await outcome(Buffer.from(bytes.toString()))).toBe('SIGNATURE_MISMATCH');
});
