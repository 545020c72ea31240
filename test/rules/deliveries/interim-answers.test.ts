import { beforeAll, describe, expect, test } from 'vitest';
import { Fatura } from '../../../sdk/src/index.ts';
import { readTarget } from '../../../server/events/deliveries/http/target-url.ts';
import { InterimHeads } from '../../../server/kernel/interim-answers.ts';
import { PspHttp } from '../../../server/payments/acquirer/http.ts';
import { interimReceiver, interims, ways } from '../../support/interim-receiver.ts';
import { delivery, outcomeOf, senderTo, trustHooksTest } from './sending.ts';
import { trusted } from './tls-fixture.ts';

beforeAll(() => trustHooksTest());

/** Twice the same, so that the connection is shown to have survived the interim answers. */
const TIMES = 2;

type Send = (port: number) => Promise<unknown>;

/** Everything of ours that sends requests, and what it makes of a 200. */
const senders: Readonly<Record<string, { over?: 'tls'; begin: () => Send; outcome: unknown; connections: number }>> = {
  'a delivery': {
    begin: () => {
      const sender = senderTo();
      return async (port) => outcomeOf(await sender.post(delivery(`http://127.0.0.1:${port}/hook`)));
    },
    outcome: '200',
    connections: 1,
  },
  'a delivery over TLS': {
    over: 'tls',
    begin: () => {
      const sender = senderTo();
      return async (port) => outcomeOf(await sender.post(delivery(`https://hooks.test:${port}/hook`)));
    },
    outcome: '200',
    connections: 1,
  },
  'the fetch of a logo': {
    begin: () => {
      const sender = senderTo();
      return async (port) => {
        const target = readTarget(`http://127.0.0.1:${port}/logo.png`, { accountId: 'acct_1', liveMode: false });
        if ('problem' in target) throw new Error(target.problem);
        return (await sender.get({ target, accept: 'image/png', bytesMax: 1_000, timeoutMs: 5_000 })).ok;
      };
    },
    outcome: true,
    // Each download has a connection of its own.
    connections: TIMES,
  },
  'a call of a PSP': {
    begin: () => {
      const http = new PspHttp({ own: { certificate: trusted.cert, key: trusted.key }, ca: null });
      return (port) => http.exchange({ method: 'PUT', url: `http://127.0.0.1:${port}/cob/1`, headers: {}, body: '{}' });
    },
    outcome: { kind: 'answered', status: 200, body: {}, retryAfterSeconds: null },
    // Its pool opens the second one while the first is being given back.
    connections: TIMES,
  },
};

describe.each(Object.entries(senders))('%s', (_, { over, begin, outcome, connections }) => {
  test.each(Object.keys(ways))('takes the answer behind any interim ones that come %s', async (way) => {
    const rows = interims.map(async ([name, answers]) => {
      const identity = over === 'tls' ? { identity: trusted } : {};
      const receiver = await interimReceiver({ answers, way, ...identity });
      const send = begin();
      const outcomes: unknown[] = [];
      for (let nth = 0; nth < TIMES; nth += 1) outcomes.push(await send(receiver.port));
      return [name, outcomes, receiver.connections()];
    });
    const expected = interims.map(([name]) => [name, Array.from({ length: TIMES }, () => outcome), connections]);
    expect(await Promise.all(rows)).toEqual(expected);
  });
});

test.each(Object.keys(ways))('the client takes the answer behind 102 and 103 that come %s', async (way) => {
  // A 100 that nobody asked for is up to the fetch of its runtime: that of Node breaks off.
  const rows = interims.filter(([, answers]) => !answers.some((answer) => answer.includes(' 100 ')));
  const outcomes = rows.map(async ([name, answers]) => {
    const { port } = await interimReceiver({ answers, way, body: '{"id":"prod_1"}' });
    const fatura = new Fatura({ apiKey: 'sk_sandbox_any', baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
    return [name, await fatura.products.create({ name: 'Plano' })];
  });
  expect(await Promise.all(outcomes)).toEqual(rows.map(([name]) => [name, { id: 'prod_1' }]));
});

test.each([
  ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 102 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
  ['HTTP/1.1 100 A\r\nx: 100\r\n\r\nHTTP/1.1 100 B\n\n', 'HTTP/1.1 102 A\r\nx: 100\r\n\r\nHTTP/1.1 102 B\n\n'],
  ['HTTP/1.1 101 Switching\r\n\r\n', null],
  ['HTTP/1.1 110 Odd\r\n\r\n', null],
  ['HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n', null],
  ['\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n', '\r\n\r\nHTTP/1.1 102 Continue\r\n\r\n'],
  ['SSH-2.0-OpenSSH 100 \r\n\r\n', null],
])('%j is read as another interim answer only where one stands, however it is cut', (came, shown) => {
  for (let size = 1; size <= came.length; size += 1) {
    const heads = new InterimHeads();
    const pieces: Buffer[] = [];
    for (let at = 0; at < came.length; at += size) {
      const piece = Buffer.from(came.slice(at, at + size));
      heads.take(piece);
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces).toString()).toBe(shown ?? came);
  }
});
