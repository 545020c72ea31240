import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@fatura/sdk/webhooks';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { fakeServiceThat, refusal } from '../fake-service.ts';
import { startCutter } from './cutter.ts';
import { type LocalReceiver, startLocalReceiver } from './receiver.ts';
import { newUser, type Running, runCli, startCli, type User } from './run-cli.ts';

let api: RealTimeApi;
let shop: Merchant;
let user: User;
let receiver: LocalReceiver;

beforeAll(async () => {
  api = await startRealTimeApi();
});

afterAll(() => api.stop());

beforeEach(async () => {
  shop = await api.newMerchant();
  user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: api.baseUrl });
  receiver = await startLocalReceiver();
});

async function listen(...options: string[]): Promise<Running> {
  const listening = startCli(user, ['listen', '--forward-to', receiver.url, ...options]);
  const line = await listening.until(/whsec_/);
  receiver.secret = /whsec_\S+/.exec(line)?.[0] ?? '';
  await listening.until(/^Ready\.$/);
  return listening;
}

const make = async (count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await shop.fatura.products.create({ name: 'Plano' });
};

/** Ids of all events of the shop, oldest first. */
const happened = async (): Promise<string[]> =>
  (await shop.fatura.events.list({ limit: 100 }).all({ max: 1_000 })).map(({ id }) => id).toReversed();

const received = (count: number) => expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(count);

test('forwards what happens, as a delivery would come, within a second, and says what became of it', async () => {
  await make(1);
  const listening = await listen();
  const startedMs = performance.now();
  await make(1);
  await received(1);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
  const [, id = ''] = await happened();
  expect(receiver.received).toEqual([id]);
  expect(receiver.refused).toEqual([]);
  const { rows } = await api.composition.deps.pool.query('SELECT body FROM event WHERE id = $1', [id]);
  expect(receiver.bodies).toEqual([rows[0]?.body]);
  expect(await listening.until(/product\.created/)).toMatch(
    new RegExp(`^\\d\\d:\\d\\d:\\d\\d  product\\.created +${id}  200  \\d+ ms$`),
  );
  expect(await listening.interrupt()).toBe(0);
  expect(listening.told.at(-1)).toBe('Ended; a restart goes on from here.');
});

test('forwards the types that were asked for alone', async () => {
  await listen('--events', 'customer.*,product.updated');
  await make(1);
  const [product] = await shop.fatura.products.list().all({ max: 1 });
  await shop.fatura.products.update(product?.id ?? '', { name: 'Plano Ouro' });
  await shop.fatura.customers.create({ name: 'Maria da Silva', identifier: '52998224725', email: 'maria@example.com' });
  await received(2);
  expect(receiver.types).toEqual(['product.updated', 'customer.created']);
});

test('shows events where there is nowhere to forward them to', async () => {
  const listening = startCli(user, ['listen']);
  await listening.until(/^Ready\.$/);
  await make(1);
  const [id = ''] = await happened();
  expect(await listening.until(/product\.created/)).toMatch(new RegExp(`^\\S+  product\\.created +${id}$`));
});

test('goes on after a restart where it ended, with the same secret, and forwards nothing twice', async () => {
  const first = await listen();
  const { secret } = receiver;
  await make(3);
  await received(3);
  expect(await first.interrupt()).toBe(0);
  await make(4);
  const second = await listen();
  await received(7);
  expect(receiver.secret).toBe(secret);
  await make(1);
  await received(8);
  expect(receiver.received).toEqual(await happened());
  expect(await second.interrupt()).toBe(0);
});

test('killed in the middle, it loses nothing, and repeats at most the event that it was at', async () => {
  const killed = await listen();
  const reached = Promise.withResolvers<void>();
  receiver.answer = () => {
    if (receiver.received.length < 3) return 200;
    reached.resolve();
    return new Promise(() => {});
  };
  await make(6);
  await reached.promise;
  await killed.kill9();
  receiver.answer = () => 200;
  await listen();
  await received(7);
  const [one, two, three, ...others] = await happened();
  expect(receiver.received).toEqual([one, two, three, three, ...others]);
  expect(receiver.refused).toEqual([]);
});

test('says that the receiver is down, waits for it, and then forwards all that happened', async () => {
  const { url, port } = receiver;
  const listening = await listen();
  const { secret } = receiver;
  await receiver.stop();
  await make(3);
  await listening.until(/cannot be reached \(ECONNREFUSED\)/);
  receiver = await startLocalReceiver(port);
  receiver.secret = secret;
  await received(3);
  expect(receiver.received).toEqual(await happened());
  await listening.until(/can be reached again/);
  expect(listening.told.filter((line) => line.includes('cannot be reached'))).toHaveLength(1);
  expect(receiver.url).toBe(url);
});

test('an event that is refused holds no other: it is tried twice more behind them, and then given up', async () => {
  const listening = await listen();
  // Before there is an event: it may be there before its id is known here.
  receiver.answer = () => (receiver.received.at(-1) === receiver.received[0] ? 500 : 200);
  await make(1);
  await received(1);
  const [refused = ''] = await happened();
  const refusedMs = performance.now();
  await make(3);
  await received(4);
  expect(performance.now() - refusedMs).toBeLessThan(2_000);
  await received(6);
  const [, ...others] = await happened();
  expect(receiver.received).toEqual([refused, ...others, refused, refused]);
  const words = await listening.until(/was not accepted/);
  expect(words).toContain(`fatura events resend ${refused} --forward-to ${receiver.url}`);
  expect(listening.said.map((line) => line.split(/ {2,}/).slice(2, 4))).toEqual([
    [refused, '500'],
    ...others.map((id) => [id, '200']),
    [refused, '500'],
    [refused, '500'],
  ]);
  receiver.answer = () => 204;
  const again = await runCli(user, ['events', 'resend', refused, '--forward-to', receiver.url]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${refused}  204`)]);
  expect(receiver.received.at(-1)).toBe(refused);
  expect(receiver.refused).toEqual([]);
}, 30_000);

test('a path alone is of the port of the environment, and each address has the same secret', async () => {
  const moved = await newUser({ ...user.env, XDG_CONFIG_HOME: user.folder, PORT: String(receiver.port) });
  const listening = startCli(moved, ['listen', '--forward-to', '/hook']);
  const line = await listening.until(/whsec_/);
  await listening.until(/^Ready\.$/);
  receiver.secret = /whsec_\S+/.exec(line)?.[0] ?? '';
  await make(1);
  await received(1);
  expect(receiver.refused).toEqual([]);
  const elsewhere = startCli(user, ['listen', '--forward-to', 'localhost:1/other']);
  expect(await elsewhere.until(/whsec_/)).toContain(receiver.secret);
  const { code, stderr } = await runCli(user, ['listen', '--forward-to', '/hook']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs PORT in the environment')]);
});

test('says that a receiver verifies with another secret', async () => {
  const server = createServer(
    toNodeHandler({ secrets: `whsec_${btoa('another')}`, onEvent: () => {}, onError: () => {} }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const listening = startCli(user, ['listen', '--forward-to', `localhost:${port}/`]);
  await listening.until(/^Ready\.$/);
  await make(1);
  expect(await listening.until(/product\.created/)).toContain('  400 SIGNATURE_MISMATCH  ');
  await listening.until(/verifies with another secret: give it the one above/);
});

test('a service that answers at once with nothing, as one that ends, or that is away is asked ever more rarely', async () => {
  let isAway = false;
  const service = await fakeServiceThat(({ path }) => {
    if (!path.endsWith('/event_feed')) return { body: { object: 'account', id: 'acct_1', name: 'Loja' } };
    if (isAway) return refusal(503, 'SERVICE_UNAVAILABLE'); // with Retry-After: 0
    return { body: { object: 'event_feed', data: [], cursor: 'evt_0', caught_up: true } };
  });
  const env = { FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: service.url };
  const listening = startCli(await newUser(env), ['listen']);
  await listening.until(/^Ready\.$/);
  await sleep(4_000);
  expect(service.requests.length).toBeLessThan(8);
  isAway = true;
  await listening.until(/^Cut off from the service/);
  service.requests.length = 0;
  await sleep(4_000);
  expect(service.requests.length).toBeLessThan(8);
  expect(await listening.interrupt()).toBe(0);
}, 30_000);

test('goes on when the network was cut, and says so once', async () => {
  const cutter = await startCutter(new URL(api.baseUrl));
  user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: cutter.url });
  const listening = await listen();
  await make(2);
  await received(2);
  await cutter.cut();
  await make(3);
  await listening.until(/^Cut off from the service/);
  await cutter.mend();
  await received(5);
  await listening.until(/^The service answers again/);
  expect(receiver.received).toEqual(await happened());
  expect(listening.told.filter((line) => line.startsWith('Cut off'))).toHaveLength(1);
});

test('begins where it is told to', async () => {
  // Its receiver knows the secret before anything is forwarded, which is the same each time.
  await (await listen()).interrupt();
  await make(3);
  const [first = '', second, third] = await happened();
  const behind = await listen('--since', first);
  await received(2);
  expect(await behind.interrupt()).toBe(0);
  const all = await listen('--since', '1h');
  await received(5);
  expect(receiver.received).toEqual([second, third, first, second, third]);
  expect(await all.interrupt()).toBe(0);
  const now = await listen('--since', 'now');
  await make(1);
  await received(6);
  expect(await now.interrupt()).toBe(0);
});

test('keeps what it remembers for the eyes of its user alone', async () => {
  const listening = await listen();
  await listening.interrupt();
  const kept = async (what: string): Promise<unknown> => {
    const folder = join(user.folder, 'fatura', what);
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    const file = join(folder, files[0] ?? '');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    return JSON.parse(await readFile(file, 'utf8'));
  };
  expect(await kept('listeners')).toMatchObject({ forward_to: receiver.url });
  expect(await kept('secrets')).toEqual({ secret: receiver.secret });
});

test('ends with the reason when the key is none any more', async () => {
  const stranger = await newUser({ FATURA_API_KEY: `${shop.sandboxKey.slice(0, -1)}!`, FATURA_BASE_URL: api.baseUrl });
  const { code, stderr } = await runCli(stranger, ['listen']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('API_KEY_INVALID')]);
  onTestFinished(() => void api.composition.deps.pool.query(`DELETE FROM rate_limit WHERE key LIKE 'unknown_key:%'`));
});
