import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureOf, triggers } from '../../../sdk/src/cli/fixtures.ts';
import { startLocalReceiver } from '../../sdk/cli/receiver.ts';
import { newUser, runCli, startCli, type User } from '../../sdk/cli/run-cli.ts';
import { type Stack, startStack, until } from '../../support/stack.ts';

const TEST_MS = 120_000;
const DAY = 86_400;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);

afterAll(() => stack.stop(), TEST_MS);

const userOf = ({ sandboxKey }: { sandboxKey: string }): Promise<User> =>
  newUser({ FATURA_API_KEY: sandboxKey, FATURA_BASE_URL: stack.baseUrl });

test(
  'listen forwards within a second beside a worker, and loses nothing while the API is killed and started again',
  async () => {
    const shop = await stack.newMerchant();
    const receiver = await startLocalReceiver();
    const listening = startCli(await userOf(shop), ['listen', '--forward-to', receiver.url]);
    receiver.secret = /whsec_\S+/.exec(await listening.until(/whsec_/))?.[0] ?? '';
    await listening.until(/^Ready\.$/);
    const startedMs = performance.now();
    await shop.fatura.products.create({ name: 'Plano' });
    await until('the first event', async () => receiver.received.length === 1, 5_000);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    for (let count = 0; count < 10; count += 1) {
      const made = shop.fatura.products.create({ name: 'Plano' });
      if (count === 4) {
        await stack.api.kill9();
        await listening.until(/^Cut off from the service/);
        await stack.api.start();
      }
      await made;
    }
    await listening.until(/^The service answers again/);
    const happened = (await shop.fatura.events.list({ limit: 100 }).all({ max: 100 })).map(({ id }) => id);
    await until('every event', async () => receiver.received.length >= happened.length, 15_000);
    expect(receiver.received.toSorted()).toEqual(happened.toSorted());
    expect(receiver.refused).toEqual([]);
    expect(await listening.interrupt()).toBe(0);
  },
  TEST_MS,
);

test(
  'clock advance goes so far, and listen forwards what fell due on the way',
  async () => {
    const shop = await stack.newMerchant();
    const user = await userOf(shop);
    await fixtureOf('subscription.activated')?.run({ fatura: shop.fatura, baseUrl: stack.baseUrl });
    const receiver = await startLocalReceiver();
    const args = ['listen', '--forward-to', receiver.url, '--events', 'subscription.period_started,invoice.paid'];
    const listening = startCli(user, args);
    receiver.secret = /whsec_\S+/.exec(await listening.until(/whsec_/))?.[0] ?? '';
    await listening.until(/^Ready\.$/);
    const { now } = await shop.fatura.testClock.retrieve();
    const { code, stdout } = await runCli(user, ['clock', 'advance', '--by', '95d']);
    expect([code, stdout]).toEqual([0, expect.stringContaining("The sandbox's clock is at")]);
    const clock = await shop.fatura.testClock.retrieve();
    expect(clock.now - now).toBeGreaterThanOrEqual(95 * DAY);
    await until('three renewals', async () => receiver.received.length >= 6, 15_000);
    const renewal = ['subscription.period_started', 'invoice.paid'];
    expect(receiver.types).toEqual([...renewal, ...renewal, ...renewal]);
    const refused = await runCli(user, ['clock', 'advance', '--to', '2026-01-01']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('PARAMETER_INVALID')]);
  },
  TEST_MS,
);

test.each(triggers.filter((type) => fixtureOf(type)?.movesClock === true))(
  '%s is led to by time',
  async (type) => {
    const shop = await stack.newMerchant();
    const user = await userOf(shop);
    const { cursor } = await shop.fatura.events.feed();
    const ran = await runCli(user, ['trigger', type, '--advance-clock']);
    expect(ran).toEqual({ code: 0, stdout: `${type} has happened.\n`, stderr: '' });
    const { data } = await shop.fatura.events.feed({ cursor });
    expect(data.map((event) => event.type)).toContain(type);
  },
  TEST_MS,
);
