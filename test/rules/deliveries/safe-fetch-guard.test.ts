import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createAddressGuard,
  createConnectors,
  type Dialling,
} from '../../../server/events/deliveries/http/guarded-connector.ts';
import type { Lookup, ResolvedAddress, Sender, SenderOptions } from '../../../server/events/deliveries/http/sender.ts';
import { httpReceiver } from './receivers.ts';
import { checkUrl, delivery, senderTo as lenientSender, trustHooksTest } from './sending.ts';
import { trusted } from './tls-fixture.ts';

const PUBLIC: ResolvedAddress = { address: '192.0.78.9', family: 4 };
const LOOPBACK: ResolvedAddress = { address: '127.0.0.1', family: 4 };

beforeAll(trustHooksTest);

/** A sender with no allowed network, unless told otherwise. */
function senderTo(options: Partial<SenderOptions> = {}): Sender {
  return lenientSender({ allowedNetworks: [], ...options });
}

/** Answers each question with the next list of addresses, the last one for ever. */
function scripted(...answers: ResolvedAddress[][]): Lookup {
  let asked = 0;
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
}

const refused = { ok: false, failure: 'private_address', status: null };

describe('an address inside the network', () => {
  test.each([
    [[LOOPBACK]],
    [[{ address: '10.0.0.1', family: 4 }]],
    [[{ address: '::1', family: 6 }]],
    [[{ address: '::ffff:127.0.0.1', family: 6 }]],
    [[{ address: '64:ff9b::a00:1', family: 6 }]],
    [[PUBLIC, LOOPBACK]], // one bad address refuses a live name whole
    [[{ address: 'fe80::1%eth0', family: 6 }, PUBLIC]],
  ])('is not connected to in live mode when the name resolves to %j', async (addresses) => {
    const sender = senderTo({ lookup: scripted(addresses), allowedNetworks: ['0.0.0.0/0', '::/0'] });
    const detail = expect.stringMatching(/^hooks\.test is outside the public internet \([a-zA-Z0-9]+\)$/);
    expect(await sender.post(delivery('https://hooks.test/', { liveMode: true }))).toMatchObject({
      ...refused,
      detail,
    });
    expect(await checkUrl(sender, 'https://hooks.test/', true)).toEqual({
      ok: false,
      failure: 'private_address',
      detail,
    });
  });

  test('is reached by the sandbox if its network is allowed, and never by live', async () => {
    const receiver = await httpReceiver((_, response) => response.end(), trusted);
    const sender = senderTo({ allowedNetworks: ['127.0.0.0/8'], lookup: scripted([LOOPBACK]) });
    const url = `https://hooks.test:${receiver.port}/`;
    expect(await sender.post(delivery(url, { liveMode: true }))).toMatchObject(refused);
    expect(receiver.connections).toEqual([]);
    expect(await sender.post(delivery(url))).toMatchObject({ ok: true });
    // The connection that the sandbox left open is not lent to live.
    expect(await sender.post(delivery(url, { liveMode: true }))).toMatchObject(refused);
    expect(await sender.post(delivery(`https://127.0.0.1:${receiver.port}/`, { liveMode: true }))).toMatchObject(
      refused,
    );
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.connections).toHaveLength(1);
  });

  test('is left out for the sandbox where a name leads to a permitted one as well', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    const internal = createServer((connection) => connection.destroy());
    onTestFinished(() => void internal.close());
    internal.listen(receiver.port, '127.0.0.2');
    await once(internal, 'listening');
    let reached = 0;
    internal.on('connection', () => reached++);
    const lookup = scripted([{ address: '127.0.0.2', family: 4 }, LOOPBACK]);
    const sender = senderTo({ allowedNetworks: ['127.0.0.1/32'], lookup });
    expect(await sender.post(delivery(`http://hooks.test:${receiver.port}/`))).toMatchObject({ ok: true });
    expect(await checkUrl(sender, `http://hooks.test:${receiver.port}/`, false)).toEqual({ ok: true });
    expect(reached).toBe(0);
  });
});

describe('a name that is bound anew between check and delivery', () => {
  test('is resolved exactly once for each connection, so that the checked address is the one dialled', async () => {
    const receiver = await httpReceiver((_, response) => response.writeHead(200, { connection: 'close' }).end());
    let asked = 0;
    const lookup: Lookup = async () => {
      asked++;
      return [LOOPBACK];
    };
    const sender = senderTo({ allowedNetworks: ['127.0.0.0/8'], lookup });
    for (let i = 0; i < 3; i++) await sender.post(delivery(`http://hooks.test:${receiver.port}/`));
    expect([asked, receiver.connections.length]).toEqual([3, 3]);
  });

  test('is judged again for the new connection of a retry', async () => {
    let connections = 0;
    const receiver = await httpReceiver((request, response) => {
      if (++connections === 1) response.end();
      else request.socket.destroy();
    });
    const sender = senderTo({
      allowedNetworks: ['127.0.0.1/32'],
      lookup: scripted([LOOPBACK], [{ address: '127.0.0.2', family: 4 }]),
    });
    const url = `http://hooks.test:${receiver.port}/`;
    expect(await sender.post(delivery(url))).toMatchObject({ ok: true });
    expect(await sender.post(delivery(url))).toMatchObject(refused);
    expect(receiver.connections).toHaveLength(1);
  });
});

test('a socket that leads inside the network is not used, whatever was resolved', async () => {
  const receiver = await httpReceiver((_, response) => response.end());
  const unchecked = async () => [LOOPBACK];
  const connectorOf = createConnectors({ guard: createAddressGuard([]), resolve: unchecked, liveMode: false });
  const dialling: Dialling = { accountId: 'acct_1', stage: 'resolving', socket: null };
  const target = { hostname: 'hooks.test', protocol: 'http:', port: String(receiver.port) };
  const error = await new Promise((resolve) => connectorOf(dialling)(target, (...[failure]) => resolve(failure)));
  expect(error).toMatchObject({
    name: 'RefusedAddress',
    message: 'hooks.test is outside the public internet (loopback)',
  });
  expect(dialling.stage).not.toBe('open');
  expect(dialling.socket?.destroyed).toBe(true);
});

test('concurrent deliveries to one name ask for its address together', async () => {
  const receiver = await httpReceiver((_, response) => response.end());
  let asked = 0;
  const lookup: Lookup = async () => {
    asked++;
    return new Promise((resolve) => setTimeout(() => resolve([LOOPBACK]), 20));
  };
  const sender = senderTo({ allowedNetworks: ['127.0.0.0/8'], lookup });
  await Promise.all(Array.from({ length: 50 }, () => sender.post(delivery(`http://hooks.test:${receiver.port}/`))));
  expect(asked).toBe(1);
  expect(receiver.requests).toHaveLength(50);
});

describe('a webhook URL', () => {
  test.each([
    ['', false, /must be a URL/],
    ['hooks.test/a', false, /must be a URL/],
    ['http://', false, /must be a URL/],
    ['http://256.0.0.1/', false, /must be a URL/],
    ['http://hooks.test:65536/', false, /must be a URL/],
    [`https://hooks.test/${'x'.repeat(2_048)}`, false, /at most 2048/],
    ['http://hooks.test/', true, /https:\/\/ in live mode/],
    ['ftp://hooks.test/', true, /https:\/\/ in live mode/],
    ['ftp://hooks.test/', false, /https:\/\/ or http:\/\//],
    ['file:///etc/passwd', false, /https:\/\/ or http:\/\//],
    ['https://user@hooks.test/', false, /user name or password/],
    ['https://:secret@hooks.test/', true, /user name or password/],
    ['https://hooks.test:0/', true, /port/],
  ])('like %j (live: %s) is refused', async (url, liveMode, problem) => {
    const sender = senderTo({ lookup: scripted([PUBLIC]) });
    const detail = expect.stringMatching(problem);
    expect(await checkUrl(sender, url, liveMode)).toEqual({ ok: false, failure: 'invalid_url', detail });
    expect(await sender.post(delivery(url, { liveMode }))).toMatchObject({ ok: false, failure: 'connection', detail });
  });

  test.each([
    ['https://hooks.test/a?b=c#d', true],
    ['https://hooks.test:8443/', true],
    ['http://hooks.test/', false],
    ['https://8.8.8.8/', true],
    ['https://[2606:4700:4700::1111]/', true],
    ['http://134744072/', false], // 8.8.8.8
  ])('like %s (live: %s) may be registered', async (url, liveMode) => {
    expect(await checkUrl(senderTo({ lookup: scripted([PUBLIC]) }), url, liveMode)).toEqual({ ok: true });
  });
});
