import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { DeliveryAttempt } from '@fatura/sdk';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AddressType, inTurn, nameServer } from '../../rules/deliveries/name-server.ts';
import { specialAddresses } from '../../rules/deliveries/special-addresses.ts';
import { spellingsOf } from '../../rules/deliveries/spellings.ts';
import type { Merchant } from '../../support/api.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventually } from '../../workflows/support.ts';
import { refusalOf, send } from '../requests.ts';

/** Stands for the public internet; whatever else is of this machine stands for the inside. */
const PUBLIC = '127.0.0.1';
const INSIDE = '127.0.0.2';

type Addresses = readonly string[];

/** What the name server says of a name: the first answer at its creation, and the last ever after. */
const names = new Map<string, (type: AddressType) => Addresses>();

const scene = new DeliveryScene(async () => {
  const server = await nameServer((name, type) => {
    const addresses = names.get(name)?.(type) ?? [];
    const ofType = addresses.filter((address) => (type === 'AAAA') === address.includes(':'));
    return addresses.length === 0 ? [] : { addresses: ofType };
  }, afterAll);
  return { webhookNameServers: [server.address], webhookAllowedNetworks: [`${PUBLIC}/32`] };
});

const create = (
  url: string,
  { key, method = 'POST', path = '/webhook_endpoints' }: { key: string; method?: string; path?: string },
) =>
  send(scene.api, {
    method,
    path,
    key,
    body: { webhook_endpoint: method === 'POST' ? { url, event_types: ['product.created'] } : { url } },
  });

/** Listens inside, and counts who comes. */
async function canaryAt(port: number): Promise<() => number> {
  let heard = 0;
  const server = createTcpServer((connection) => {
    heard += 1;
    connection.destroy();
  }).listen(port, INSIDE);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return () => heard;
}

async function publicReceiver(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, PUBLIC);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // a TCP server has one
}

describe('an endpoint inside the network', () => {
  test('is not registered, in whatever spelling, and nothing of it is kept', async () => {
    const shop = await scene.api.newMerchant();
    const rows = specialAddresses
      .flatMap((address) => spellingsOf(address, 8_080))
      .filter(({ verdict }, nth) => nth % 97 === 0 && verdict !== 'dns');
    expect(rows.length).toBeGreaterThan(80);
    const otherwise: unknown[] = [];
    for (const { name, authority, verdict } of rows) {
      for (const [key, scheme] of [
        [shop.sandboxKey, 'http'],
        [shop.liveKey, 'https'],
      ] as const) {
        const url = `${scheme}://${authority}/hook`;
        const { status, code, param } = refusalOf(await create(url, { key }));
        const expected = verdict === 'invalid_url' ? '400 PARAMETER_INVALID' : '422 WEBHOOK_URL_REFUSED';
        if (`${status} ${code} ${param}` !== `${expected} webhook_endpoint.url`) {
          otherwise.push({ name, url, status, code, param });
        }
      }
    }
    expect(otherwise).toEqual([]);
    expect((await shop.fatura.webhookEndpoints.list().page()).data).toEqual([]);
    expect((await shop.live.webhookEndpoints.list().page()).data).toEqual([]);
  });

  test('is not moved to either', async () => {
    const shop = await scene.api.newMerchant();
    const port = await publicReceiver((_, response) => response.end());
    const { id, url } = await shop.fatura.webhookEndpoints.create({
      url: `http://${PUBLIC}:${port}/`,
      event_types: ['*'],
    });
    for (const inside of ['http://127.0.0.2/', 'http://0x7f000002/', 'http://[::1]/', 'http://169.254.169.254/']) {
      const answer = await create(inside, { key: shop.sandboxKey, method: 'PATCH', path: `/webhook_endpoints/${id}` });
      expect(refusalOf(answer)).toMatchObject({ status: 422, code: 'WEBHOOK_URL_REFUSED' });
    }
    expect((await shop.fatura.webhookEndpoints.retrieve(id)).url).toBe(url);
  });
});

describe('a name', () => {
  test.each([
    ['inside.test', [INSIDE], 'loopback'],
    ['metadata.test', ['169.254.169.254'], 'linkLocal'],
    ['private.test', ['10.1.2.3'], 'private'],
    ['unique-local.test', ['fd00:ec2::254'], 'uniqueLocal'],
  ])('%s that leads inside is refused by the kind of its address, which is not told', async (name, addresses, kind) => {
    const shop = await scene.api.newMerchant();
    names.set(name, () => addresses);
    for (const [key, scheme] of [
      [shop.sandboxKey, 'http'],
      [shop.liveKey, 'https'],
    ] as const) {
      const answer = await create(`${scheme}://${name}/hook`, { key });
      expect(refusalOf(answer)).toMatchObject({
        status: 422,
        code: 'WEBHOOK_URL_REFUSED',
        param: 'webhook_endpoint.url',
      });
      expect(JSON.stringify(answer.body)).toContain(`${name} is outside the public internet (${kind})`);
      expect(JSON.stringify(answer.body)).not.toContain(addresses[0]);
    }
    expect((await shop.fatura.webhookEndpoints.list().page()).data).toEqual([]);
  });

  test('that does not resolve is taken, and so is one that leads outside', async () => {
    const shop = await scene.api.newMerchant();
    names.set('outside.test', () => [PUBLIC]);
    for (const name of ['nowhere.test', 'outside.test']) {
      expect((await create(`http://${name}/hook`, { key: shop.sandboxKey })).status).toBe(201);
    }
  });
});

/** What the list of deliveries says of the first attempt at an endpoint. */
const attemptAt = (shop: Merchant, id: string): Promise<DeliveryAttempt> =>
  eventually(`an attempt at ${id}`, async () => {
    const { data } = await shop.fatura.webhookEndpoints.deliveries(id).page();
    return data[0]?.ladders.data[0]?.attempts[0];
  });

test('what moved inside since, or leads there, is told in the deliveries, and nobody there hears of it', async () => {
  const shop = await scene.api.newMerchant();
  const port = await publicReceiver(({ url = '' }, response) => {
    response.writeHead(Number(url.slice(1)), { location: `http://${INSIDE}:${port}/` }).end('go there');
  });
  const heard = await canaryAt(port);
  const moved = { status_code: null, answer: null };
  const rows: [name: string, path: string, answers: [Addresses, ...Addresses[]], attempt: object][] = [
    [
      'rebound.test',
      '200',
      [[PUBLIC], [INSIDE]],
      { ...moved, failure: 'private_address', detail: 'rebound.test is outside the public internet (loopback)' },
    ],
    [
      'other-family.test',
      '200',
      [[PUBLIC], ['::ffff:127.0.0.2', 'fd00:ec2::254']],
      { ...moved, failure: 'private_address', detail: 'other-family.test is outside the public internet (loopback)' },
    ],
    [
      'vanished.test',
      '200',
      [[PUBLIC], []],
      { ...moved, failure: 'dns', detail: 'vanished.test does not resolve: ENOTFOUND' },
    ],
    [
      'found.test',
      '302',
      [[PUBLIC]],
      { status_code: 302, failure: 'redirect_refused', detail: 'HTTP 302', answer: 'go there' },
    ],
    [
      'among-others.test',
      '308',
      [[PUBLIC], [INSIDE, PUBLIC, '10.0.0.1']],
      { status_code: 308, failure: 'redirect_refused', detail: 'HTTP 308', answer: 'go there' },
    ],
  ];
  const ids: string[] = [];
  for (const [name, path, answers] of rows) {
    names.set(name, inTurn(answers));
    const url = `http://${name}:${port}/${path}`;
    ids.push((await shop.fatura.webhookEndpoints.create({ url, event_types: ['product.created'] })).id);
  }
  await scene.productEvent(shop);
  scene.deliver();
  const made = { attempt: 1, at: scene.api.clock.now(), duration_ms: expect.any(Number) };
  for (const [i, [, , , attempt]] of rows.entries()) {
    expect(await attemptAt(shop, ids[i] ?? '')).toEqual({ ...made, ...attempt });
  }
  expect(await shop.fatura.webhookEndpoints.test(ids[0] ?? '')).toMatchObject({
    delivered: false,
    failure: 'private_address',
    status_code: null,
    detail: 'rebound.test is outside the public internet (loopback)',
  });
  expect(heard()).toBe(0);
});
