import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { startServer } from '../../support/server-process.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const pathOf = (invoice: string): string =>
  new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false })).pathname;

/** A stream as a browser reads it. */
async function watch(invoice: string, baseUrl: string = api.baseUrl) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${baseUrl}${pathOf(invoice)}/events`, { signal: leaving.signal });
  const standings: string[] = [];
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data !== undefined) standings.push(JSON.parse(data).standing);
      }
    }
  };
  const ended = read().catch(() => {});
  return { response, standings, ended, leave: () => leaving.abort() };
}

test('a stream tells how the purchase stands, what becomes of it, and ends with that', async () => {
  const { id } = await newInvoice(shop);
  const stream = await watch(id);
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
  await expect.poll(() => stream.standings.length).toBeGreaterThan(0);
  await payByCard(shop, id);
  await stream.ended;
  expect(new Set(stream.standings)).toEqual(new Set(['payable', 'paid']));
  expect(stream.standings.at(-1)).toBe('paid');
});

test('nothing is told of a purchase that stands as before', async () => {
  const { id } = await newInvoice(shop);
  const stream = await watch(id);
  await sleep(2_500);
  const told = stream.standings.length;
  await sleep(2_500);
  expect(stream.standings).toHaveLength(told);
});

test('a purchase of which nothing more becomes has no stream', async () => {
  const { id } = await newInvoice(shop);
  await shop.fatura.invoices.void(id);
  const { response } = await watch(id);
  expect(response.status).toBe(204);
});

test('a link has so many streams and no more, and one that left makes room', async () => {
  const { id } = await newInvoice(shop);
  const streams = await Promise.all(Array.from({ length: 10 }, () => watch(id)));
  expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect((await watch(id)).response.status).toBe(503);
  const other = await newInvoice(shop);
  expect((await watch(other.id)).response.status).toBe(200);
  streams[0]?.leave();
  await expect.poll(async () => (await watch(id)).response.status).toBe(200);
});

test('one statement twice a second looks at all purchases that are watched', async () => {
  const invoices = await Promise.all(Array.from({ length: 5 }, () => newInvoice(shop)));
  await Promise.all(invoices.map(({ id }) => watch(id)));
  const queries = vi.spyOn(api.composition.deps.pool, 'query');
  onTestFinished(() => queries.mockRestore());
  await sleep(3_000);
  const looks = queries.mock.calls
    .map(([query]) => query as unknown as { name: string; values: unknown[] })
    .filter(({ name }) => name === 'read_bill_versions');
  expect(looks.length).toBeGreaterThan(0);
  expect(looks.length).toBeLessThanOrEqual(6);
  expect(looks.at(-1)?.values.flat()).toEqual(expect.arrayContaining(invoices.map(({ id }) => id)));
});

test('the length of a stream is no latency', async () => {
  const { id } = await newInvoice(shop);
  const before = await latency();
  const stream = await watch(id);
  await sleep(1_500);
  stream.leave();
  await stream.ended;
  const after = await latency();
  expect(after.count).toBe(before.count + 1);
  expect(after.sum - before.sum).toBeLessThan(1);
});

async function latency(): Promise<{ count: number; sum: number }> {
  const text = await (await fetch(`${api.baseUrl}/metrics`)).text();
  const figure = (name: string) =>
    Number(
      new RegExp(
        `^fatura_http_request_seconds_${name}\\{method="GET",route="/pay/:invoice/:signature/events",status="200"\\} (.*)$`,
        'm',
      ).exec(text)?.[1] ?? 0,
    );
  return { count: figure('count'), sum: figure('sum') };
}

test('a process that is told to stop ends its streams and is gone within five seconds', async () => {
  const server = await startServer(api);
  onTestFinished(() => server.kill9());
  const { id } = await newInvoice(shop);
  const stream = await watch(id, server.baseUrl);
  expect(stream.response.status).toBe(200);
  const { code, ms } = await server.stop();
  await stream.ended;
  expect(code).toBe(0);
  expect(ms).toBeLessThan(5_000);
});

/** The way to a database that is slow to answer who is new. */
async function slowly(databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl);
  const proxy = createServer(async (socket) => {
    socket.on('error', () => {});
    await sleep(700);
    const database = connect(Number(port), hostname).on('error', () => socket.destroy());
    socket.pipe(database).pipe(socket);
  });
  onTestFinished(() => void proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const slow = new URL(databaseUrl);
  slow.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return slow.href;
}

test('a buyer who comes first to a process that begins is not refused for want of its keys', async () => {
  const server = await startServer({ ...api, databaseUrl: await slowly(api.databaseUrl) });
  onTestFinished(() => server.kill9());
  const { id } = await newInvoice(shop);
  const { response } = await watch(id, server.baseUrl);
  expect(response.status).toBe(200);
});
