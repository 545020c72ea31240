import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { toFetchHandler, toNodeHandler, unwrap, type WebhookEvent } from '@fatura/sdk/webhooks';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Merchant } from '../../support/api.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventually } from '../../workflows/support.ts';

const scene = new DeliveryScene();
const DAY = 86_400;

interface Wire {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An endpoint whose receiver keeps each delivery as it came over the wire. */
async function anEndpoint(shop?: Merchant) {
  const { fatura } = shop ?? (await scene.api.newMerchant());
  const received: Wire[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: String(await buffer(request)) });
    response.end();
  });
  const url = await urlOf(server);
  const { id, secret = '' } = await fatura.webhookEndpoints.create({ url, event_types: ['product.created'] });
  const rotate = async () => (await fatura.webhookEndpoints.rotateSecret(id)).secret ?? '';
  /** The next delivery: a test of the endpoint. */
  const sent = async (): Promise<Wire> => {
    expect(await fatura.webhookEndpoints.test(id)).toMatchObject({ delivered: true });
    const last = received.at(-1);
    if (last === undefined) throw new Error('it was accepted by nobody');
    return last;
  };
  return { endpoints: fatura.webhookEndpoints, id, secret, rotate, sent, received };
}

async function urlOf(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((done) => server.close(() => done()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // a TCP server has a port
}

/** Which of some secrets a delivery is believed with, by the published library and by our client, which must agree. */
async function believedWith({ headers, body }: Wire, secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const believed: string[] = [];
  for (const [name, secret] of Object.entries(secrets)) {
    const byOurs = await unwrap(body, headers, { secrets: secret }).then(
      ({ type }) => type,
      (error) => error.code,
    );
    let byTheirs = 'SIGNATURE_MISMATCH';
    try {
      byTheirs = (new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent).type;
    } catch {}
    expect(byOurs).toBe(byTheirs);
    if (byOurs !== 'SIGNATURE_MISMATCH') believed.push(name);
  }
  return believed;
}

describe('a secret that is rotated', () => {
  test('signs beside the former one for 24 hours, and then alone', async () => {
    const { endpoints, id, secret: first, rotate, sent } = await anEndpoint();
    const before = await believedWith(await sent(), { first });
    const second = await rotate();
    expect(second).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(await endpoints.retrieve(id)).not.toHaveProperty('secret');
    const known = { first, second };
    const at: Record<string, string[]> = { before, 'at once': await believedWith(await sent(), known) };
    scene.api.clock.advance(DAY - 1);
    at['after 23:59:59'] = await believedWith(await sent(), known);
    scene.api.clock.advance(1);
    at['after 24 hours'] = await believedWith(await sent(), known);
    scene.api.clock.advance(2 * DAY);
    at['days later'] = await believedWith(await sent(), known);
    expect(at).toEqual({
      before: ['first'],
      'at once': ['first', 'second'],
      'after 23:59:59': ['first', 'second'],
      'after 24 hours': ['second'],
      'days later': ['second'],
    });
  });

  test('again within the 24 hours ends the older of the two', async () => {
    const { secret: first, rotate, sent } = await anEndpoint();
    const second = await rotate();
    scene.api.clock.advance(DAY / 2);
    const third = await rotate();
    const known = { first, second, third };
    const at: Record<string, string[]> = { 'at once': await believedWith(await sent(), known) };
    scene.api.clock.advance(DAY / 2);
    at['24 hours after the first rotation'] = await believedWith(await sent(), known);
    scene.api.clock.advance(DAY / 2 - 1);
    at['a second before the end of the other'] = await believedWith(await sent(), known);
    scene.api.clock.advance(1);
    at['24 hours after the second'] = await believedWith(await sent(), known);
    const fourth = await rotate();
    at['at a third'] = await believedWith(await sent(), { ...known, fourth });
    expect(at).toEqual({
      'at once': ['second', 'third'],
      '24 hours after the first rotation': ['second', 'third'],
      'a second before the end of the other': ['second', 'third'],
      '24 hours after the second': ['third'],
      'at a third': ['third', 'fourth'],
    });
  });

  test('ten times in a row leaves two', async () => {
    const { secret, rotate, sent } = await anEndpoint();
    const secrets = [secret];
    for (let times = 0; times < 10; times += 1) secrets.push(await rotate());
    expect(new Set(secrets).size).toBe(11);
    const known = Object.fromEntries(secrets.map((made, i) => [`${i}`, made]));
    expect(await believedWith(await sent(), known)).toEqual(['9', '10']);
  });

  test('signs what happened before it too', async () => {
    const shop = await scene.api.newMerchant();
    const { secret: first, rotate, received } = await anEndpoint(shop);
    const event = await scene.productEvent(shop);
    const second = await rotate();
    scene.deliver();
    await eventually('the delivery', async () => received.length === 1);
    const [wire] = received;
    expect(wire?.headers['webhook-id']).toBe(event);
    if (wire !== undefined) expect(await believedWith(wire, { first, second })).toEqual(['first', 'second']);
  });

  test('belongs to its endpoint alone', async () => {
    const shop = await scene.api.newMerchant();
    const [one, other] = [await anEndpoint(shop), await anEndpoint(shop)];
    const rotated = await one.rotate();
    const known = { one: one.secret, rotated, other: other.secret };
    expect(await believedWith(await other.sent(), known)).toEqual(['other']);
    expect(await believedWith(await one.sent(), known)).toEqual(['one', 'rotated']);
  });

  test('is sealed in the database, and replayed under its key', async () => {
    const { endpoints, id } = await anEndpoint();
    const rotated = await endpoints.rotateSecret(id, { idempotencyKey: id });
    expect(await endpoints.rotateSecret(id, { idempotencyKey: id })).toEqual(rotated);
    const { rows } = await scene.pool.query(
      'SELECT w.*, k.answer FROM webhook_endpoint w, idempotency_key k WHERE w.id = $1',
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain(rotated.secret);
  });
});

describe('a test of an endpoint', () => {
  test('is believed as it comes over the wire, and in no byte otherwise', async () => {
    const { id, secret, sent, endpoints } = await anEndpoint();
    const { headers, body } = await sent();
    const event = await unwrap(body, headers, { secrets: secret });
    expect(event).toEqual({
      id: headers['webhook-id'],
      object: 'event',
      type: 'webhook.test',
      created: scene.api.clock.now(),
      live_mode: false,
      data: { object: null },
      known: true,
    });
    expect((await endpoints.test(id)).event).not.toBe(event.id);
    for (let at = 0; at < body.length; at += 1) {
      const changed = `${body.slice(0, at)}${body[at] === 'x' ? 'y' : 'x'}${body.slice(at + 1)}`;
      expect(await believedWith({ headers, body: changed }, { secret })).toEqual([]);
    }
  });

  test.each([
    ['Node', (options: Parameters<typeof toNodeHandler>[0]) => createServer(toNodeHandler(options))],
    [
      'fetch',
      (options: Parameters<typeof toNodeHandler>[0]) => {
        const handler = toFetchHandler(options);
        return createServer(async (request, response) => {
          const headers = new Headers(request.headers as Record<string, string>);
          const body = new Uint8Array(await buffer(request));
          const answer = await handler(new Request('http://loja.test/hook', { method: 'POST', headers, body }));
          response.writeHead(answer.status).end(await answer.text());
        });
      },
    ],
  ])('reaches the ready handler of %s, which knows either secret of a rotation', async (_, serverOf) => {
    const { fatura } = await scene.api.newMerchant();
    const received: string[] = [];
    const options = {
      // Each test puts others in its place.
      secrets: [`whsec_${'A'.repeat(32)}`],
      onEvent: ({ id }: WebhookEvent) => void received.push(id),
      onError: () => {},
    };
    const url = await urlOf(serverOf(options));
    const { id, secret: first = '' } = await fatura.webhookEndpoints.create({ url, event_types: ['*'] });
    const { secret: second = '' } = await fatura.webhookEndpoints.rotateSecret(id);
    const { secret: third = '' } = await fatura.webhookEndpoints.rotateSecret(id);
    const tested = async (...secrets: string[]) => {
      options.secrets.splice(0, Number.POSITIVE_INFINITY, ...secrets);
      const { delivered, status_code, answer } = await fatura.webhookEndpoints.test(id);
      return [delivered, status_code, answer];
    };
    expect(await tested(third)).toEqual([true, 200, null]);
    expect(await tested(second)).toEqual([true, 200, null]);
    expect(await tested(second, third)).toEqual([true, 200, null]);
    expect(await tested(first)).toEqual([false, 400, 'SIGNATURE_MISMATCH']);
    expect(await tested('secret')).toEqual([false, 500, null]);
    expect(received).toHaveLength(3);
  });
});
