import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAddressGuard } from '../../../server/events/deliveries/http/guarded-connector.ts';
import type { Lookup, Sender } from '../../../server/events/deliveries/http/sender.ts';
import { checkUrl, delivery, senderTo } from './sending.ts';
import { publicNeighbours, specialAddresses } from './special-addresses.ts';
import { type Spelled, spellingsOf } from './spellings.ts';

/** A listener at every address of this machine that must never be reached. */
async function canary(): Promise<{ port: number; connections: Socket[] }> {
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.on('error', () => {});
    connection.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  server.listen(0); // of both families where the machine has both
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const connection of connections) connection.destroy();
  });
  return { port: (server.address() as AddressInfo).port, connections }; // a TCP server has one
}

/** What becomes of a URL, in the words of the table: at its creation, and when a delivery is sent there all the same. */
async function fateOf(sender: Sender, url: string, liveMode: boolean): Promise<string[]> {
  const checked = await checkUrl(sender, url, liveMode);
  const sent = await sender.post(delivery(url, { liveMode, timeoutMs: 20_000 }));
  const failure = sent.ok
    ? 'delivered'
    : sent.failure === 'connection' && sent.durationMs === 0
      ? sent.detail
      : sent.failure;
  return ['failure' in checked ? String(checked.failure) : 'ok', failure.replace(/^the URL .*/, 'invalid_url')];
}

const URLS: readonly [scheme: string, liveMode: boolean][] = [
  ['http', false],
  ['https', false],
  ['https', true],
];
const BATCH = 200;

async function* fatesOf(sender: Sender, rows: readonly Spelled[]) {
  const urls = rows.flatMap((row) =>
    URLS.map(([scheme, liveMode]) => ({ ...row, liveMode, url: `${scheme}://${row.authority}/hook` })),
  );
  for (let at = 0; at < urls.length; at += BATCH) {
    const batch = urls.slice(at, at + BATCH);
    const fates = await Promise.all(batch.map(({ url, liveMode }) => fateOf(sender, url, liveMode)));
    yield* batch.map((row, i) => ({ ...row, fates: fates[i] ?? [] }));
  }
}

/** No spelling of an address may be taken for a name that somebody could have. */
const nobody: Lookup = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

describe('an address inside the network', () => {
  const guard = createAddressGuard([]);

  test('is refused whichever of all those it is', () => {
    expect(specialAddresses.length).toBeGreaterThan(400);
    expect(
      specialAddresses.filter((address) => guard(address, false) === null || guard(address, true) === null),
    ).toEqual([]);
  });

  test('begins no sooner than its network and ends no later', () => {
    const neighbours = publicNeighbours();
    expect(neighbours.length).toBeGreaterThan(20);
    expect(neighbours.filter((address) => guard(address, true) !== null)).toEqual([]);
  });

  test('is refused at creation and at delivery in every spelling, and nothing there hears of it', async () => {
    const { port, connections } = await canary();
    const rows = specialAddresses.flatMap((address) => spellingsOf(address, port));
    const of = Map.groupBy(rows, ({ name }) => name.split(' ')[0]).values();
    expect(Math.min(...of.map((spellings) => spellings.length))).toBeGreaterThanOrEqual(12);
    const otherwise: unknown[] = [];
    for await (const { name, url, liveMode, verdict, fates } of fatesOf(
      senderTo({ allowedNetworks: [], lookup: nobody }),
      rows,
    )) {
      if (fates.some((fate) => fate !== verdict)) otherwise.push({ name, url, liveMode, fates });
    }
    expect(otherwise).toEqual([]);
    expect(connections).toEqual([]);
  });

  test('would be heard of: what is allowed is reached in every spelling that leads there', async () => {
    const { port, connections } = await canary();
    const rows = spellingsOf('127.0.0.1', port).filter(({ name }) => !/default|translated/.test(name));
    const sender = senderTo({ allowedNetworks: ['127.0.0.0/8'], lookup: nobody });
    const reached: string[] = [];
    for await (const { name, url, fates } of fatesOf(sender, rows)) {
      if (url.startsWith('http:') && fates[1] === 'delivered') reached.push(name);
    }
    expect(reached).toEqual(rows.filter(({ verdict }) => verdict === 'private_address').map(({ name }) => name));
    expect(connections.length).toBeGreaterThanOrEqual(reached.length);
  });
});
