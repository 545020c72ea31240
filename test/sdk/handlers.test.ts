import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign, toFetchHandler, toNodeHandler, type WebhookEvent } from '@fatura/sdk/webhooks';
import express from 'express';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4';
const BODY = JSON.stringify({
  id: ID,
  object: 'event',
  type: 'webhook.test',
  created: 1_795_257_600,
  live_mode: false,
  data: { object: null },
});
const MEBIBYTE = 1_048_576;

const signed = (body: string) => sign(body, { id: ID, secrets: SECRET });

/** What a merchant does with events, and what it is told of the others. */
function merchant(onEvent: (event: WebhookEvent) => Promise<void> | void = () => {}) {
  const received: string[] = [];
  const errors: unknown[] = [];
  return {
    received,
    errors,
    options: {
      secrets: SECRET,
      onEvent: async (event: WebhookEvent) => {
        received.push(event.id);
        await onEvent(event);
      },
      onError: (error: unknown) => void errors.push(error),
    },
  };
}

const FOREIGN = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const refusedAs = (text: string) => ({ status: 400, text });
const signatureOf = (good: Record<string, string>): string => good['webhook-signature'] ?? '';
const versioned = (good: Record<string, string>, version: string) => ({
  'webhook-signature': signatureOf(good).replace('v1', version),
});
const among = (good: Record<string, string>) => ({
  'webhook-signature': `${FOREIGN} v1a,AAAA ${signatureOf(good)} v1,`,
});

type Shop = ReturnType<typeof merchant>;
type Send = (init: RequestInit) => Promise<Response>;

async function listening(listener: RequestListener): Promise<Send> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((done) => server.close(() => done()));
  });
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return (init) => fetch(`http://127.0.0.1:${port}/hook`, init);
}

const receivers: [name: string, start: (shop: Shop) => Promise<Send>][] = [
  [
    'fetch',
    async ({ options }) => {
      const handler = toFetchHandler(options);
      return (init) => handler(new Request('https://loja.test/hook', { ...init, duplex: 'half' } as RequestInit));
    },
  ],
  ['Node', ({ options }) => listening((request, response) => void toNodeHandler(options)(request, response))],
  [
    'Express ahead of its parser',
    ({ options }) =>
      listening(
        express().post('/hook', toNodeHandler(options)).all('/hook', toNodeHandler(options)).use(express.json()),
      ),
  ],
  [
    'Express behind a raw parser',
    ({ options }) =>
      listening(
        express()
          .use(express.raw({ type: '*/*', limit: '2mb' }))
          .all('/hook', toNodeHandler(options)),
      ),
  ],
];

describe.each(receivers)('a handler of %s', (_, start) => {
  const post = async (send: Send, body = BODY, headers: Record<string, string> = {}) => {
    const answer = await send({ method: 'POST', body, headers: { ...(await signed(BODY)), ...headers } });
    return { status: answer.status, text: await answer.text() };
  };

  test('hands over what is signed and answers 200 once that is done', async () => {
    const gate = Promise.withResolvers<void>();
    const shop = merchant(() => gate.promise);
    const answered = post(await start(shop));
    await vi.waitFor(() => expect(shop.received).toEqual([ID]));
    const first = await Promise.race([answered, new Promise((done) => setTimeout(done, 50, 'waits'))]);
    expect(first).toBe('waits');
    gate.resolve();
    expect(await answered).toEqual({ status: 200, text: '' });
    expect(shop.errors).toEqual([]);
  });

  test('refuses what is not signed, and tells the merchant', async () => {
    const shop = merchant();
    const send = await start(shop);
    expect(await post(send, BODY.replace('false', 'true'))).toEqual({ status: 400, text: 'SIGNATURE_MISMATCH' });
    expect(await post(send, BODY, { 'webhook-timestamp': '1' })).toEqual({ status: 400, text: 'TIMESTAMP_TOO_OLD' });
    expect((await send({ method: 'POST', body: BODY })).status).toBe(400);
    expect(shop.received).toEqual([]);
    expect(shop.errors).toMatchObject([
      { code: 'SIGNATURE_MISMATCH' },
      { code: 'TIMESTAMP_TOO_OLD' },
      { code: 'HEADER_MISSING' },
    ]);
  });

  test.each<[name: string, change: (good: Record<string, string>) => Record<string, string>, answer: object]>([
    ['a signature of another secret', () => ({ 'webhook-signature': FOREIGN }), refusedAs('SIGNATURE_MISMATCH')],
    ['a signature of an unknown version', (good) => versioned(good, 'v2'), refusedAs('SIGNATURE_MISMATCH')],
    ['a signature without a version', (good) => versioned(good, ''), refusedAs('SIGNATURE_MISMATCH')],
    ['another id', () => ({ 'webhook-id': 'evt_other' }), refusedAs('SIGNATURE_MISMATCH')],
    ['an instant that is none', () => ({ 'webhook-timestamp': 'now' }), refusedAs('TIMESTAMP_INVALID')],
    ['an instant to come', () => ({ 'webhook-timestamp': '9999999999' }), refusedAs('TIMESTAMP_TOO_NEW')],
    ['no id', () => ({ 'webhook-id': '' }), refusedAs('HEADER_MISSING')],
    ['the good signature among others', (good) => among(good), { status: 200, text: '' }],
  ])('with %s answers as it should', async (_, change, answer) => {
    const shop = merchant();
    expect(await post(await start(shop), BODY, change(await signed(BODY)))).toEqual(answer);
    expect([shop.received.length, shop.errors.length].sort()).toEqual([0, 1]);
  });

  test('asks to be sent again what the merchant could not take', async () => {
    const fault = new Error('the database is away');
    const shop = merchant(() => Promise.reject(fault));
    expect(await post(await start(shop))).toEqual({ status: 500, text: '' });
    expect(shop.errors).toEqual([fault]);
  });

  test('takes nothing but a POST', async () => {
    const shop = merchant();
    const answer = await (await start(shop))({ method: 'GET' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(shop.errors).toEqual([]);
  });
});

const unusable: [name: string, secrets: unknown, words: RegExp][] = [
  ['none given', undefined, /is its variable set/],
  ['an empty one', '', /is its variable set/],
  ['an empty list', [], /is its variable set/],
  ['an empty one in a list', [SECRET, ''], /is its variable set/],
  ['an API key', 'sk_sandbox_0123456789', /must have the form whsec_<base64>/],
  ['one with nothing behind its prefix', 'whsec_', /must have the form whsec_<base64>/],
  ['one that is no base64', 'whsec_?', /must have the form whsec_<base64>/],
];

test.each(
  unusable.flatMap(([name, secrets, words]) =>
    [toNodeHandler, toFetchHandler].map((make) => ({ name, secrets, words, make, as: make.name })),
  ),
)('regression-191-$as is not made with a secret that verifies nothing: $name', ({ secrets, words, make }) => {
  const given = secrets as string; // what an environment variable that is not set leaves of the type
  const making = () => make({ secrets: given, onEvent: () => {} });
  expect(making).toThrow(words);
  expect(making).toThrow(expect.objectContaining({ code: 'SECRET_INVALID' }));
  expect(making).toThrow(expect.not.objectContaining({ message: expect.stringContaining('0123456789') }));
});

test.each(receivers.filter(([name]) => !name.includes('raw parser')))(
  'a handler of %s reads no more than a mebibyte',
  async (_, start) => {
    const shop = merchant();
    const send = await start(shop);
    const headers = await signed(BODY);
    // A server may end the connection of whom it does not listen to.
    const status = await send({ method: 'POST', body: 'x'.repeat(MEBIBYTE + 1), headers }).then(
      (answer) => answer.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(shop.received).toEqual([]);
  },
);

test('a body that was parsed before says what to do', async () => {
  const shop = merchant();
  const send = await listening(express().use(express.json()).post('/hook', toNodeHandler(shop.options)));
  const headers = { ...(await signed(BODY)), 'content-type': 'application/json' };
  expect((await send({ method: 'POST', body: BODY, headers })).status).toBe(500);
  expect(String(shop.errors[0])).toContain('mount it ahead of express.json(), or behind express.raw()');
});
