import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Download, Sender } from '../../../server/events/deliveries/http/sender.ts';
import { readTarget } from '../../../server/events/deliveries/http/target-url.ts';
import { closedPort, deafPort, httpReceiver, tcpReceiver } from './receivers.ts';
import { opened, senderTo, timed, trustHooksTest } from './sending.ts';
import { trusted, untrusted } from './tls-fixture.ts';

const BYTES_MAX = 10_000;

beforeAll(trustHooksTest);

interface Asking {
  readonly accountId?: string;
  readonly liveMode?: boolean;
  readonly timeoutMs?: number;
}

function fetchFrom(sender: Sender, url: string, asking: Asking = {}): Promise<Download> {
  const { accountId = 'acct_1', liveMode = false, timeoutMs = 5_000 } = asking;
  const target = readTarget(url, { accountId, liveMode });
  if ('problem' in target) throw new Error(target.problem);
  return sender.get({ target, accept: 'image/png', bytesMax: BYTES_MAX, timeoutMs });
}

const failed = (failure: string, detail: unknown = expect.any(String)) => ({ ok: false, failure, detail });

const answering = (answer: (response: ServerResponse) => unknown) => httpReceiver((_, response) => answer(response));

describe('a download', () => {
  test('has what was there and what its server calls it, over a connection of its own', async () => {
    const receiver = await answering((response) => response.writeHead(200, { 'content-type': 'image/png' }).end('PNG'));
    const sender = senderTo();
    const content = Buffer.from('PNG');
    expect(await fetchFrom(sender, `${receiver.url}?v=1#top`)).toEqual({ ok: true, content, mediaType: 'image/png' });
    expect(receiver.requests).toEqual([
      {
        url: '/hook?v=1',
        body: '',
        headers: expect.objectContaining({ accept: 'image/png', 'user-agent': 'Fatura-Downloads/1' }),
      },
    ]);
    await opened(receiver, 0);
    await fetchFrom(sender, receiver.url);
    expect(receiver.connections).toHaveLength(2);
  });

  test.each([
    ['of no type', {}, null],
    ['of a type that is too long', { 'content-type': 'x'.repeat(200) }, 'x'.repeat(100)],
  ])('%s is one all the same', async (_, headers, mediaType) => {
    const receiver = await answering((response) => response.writeHead(200, headers).end());
    expect(await fetchFrom(senderTo(), receiver.url)).toEqual({ ok: true, content: Buffer.alloc(0), mediaType });
  });

  test.each([301, 302, 303, 307, 308])('is not redirected by %i', async (status) => {
    const elsewhere = await answering((response) => response.end('PNG'));
    const receiver = await answering((response) => response.writeHead(status, { location: elsewhere.url }).end('PNG'));
    expect(await fetchFrom(senderTo(), receiver.url)).toEqual(failed('redirect_refused', `HTTP ${status}`));
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([201, 204, 206, 404, 500])('of status %i is none', async (status) => {
    const receiver = await answering((response) => response.writeHead(status).end());
    expect(await fetchFrom(senderTo(), receiver.url)).toEqual(failed('http_status', `HTTP ${status}`));
  });

  test('may have as many bytes as are allowed, and not one more', async () => {
    const ofBytes = (bytes: number) => answering((response) => response.end(Buffer.alloc(bytes)));
    const most = await ofBytes(BYTES_MAX);
    expect(await fetchFrom(senderTo(), most.url)).toMatchObject({ ok: true, content: { length: BYTES_MAX } });
    const more = await ofBytes(BYTES_MAX + 1);
    expect(await fetchFrom(senderTo(), more.url)).toEqual(failed('too_large', 'more than 10000 bytes'));
  });

  test('without end is left as soon as it is too large', async () => {
    const receiver = await answering((response) => {
      const more = setInterval(() => response.write(Buffer.alloc(1_000)), 1);
      response.on('close', () => clearInterval(more));
    });
    expect(await fetchFrom(senderTo(), receiver.url)).toEqual(failed('too_large', 'more than 10000 bytes'));
    await opened(receiver, 0);
  });
});

describe('a server', () => {
  const hasty = { timeoutMs: 300 };

  test('that does not answer is left in time', async () => {
    const receiver = await answering(() => {});
    const { result, tookMs } = await timed(() => fetchFrom(senderTo(), receiver.url, hasty));
    expect(result).toEqual(failed('timeout', 'not there within 300 ms'));
    expect(tookMs).toBeLessThan(2_000);
    await opened(receiver, 0);
  });

  test('that trickles is left in time', async () => {
    const receiver = await answering((response) => {
      const more = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(more));
    });
    expect(await fetchFrom(senderTo(), receiver.url, hasty)).toEqual(failed('timeout', 'not there within 300 ms'));
    await opened(receiver, 0);
  });

  test('that takes no connection is left in time', async () => {
    const url = `http://127.0.0.1:${await deafPort()}/`;
    expect(await fetchFrom(senderTo(), url, hasty)).toEqual(
      failed('connect_timeout', 'no TCP connection within 300 ms'),
    );
  });

  test('that breaks off sent nothing', async () => {
    const receiver = await tcpReceiver((connection) => {
      connection.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nPNG');
    });
    expect(await fetchFrom(senderTo(), receiver.url)).toEqual(failed('connection'));
  });

  test('that is not there, or has no good certificate, is told of', async () => {
    const sender = senderTo();
    expect(await fetchFrom(sender, `http://127.0.0.1:${await closedPort()}/`)).toEqual(failed('connection'));
    const own = await httpReceiver((_, response) => response.end('PNG'), untrusted);
    const url = `https://hooks.test:${own.port}/`;
    expect(await fetchFrom(sender, url)).toEqual(failed('tls', expect.stringContaining('self-signed')));
    const good = await httpReceiver((_, response) => response.end('PNG'), trusted);
    expect(await fetchFrom(sender, `https://hooks.test:${good.port}/`)).toMatchObject({ ok: true });
  });

  test.each([
    ['https://127.0.0.1/', true],
    ['https://hooks.test/', true],
    ['http://10.0.0.1/', false],
    ['http://169.254.169.254/latest/meta-data', false],
  ])('inside the network is not asked: %s (live: %s)', async (url, liveMode) => {
    const outside = expect.stringMatching(/is outside the public internet \(\w+\)$/);
    expect(await fetchFrom(senderTo(), url, { liveMode })).toEqual(failed('private_address', outside));
  });
});

test('an account has four downloads under way, and leaves room for the others', async () => {
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  const receiver = await answering((response) => asked.then(() => response.end('PNG')));
  const sender = senderTo();
  const under = Array.from({ length: 4 }, () => fetchFrom(sender, receiver.url));
  expect(await fetchFrom(sender, receiver.url)).toEqual(failed('busy'));
  under.push(fetchFrom(sender, receiver.url, { accountId: 'acct_2' }));
  await opened(receiver, 5);
  answer();
  expect((await Promise.all(under)).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  expect(await fetchFrom(sender, receiver.url)).toMatchObject({ ok: true });
});

test('all accounts together have 64 downloads under way', async () => {
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  const receiver = await answering((response) => asked.then(() => response.end('PNG')));
  const sender = senderTo();
  const of = (account: number) => fetchFrom(sender, receiver.url, { accountId: `acct_${account}` });
  const under = Array.from({ length: 64 }, (_, account) => of(account));
  expect(await of(64)).toEqual(failed('busy'));
  answer();
  expect(new Set((await Promise.all(under)).map(({ ok }) => ok))).toEqual(new Set([true]));
});
