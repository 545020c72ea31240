import { beforeAll, describe, expect, test } from 'vitest';
import type { Lookup } from '../../../server/events/deliveries/http/sender.ts';
import { closedPort, deafPort, httpReceiver, tcpReceiver } from './receivers.ts';
import { checkUrl, delivered, delivery, failed, opened, senderTo, timed, trustHooksTest } from './sending.ts';
import { trusted, untrusted } from './tls-fixture.ts';

beforeAll(trustHooksTest);

describe('a delivery', () => {
  test('reaches the receiver with its headers and exact body', async () => {
    const receiver = await httpReceiver((_, response) => response.writeHead(204).end());
    const sent = delivery(`${receiver.url}?a=b%20c#fragment`, {
      headers: { 'webhook-id': 'evt_1' },
      body: '{"name":"João 🎉"}',
    });
    expect(await senderTo().post(sent)).toEqual(delivered(204));
    expect(receiver.requests).toEqual([
      {
        url: '/hook?a=b%20c',
        body: sent.body,
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'webhook-id': 'evt_1',
          'content-length': String(Buffer.byteLength(String(sent.body))),
        },
      },
    ]);
  });

  test('sends bytes as they are', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    const body = Buffer.from('x'.repeat(300_000));
    expect(await senderTo().post(delivery(receiver.url, { body }))).toEqual(delivered());
    expect(receiver.requests[0]?.body).toHaveLength(300_000);
  });

  test.each([200, 201, 202, 204, 299])('is accepted by a status of %i', async (status) => {
    const receiver = await httpReceiver((_, response) => response.writeHead(status).end());
    expect(await senderTo().post(delivery(receiver.url))).toEqual(delivered(status));
  });

  test('waits for the answer behind early hints', async () => {
    const receiver = await tcpReceiver((connection) => {
      connection.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    expect(await senderTo().post(delivery(receiver.url))).toEqual(delivered());
  });

  test('is never redirected', async () => {
    const elsewhere = await httpReceiver((_, response) => response.end());
    for (const status of [301, 302, 303, 304, 307, 308]) {
      const receiver = await httpReceiver((_, response) =>
        response.writeHead(status, { location: elsewhere.url }).end(),
      );
      const expected = failed('redirect_refused', { status, detail: `HTTP ${status}` });
      expect(await senderTo().post(delivery(receiver.url))).toEqual(expected);
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test('that is refused quotes the answer, bounded and printable', async () => {
    const receiver = await httpReceiver((_, response) =>
      response.writeHead(500).end(`no\u0000 way\r\n\u2028${'🎉'.repeat(900)}`),
    );
    const result = await senderTo().post(delivery(receiver.url));
    expect(result).toEqual(
      failed('http_status', { status: 500, detail: expect.stringMatching(/^HTTP 500: no way 🎉+$/u) }),
    );
    if (!result.ok) expect([...result.detail]).toHaveLength(500);
    if (!result.ok) expect(result.detail.isWellFormed()).toBe(true);
  });
});

describe('Retry-After', () => {
  const answered = 'Wed, 21 Oct 2026 07:28:00 GMT';
  test.each([
    [429, { 'retry-after': '120' }, 120],
    [503, { 'retry-after': '0' }, 0],
    [503, { 'retry-after': '999999999' }, 604_800],
    [429, { 'retry-after': '9'.repeat(400) }, 604_800],
    [503, { 'retry-after': '000120' }, 120],
    [503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT', date: answered }, 604_800],
    [429, { 'retry-after': 'Wed, 21 Oct 2026 07:30:00 GMT', date: answered }, 120],
    [429, { 'retry-after': 'Wed, 21 Oct 2026 07:20:00 GMT', date: answered }, 0],
    [429, { 'retry-after': 'soon', date: answered }, null],
    [429, { 'retry-after': '-5' }, null],
    [429, { 'retry-after': '1.5' }, null],
    [429, { 'retry-after': '1e9' }, null],
    [429, { 'retry-after': '0x78' }, null],
    [429, { 'retry-after': '120, 240' }, null],
    [429, { 'retry-after': 'Infinity' }, null],
    [503, { 'retry-after': 'Wed, 21 Oct 2026 07:30:00 GMT', date: 'today' }, null],
    [503, { 'retry-after': '2026-10-21T07:30:00Z', date: answered }, null],
    [429, { 'retry-after': 'Wed, 99 Oct 2026 07:30:00 GMT', date: answered }, null],
    [429, {}, null],
    [500, { 'retry-after': '120' }, null],
    [302, { 'retry-after': '120' }, null],
  ])('of a %i answer with %j asks for %s seconds', async (status, headers, retryAfterSeconds) => {
    const receiver = await httpReceiver((_, response) => response.writeHead(status, headers).end());
    const failure = status === 302 ? 'redirect_refused' : 'http_status';
    expect(await senderTo().post(delivery(receiver.url))).toEqual(failed(failure, { status, retryAfterSeconds }));
  });
});

describe('a receiver that takes its time', () => {
  const hasty = { responseTimeoutMs: 400 };

  test('and never answers is given up at the response timeout', async () => {
    const receiver = await tcpReceiver(() => {});
    const { result, tookMs } = await timed(() => senderTo(hasty).post(delivery(receiver.url)));
    expect(result).toEqual(failed('timeout', { detail: 'no answer within 400 ms' }));
    // A timer counts from when its loop last looked at the clock.
    expect(tookMs).toBeGreaterThan(350);
    expect(tookMs).toBeLessThan(5_000);
    await opened(receiver, 0);
  });

  test('longer than a connection may take is waited for', async () => {
    const receiver = await httpReceiver((_, response) => setTimeout(() => response.end(), 800));
    expect(await senderTo({ connectTimeoutMs: 500 }).post(delivery(receiver.url))).toEqual(delivered());
  });

  test('may be given less time by one delivery, and never more', async () => {
    const receiver = await tcpReceiver(() => {});
    const expected = (ms: number) => failed('timeout', { detail: `no answer within ${ms} ms` });
    expect(await senderTo().post(delivery(receiver.url, { timeoutMs: 50 }))).toEqual(expected(50));
    expect(await senderTo(hasty).post(delivery(receiver.url, { timeoutMs: 5_000 }))).toEqual(expected(400));
  });

  test('and has the time cut off while it is dialled is a timeout all the same', async () => {
    const receiver = await tcpReceiver(() => {}, { protocol: 'https' });
    const sent = delivery(`https://hooks.test:${receiver.port}/`, { timeoutMs: 50 });
    expect(await senderTo().post(sent)).toEqual(failed('timeout'));
  });

  test('and trickles its headers is given up at the response timeout', async () => {
    const receiver = await tcpReceiver((connection) => {
      connection.write('HTTP/1.1 200 OK\r\n');
      const trickle = setInterval(() => connection.write('x-more: y\r\n'), 50);
      connection.on('close', () => clearInterval(trickle));
    });
    expect(await senderTo(hasty).post(delivery(receiver.url))).toEqual(failed('timeout'));
  });

  test('and announces itself for ever is given up at the response timeout', async () => {
    const receiver = await tcpReceiver((connection) => {
      const announce = setInterval(() => connection.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      connection.on('close', () => clearInterval(announce));
    });
    expect(await senderTo(hasty).post(delivery(receiver.url))).toEqual(failed('timeout'));
  });

  test.each([
    [200, delivered()],
    [500, failed('http_status', { status: 500, detail: expect.stringMatching(/^HTTP 500: \.+$/) })],
  ])('over the body of a %i answer holds its place no longer than the body timeout', async (status, expected) => {
    const receiver = await httpReceiver((_, response) => {
      response.writeHead(status).write('.');
      const trickle = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(trickle));
    });
    const { result, tookMs } = await timed(() => senderTo({ bodyTimeoutMs: 150 }).post(delivery(receiver.url)));
    expect(result).toEqual(expected);
    expect(tookMs).toBeLessThan(10_000);
    await opened(receiver, 0);
  });

  test.each([
    [200, delivered()],
    [400, failed('http_status', { status: 400 })],
  ])('with an endless body of a %i answer is cut off', async (status, expected) => {
    let written = 0;
    const receiver = await httpReceiver((_, response) => {
      response.writeHead(status);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
      };
      response.on('drain', pour);
      pour();
    });
    const { result, tookMs } = await timed(() => senderTo({ bodyTimeoutMs: 15_000 }).post(delivery(receiver.url)));
    expect(result).toEqual(expected);
    expect(tookMs).toBeLessThan(10_000);
    await opened(receiver, 0);
    expect(written).toBeLessThan(20_000_000);
  });

  test('over its body has the duration told up to its headers', async () => {
    const receiver = await httpReceiver((_, response) => {
      response.writeHead(200).flushHeaders();
      setTimeout(() => response.end(), 1_000);
    });
    const { result, tookMs } = await timed(() => senderTo().post(delivery(receiver.url)));
    expect(result).toEqual(delivered());
    expect(tookMs).toBeGreaterThan(990);
    expect(result.durationMs).toBeLessThan(900);
  });
});

describe('a connection that fails', () => {
  test('because nobody listens is reported as such', async () => {
    const port = await closedPort();
    const expected = failed('connection', { detail: expect.stringContaining('ECONNREFUSED') });
    expect(await senderTo().post(delivery(`http://127.0.0.1:${port}/`))).toEqual(expected);
    expect(await senderTo().post(delivery(`http://hooks.test:${port}/`))).toEqual(expected);
  });

  test('because it is not accepted ends at the connect timeout', async () => {
    const port = await deafPort();
    const expected = failed('connect_timeout', { detail: 'no TCP connection within 300 ms' });
    expect(await senderTo({ connectTimeoutMs: 300 }).post(delivery(`http://127.0.0.1:${port}/`))).toEqual(expected);
  });

  test('because TLS is not spoken ends at the connect timeout', async () => {
    const receiver = await tcpReceiver(() => {}, { protocol: 'https' });
    const expected = failed('connect_timeout', { detail: 'no TLS handshake within 300 ms' });
    const sender = senderTo({ connectTimeoutMs: 300 });
    expect(await sender.post(delivery(`https://hooks.test:${receiver.port}/`))).toEqual(expected);
    await opened(receiver, 0);
  });

  test('because the name does not exist, has no address or does not resolve in time is a failure of DNS', async () => {
    const lookups: Lookup[] = [
      async () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
      async () => [],
      () => new Promise(() => {}),
    ];
    for (const lookup of lookups) {
      const sender = senderTo({ lookup, connectTimeoutMs: 200 });
      expect(await sender.post(delivery('http://nowhere.test/'))).toEqual(failed('dns'));
      expect(await checkUrl(sender, 'http://nowhere.test/', false)).toMatchObject({ ok: false, failure: 'dns' });
    }
  });

  test('because it is reset before the answer is not tried again', async () => {
    const receiver = await tcpReceiver((connection) => connection.resetAndDestroy());
    expect(await senderTo().post(delivery(receiver.url))).toEqual(failed('connection'));
    expect(receiver.requests).toHaveLength(1);
  });

  test.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
    ['has endless headers', `HTTP/1.1 200 OK\r\n${`x-filler: ${'y'.repeat(1_000)}\r\n`.repeat(200)}`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('because its answer %s is a failure of the connection', async (_, answer) => {
    const receiver = await tcpReceiver((connection) => connection.write(answer));
    expect(await senderTo().post(delivery(receiver.url))).toEqual(failed('connection'));
  });

  test('after the headers leaves the answer standing', async () => {
    const receiver = await tcpReceiver((connection) =>
      connection.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf'),
    );
    expect(await senderTo().post(delivery(receiver.url))).toEqual(delivered());
  });
});

describe('TLS', () => {
  test('to a trusted receiver of that name delivers, and is kept alive', async () => {
    const receiver = await httpReceiver((_, response) => response.end('ok'), trusted);
    const sender = senderTo();
    for (let i = 0; i < 3; i++)
      expect(await sender.post(delivery(`https://hooks.test:${receiver.port}/`))).toEqual(delivered());
    expect(receiver.connections).toHaveLength(1);
  });

  test('regression-53-is refused for an unknown issuer and for another name, in words for the receiver’s owner', async () => {
    const unknownIssuer = await httpReceiver((_, response) => response.end(), untrusted);
    const anotherName = await httpReceiver((_, response) => response.end(), trusted);
    const sender = senderTo();
    expect(await sender.post(delivery(`https://other.test:${unknownIssuer.port}/`))).toEqual(
      failed('tls', { detail: 'DEPTH_ZERO_SELF_SIGNED_CERT: the certificate is self-signed' }),
    );
    expect(await sender.post(delivery(`https://elsewhere.test:${anotherName.port}/`))).toEqual(
      failed('tls', { detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') }),
    );
    expect([...unknownIssuer.requests, ...anotherName.requests]).toEqual([]);
  });

  test('fails where plain HTTP is spoken, or the handshake is broken off', async () => {
    const plain = await httpReceiver((_, response) => response.end());
    const rude = await tcpReceiver((connection) => connection.destroy());
    expect(await senderTo().post(delivery(`https://hooks.test:${plain.port}/`))).toEqual(failed('tls'));
    expect(await senderTo().post(delivery(`https://hooks.test:${rude.port}/`))).toEqual(failed('tls'));
  });
});
