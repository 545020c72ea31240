import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealTimeApi, sdkFor, startRealTimeApi } from '../support/api.ts';
import { cards, payByCard } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const CLIENTS = 12;
const TIMES = 10;
const WARM_UP_MS = 300;
const THINK_MAX_MS = 40;
const TEST_MS = 60_000;

let api: RealTimeApi;
/** Each client is a merchant of its own, so that none is told to wait for another. */
let keys: readonly string[];
beforeAll(async () => {
  api = await startRealTimeApi();
  const merchants = await Promise.all(Array.from({ length: CLIENTS }, () => api.newMerchant()));
  keys = merchants.map(({ sandboxKey }) => sandboxKey);
});
afterAll(() => api.stop());

interface Asked {
  readonly server: ServerProcess;
  readonly agent: Agent;
  readonly key?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** One request on a connection that is kept alive, and the status of its whole answer. */
async function ask({ server, agent, key, method, path, body }: Asked): Promise<number> {
  const headers = { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json' };
  const sent = request(server.baseUrl + path, { agent, method, headers });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await text(answer);
  return answer.statusCode ?? 0;
}

type Outcome = { readonly answered: number; readonly failed: readonly unknown[]; readonly isRefused: boolean };

/** Asks one thing after the other, every second one a POST, until told to stop or until nobody listens any more. */
async function client(server: ServerProcess, key: string, isOver: () => boolean): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const failed: unknown[] = [];
  let answered = 0;
  let isRefused = false;
  for (let nth = 0; !isRefused && !isOver(); nth += 1) {
    const write = { method: 'POST', path: '/api/v1/products', body: { product: { name: 'Plano' } } };
    const asked = nth % 2 === 0 ? write : { method: 'GET', path: '/api/v1/products?limit=1' };
    const status = await ask({ server, agent, key, ...asked }).catch(({ code }) => code);
    if (status === 'ECONNREFUSED') isRefused = true;
    else if (status === 200 || status === 201) answered += 1;
    else failed.push(status);
    await sleep(Math.random() * THINK_MAX_MS);
  }
  agent.destroy();
  return { answered, failed, isRefused };
}

/** Whether a balancer still sends requests to a process; it looks ten times a second. */
function balancer(server: ServerProcess): { isOut: () => boolean; stop: () => void } {
  let isOut = false;
  const look = setInterval(async () => {
    const status = await fetch(`${server.baseUrl}/readyz`).then(
      (answer) => answer.text(),
      () => 'gone',
    );
    isOut ||= status.includes('draining') || status === 'gone';
  }, 100);
  return { isOut: () => isOut, stop: () => clearInterval(look) };
}

const start = (): Promise<ServerProcess> => startServer({ ...api, settings: { DRAIN_SECONDS: '1' } });

test.each(Array.from({ length: TIMES }, (_, index) => index + 1))(
  'the end of a process breaks no connection of 12 clients that ask until nobody listens (%i)',
  async () => {
    const server = await start();
    const clients = keys.map((key) => client(server, key, () => false));
    await sleep(WARM_UP_MS);
    const { code } = await server.stop();
    const outcomes = await Promise.all(clients);
    expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
    expect(Math.min(...outcomes.map(({ answered }) => answered))).toBeGreaterThan(0);
    expect(code).toBe(0);
  },
  TEST_MS,
);

test(
  'behind a balancer that looks whether the process is ready, none of them is refused either',
  async () => {
    const server = await start();
    const { isOut, stop } = balancer(server);
    const clients = keys.map((key) => client(server, key, isOut));
    await sleep(WARM_UP_MS);
    const stopped = server.stop();
    const outcomes = await Promise.all(clients);
    stop();
    expect(outcomes).toEqual(clients.map(() => ({ answered: expect.any(Number), failed: [], isRefused: false })));
    expect((await stopped).code).toBe(0);
  },
  TEST_MS,
);

test(
  'what began before is answered: charges, a waiting feed, and a connection that was silent',
  async () => {
    const server = await start();
    const merchant = await api.newMerchant();
    const shop = { ...merchant, fatura: sdkFor(server.baseUrl, merchant.sandboxKey) };
    const silent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask({ server, agent: silent, method: 'GET', path: '/healthz' });
    const charges = Array.from({ length: 4 }, async (_, index) => {
      const { id } = await newInvoice(shop);
      return payByCard(shop, id, { number: index === 0 ? cards.slow : cards.approved });
    });
    await sleep(WARM_UP_MS);
    const stopped = server.stop();
    await sleep(WARM_UP_MS);
    expect(await ask({ server, agent: silent, method: 'GET', path: '/healthz' })).toBe(200);
    const paid = await Promise.all(charges);
    expect(paid.map(({ status }) => status)).toEqual(charges.map(() => 'paid'));
    expect((await stopped).code).toBe(0);
    expect(server.logged()).not.toContain('unexpected fault');
  },
  TEST_MS,
);
