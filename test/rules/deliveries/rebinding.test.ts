import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Sender, SendResult } from '../../../server/events/deliveries/http/sender.ts';
import { type AddressType, inTurn, type NameRecords, nameServer, RCODE } from './name-server.ts';
import { httpReceiver, type Receiver } from './receivers.ts';
import { checkUrl, delivery, opened, senderTo, timed } from './sending.ts';

/** Stands for the public internet: the one address that these senders may reach. */
const PUBLIC = '127.0.0.1';
/** Stand for the inside: they are of this machine too, so that a slip would be heard. */
const INSIDE = '127.0.0.2';
const INSIDE_IPV6 = '::1';

/** A receiver at the public address, and listeners inside at the same port. */
async function withCanaries(answer: Parameters<typeof httpReceiver>[0] = (_, response) => response.end()) {
  const receiver = await httpReceiver(answer);
  let heard = 0;
  for (const address of [INSIDE, INSIDE_IPV6]) {
    const canary = createServer((connection) => {
      heard += 1;
      connection.destroy();
    }).listen(receiver.port, address);
    // A machine may have no IPv6.
    await Promise.race([once(canary, 'listening'), once(canary, 'error')]);
    onTestFinished(() => void canary.close());
  }
  return { receiver, heard: () => heard };
}

type Answer = (type: AddressType) => readonly string[] | NameRecords | null;
type Answers = readonly [Answer, ...Answer[]];

/** A sender whose name server gives the first look-up of a name the first answer, the next the next, the last for ever. */
async function senderBy(answers: Answers, options: Parameters<typeof senderTo>[0] = {}) {
  const turn = inTurn(answers);
  const server = await nameServer((_, type) => turn(type)(type));
  const sender = senderTo({ nameServers: [server.address], allowedNetworks: [`${PUBLIC}/32`], ...options });
  return { sender, server };
}

const none: NameRecords = { addresses: [] };
const only =
  (address: string, records: NameRecords = {}): Answer =>
  (type) =>
    (type === 'A') === !address.includes(':') ? { ...records, addresses: [address] } : none;
const both =
  (ipv4: string, ipv6: string): Answer =>
  (type) => ({ addresses: [type === 'A' ? ipv4 : ipv6] });

const fateOf = (result: SendResult): string => (result.ok ? 'delivered' : result.failure);
const urlOf = ({ port }: Receiver, scheme = 'http'): string => `${scheme}://loja.test:${port}/hook`;

/** What becomes of a URL of the name at its creation and at a delivery, in one mode. */
async function fatesIn(sender: Sender, receiver: Receiver, liveMode: boolean): Promise<string[]> {
  const url = urlOf(receiver, liveMode ? 'https' : 'http');
  const checked = await checkUrl(sender, url, liveMode);
  const sent = await sender.post(delivery(url, { liveMode, timeoutMs: 2_000 }));
  return ['failure' in checked ? String(checked.failure) : 'ok', fateOf(sent)];
}

describe('a name of a real name server', () => {
  const PRIVATE = ['private_address', 'private_address'];
  const DNS = ['dns', 'dns'];

  test.each<[name: string, answers: Answers, sandbox: string[], live: string[]]>([
    ['that is public at first and private then', [only(PUBLIC), only(INSIDE)], ['ok', 'private_address'], PRIVATE],
    ['that is private', [only(INSIDE)], PRIVATE, PRIVATE],
    ['that is private in IPv6', [only(INSIDE_IPV6)], PRIVATE, PRIVATE],
    ['that is private in IPv6 and public in IPv4', [both(PUBLIC, INSIDE_IPV6)], ['ok', 'delivered'], PRIVATE],
    ['that is mapped into IPv6', [only(`::ffff:${INSIDE}`)], PRIVATE, PRIVATE],
    ['that is translated to IPv6', [only('64:ff9b::7f00:2')], PRIVATE, PRIVATE],
    ['that is a local address of a link', [only('fe80::1')], PRIVATE, PRIVATE],
    [
      'that has a public address among private ones',
      [() => [INSIDE, PUBLIC, '10.0.0.1']],
      ['ok', 'delivered'],
      PRIVATE,
    ],
    ['that stands for a private one', [only(INSIDE, { cname: 'inside.test' })], PRIVATE, PRIVATE],
    ['that stands for this machine', [() => ({ cname: 'localhost' })], DNS, DNS],
    ['that is to be kept for a day', [only(PUBLIC, { ttl: 86_400 }), only(INSIDE)], ['ok', 'private_address'], PRIVATE],
    ['that is not to be kept', [only(PUBLIC, { ttl: 0 }), only(INSIDE)], ['ok', 'private_address'], PRIVATE],
    ['whose answer takes TCP', [only(INSIDE, { byTcp: true })], PRIVATE, PRIVATE],
    ['that is nothing', [() => ['0.0.0.0']], PRIVATE, PRIVATE],
    ['that is everybody', [() => ['255.255.255.255']], PRIVATE, PRIVATE],
    ['that does not exist', [() => []], DNS, DNS],
    ['that has no address', [() => none], DNS, DNS],
    ['whose server fails', [() => ({ rcode: RCODE.serverFailure })], DNS, DNS],
    ['whose server refuses', [() => ({ rcode: RCODE.refused })], DNS, DNS],
    ['whose server is silent', [() => null], DNS, DNS],
  ])('%s', async (_, answers, sandbox, live) => {
    const { receiver, heard } = await withCanaries();
    const inMode = async (liveMode: boolean) => {
      const { sender } = await senderBy(answers, { connectTimeoutMs: 400 });
      return fatesIn(sender, receiver, liveMode);
    };
    // To live mode the address that stands for a public one is of this machine like the others.
    expect({ sandbox: await inMode(false), live: await inMode(true) }).toEqual({ sandbox, live });
    expect(heard()).toBe(0);
  });

  test('with one private address among public ones is refused whole in live mode', async () => {
    const { receiver, heard } = await withCanaries();
    const { sender } = await senderBy([
      (type) => (type === 'A' ? ['8.8.8.8', INSIDE, '1.1.1.1'] : ['2606:4700::1111']),
    ]);
    expect(await fatesIn(sender, receiver, true)).toEqual(PRIVATE);
    expect(heard()).toBe(0);
  });

  test('is asked anew for every connection, however long it may be kept', async () => {
    const { receiver, heard } = await withCanaries((_, response) =>
      response.writeHead(200, { connection: 'close' }).end(),
    );
    const { sender, server } = await senderBy([
      only(PUBLIC, { ttl: 86_400 }),
      only(PUBLIC),
      only(INSIDE),
      only(PUBLIC),
    ]);
    const fates: string[] = [];
    for (let i = 0; i < 4; i++) fates.push(fateOf(await sender.post(delivery(urlOf(receiver)))));
    expect(fates).toEqual(['delivered', 'delivered', 'private_address', 'delivered']);
    expect(server.asked).toEqual(Array(8).fill('loja.test'));
    expect(heard()).toBe(0);
  });

  test('is left where it was by a connection that is kept', async () => {
    const { receiver, heard } = await withCanaries();
    const { sender } = await senderBy([only(PUBLIC), only(INSIDE)]);
    for (let i = 0; i < 3; i++) expect(fateOf(await sender.post(delivery(urlOf(receiver))))).toBe('delivered');
    expect(receiver.connections).toHaveLength(1);
    receiver.connections[0]?.destroy();
    await opened(receiver, 0);
    expect(fateOf(await sender.post(delivery(urlOf(receiver))))).toBe('private_address');
    expect(heard()).toBe(0);
  });

  test('whose server is silent is given up at the connect timeout, and told as such', async () => {
    const { receiver } = await withCanaries();
    const { sender } = await senderBy([() => null], { connectTimeoutMs: 300 });
    const { result, tookMs } = await timed(() => sender.post(delivery(urlOf(receiver))));
    expect(result).toMatchObject({ failure: 'dns', detail: 'loja.test did not resolve within 300 ms' });
    expect(tookMs).toBeLessThan(2_000);
  });
});

describe('a redirect', () => {
  test('is not followed inside, whatever its status and however its target is written', async () => {
    const { receiver, heard } = await withCanaries((request, response) => {
      const [status = '', location = ''] = decodeURIComponent(request.url?.slice(1) ?? '').split(' ');
      response.writeHead(Number(status), { location, refresh: `0; url=${location}`, link: `<${location}>` }).end();
    });
    const targets = [INSIDE, '127.2', '0x7f000002', `[${INSIDE_IPV6}]`].map(
      (host) => `http://${host}:${receiver.port}/`,
    );
    const locations = [...targets, `//${INSIDE}:${receiver.port}/`, 'http://169.254.169.254/latest/meta-data', '/hook'];
    const { sender } = await senderBy([only(PUBLIC)]);
    for (const status of [300, 301, 302, 303, 304, 305, 306, 307, 308, 399]) {
      for (const location of locations) {
        const url = `http://loja.test:${receiver.port}/${encodeURIComponent(`${status} ${location}`)}`;
        const sent = await sender.post(delivery(url));
        expect(sent).toMatchObject({ ok: false, failure: 'redirect_refused', status, detail: `HTTP ${status}` });
      }
    }
    expect(receiver.requests).toHaveLength(10 * locations.length);
    expect(heard()).toBe(0);
  });
});
