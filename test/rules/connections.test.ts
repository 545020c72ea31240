import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { countedAddress } from '../../server/http/address.ts';
import { boundConnections, CONNECTION_LIMITS, type ConnectionLimits } from '../../server/http/connections.ts';
import { createLogger } from '../../server/logging.ts';
import { createMetrics } from '../../server/metrics.ts';

/** More than the buffers of both ends of a connection hold. */
const ANSWER_BYTES = 64 * 1_024 * 1_024;
const STALLED_MS = 200;

const logger = createLogger({ level: 'silent', process: 'api' });

async function serve(stalledMs: number): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.end(Buffer.alloc(ANSWER_BYTES)));
  const deps = { logger, metrics: createMetrics(), settings: { trustProxy: 0 } };
  boundConnections(server, deps, { ...CONNECTION_LIMITS, stalledMs });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  return { server, port: (server.address() as AddressInfo).port };
}

test('a reader that takes nothing of its answer is cut off', async () => {
  const { server, port } = await serve(STALLED_MS);

  const asked = once(server, 'request');
  const stalled = connect({ host: '127.0.0.1', port }).pause();
  stalled.on('error', () => {});
  stalled.write('GET / HTTP/1.1\r\nHost: fatura.test\r\n\r\n');
  const [, response] = (await asked) as [unknown, ServerResponse];
  await once(response, 'close');
  expect(response.writableFinished).toBe(false);
  stalled.destroy();
  server.close();
});

test('a reader that goes on taking gets all of its answer', async () => {
  const { server, port } = await serve(100 * STALLED_MS);
  const taken = await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer();
  expect(taken.byteLength).toBe(ANSWER_BYTES);
  server.closeAllConnections();
  server.close();
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  [undefined, 'unknown'],
])('the address %s is counted as %s', (ip, counted) => {
  expect(countedAddress(ip)).toBe(counted);
});

describe('where there are many connections', () => {
  const ASK = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const ASK_LONG = 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n';
  const SOON_MS = 5;

  /** A service that answers at once, but for what takes long. */
  async function serveFew(given: Partial<ConnectionLimits>, trustProxy = 0) {
    const metrics = createMetrics();
    const server = createServer((request, response) => {
      if (request.url !== '/long') response.end('ok');
    });
    const limits = { ...CONNECTION_LIMITS, silentMs: 0, ...given };
    boundConnections(server, { logger, metrics, settings: { trustProxy } }, limits);
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo; // a TCP server has one
    const open = async (localAddress = '127.0.0.1', says = ''): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (says !== '') socket.write(says);
      if (says === ASK) await once(socket, 'data');
      else socket.resume();
      await new Promise((resolve) => setTimeout(resolve, SOON_MS));
      return socket.resume();
    };
    const counted = async (name: string) => {
      const metric = await metrics.registry.getSingleMetric(name)?.get();
      return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [Object.values(labels)[0], value]));
    };
    return { open, counted };
  }

  /** Which of these connections are ended, once so many are. */
  async function ended(sockets: readonly Socket[], count: number): Promise<number[]> {
    const which = () => sockets.flatMap(({ closed }, index) => (closed ? [index] : []));
    await expect.poll(() => which().length).toBe(count);
    return which();
  }

  test('one address keeps its newest silent ones, and every one whose request is under way', async () => {
    const { open, counted } = await serveFew({ perAddress: 3 });
    const sockets = [await open('127.0.0.1', ASK_LONG), await open(), await open(), await open(), await open()];
    expect(await ended(sockets, 2)).toEqual([1, 2]);
    const elsewhere = await open('127.0.0.2');
    expect(await counted('fatura_http_connections')).toEqual({ busy: 1, silent: 3 });
    expect(await counted('fatura_http_connections_ended_total')).toEqual({ address: 2, crowded: 0, full: 0 });
    expect(elsewhere.closed).toBe(false);
  });

  test('those that were answered go after those that never asked, the one that was silent longest first', async () => {
    // Long enough for a client that has just come to ask.
    const { open } = await serveFew({ perAddress: 3, silentMs: 2_000 });
    const sockets = [
      await open('127.0.0.1', ASK),
      await open('127.0.0.1', ASK),
      await open(),
      await open(),
      await open('127.0.0.1', ASK),
      await open('127.0.0.1', ASK),
    ];
    expect(await ended(sockets, 3)).toEqual([0, 2, 3]);
  });

  test('an address that has all of its own in use gets no further one', async () => {
    const { open, counted } = await serveFew({ perAddress: 2 });
    const used = [await open('127.0.0.1', ASK_LONG), await open('127.0.0.1', ASK_LONG)];
    expect(await ended([await open()], 1)).toEqual([0]);
    expect(await ended([await open('127.0.0.2'), ...used], 0)).toEqual([]);
    expect(await counted('fatura_http_connections')).toEqual({ busy: 2, silent: 1 });
  });

  test('whoever has just come is not ended before it could speak', async () => {
    const { open } = await serveFew({ perAddress: 2, silentMs: 60_000 });
    const sockets = [await open(), await open(), await open(), await open()];
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await ended(sockets, 0)).toEqual([]);
  });

  test('behind a proxy they are not counted by address', async () => {
    const { open } = await serveFew({ perAddress: 2 }, 1);
    const sockets = [await open(), await open(), await open(), await open()];
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await ended(sockets, 0)).toEqual([]);
  });

  test('each new one ends the oldest silent one of all, an alarm tells of it, and none beyond the most is taken', async () => {
    const { open, counted } = await serveFew({ crowded: 3, max: 4 });
    const sockets = [await open('127.0.0.2'), await open('127.0.0.1', ASK_LONG), await open(), await open()];
    expect(await ended(sockets, 1)).toEqual([0]);
    sockets.push(await open('127.0.0.3', ASK_LONG), await open('127.0.0.3', ASK_LONG));
    expect(await ended(sockets, 3)).toEqual([0, 2, 3]);
    sockets.push(await open('127.0.0.3', ASK_LONG), await open('127.0.0.4'));
    expect(await ended(sockets, 4)).toEqual([0, 2, 3, 7]);
    expect(await counted('fatura_http_connections')).toEqual({ busy: 4, silent: 0 });
    expect(await counted('fatura_http_connections_ended_total')).toEqual({ address: 0, crowded: 3, full: 1 });
    expect(await counted('fatura_alarms_total')).toMatchObject({ connections_crowded: 1 });
  });
});
