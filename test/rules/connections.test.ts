import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { countedAddress } from '../../server/http/address.ts';
import { boundConnections } from '../../server/http/connections.ts';

/** More than the buffers of both ends of a connection hold. */
const ANSWER_BYTES = 64 * 1_024 * 1_024;
const STALLED_MS = 200;

async function serve(stalledMs: number): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.end(Buffer.alloc(ANSWER_BYTES)));
  boundConnections(server, stalledMs);
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
