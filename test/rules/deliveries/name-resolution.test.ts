import { lookup as systemLookup } from 'node:dns/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NameResolver, readHosts } from '../../../server/events/deliveries/http/name-resolver.ts';
import type { Lookup, Sender, SenderOptions } from '../../../server/events/deliveries/http/sender.ts';
import { type NameServer, nameServer } from './name-server.ts';
import { httpReceiver } from './receivers.ts';
import { checkUrl, delivered, delivery, failed, senderTo, timed } from './sending.ts';

/** A sender that asks a name server of the test's own. */
const senderBy = ({ address }: NameServer, options: Partial<SenderOptions> = {}): Sender =>
  senderTo({ nameServers: [address], ...options });

/** Names under `.silent.test` get no answer, those under `.shop.test` lead to loopback, others do not exist. */
const partlySilent = () =>
  nameServer((name, type) => {
    if (name.endsWith('.silent.test')) return null;
    return name.endsWith('.shop.test') && type === 'A' ? ['127.0.0.1'] : [];
  });

const AT_ONCE_MS = 1_500;

test('regression-48-names whose server is silent hold up neither other names nor other work of the process', async () => {
  const server = await partlySilent();
  const receiver = await httpReceiver((_, response) => response.end());
  const sender = senderBy(server, { connectTimeoutMs: 3_000 });
  const silent = Array.from({ length: 50 }, (_, n) =>
    timed(() => sender.post(delivery(`http://name${n}.silent.test/`, { accountId: 'acct_silent' }))),
  );
  for (const accountId of ['acct_1', 'acct_2', 'acct_3']) {
    const url = `http://${accountId.replace('_', '')}.shop.test:${receiver.port}/`;
    const { result, tookMs } = await timed(() => sender.post(delivery(url, { accountId })));
    expect(result).toEqual(delivered());
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  }
  expect((await timed(() => systemLookup('localhost'))).tookMs).toBeLessThan(AT_ONCE_MS);
  expect((await timed(() => checkUrl(sender, 'http://new.shop.test/', false))).tookMs).toBeLessThan(AT_ONCE_MS);
  const results = await Promise.all(silent);
  for (const { result } of results) expect(result).toEqual(failed('dns'));
  // The rest of that account's names is refused without a look-up.
  expect(new Set(server.asked.filter((name) => name.endsWith('.silent.test'))).size).toBe(8);
  expect(results.filter(({ tookMs }) => tookMs < AT_ONCE_MS)).toHaveLength(42);
});

describe('a name', () => {
  test('is asked of the name server and judged by what it says', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    const server = await nameServer((name, type) =>
      type === 'A' && name === 'in.test' ? ['10.0.0.1'] : ['127.0.0.1'],
    );
    const sender = senderBy(server);
    expect(await sender.post(delivery(`http://in.test:${receiver.port}/`))).toEqual(failed('private_address'));
    expect(await checkUrl(sender, 'http://in.test/', false)).toMatchObject({ failure: 'private_address' });
    expect(receiver.connections).toEqual([]);
  });

  test('of which the server tells IPv4 addresses alone, and nothing of IPv6, is reached soon', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    const server = await nameServer((_, type) => (type === 'A' ? ['127.0.0.1'] : null));
    const { result, tookMs } = await timed(() => senderBy(server).post(delivery(`http://shop.test:${receiver.port}/`)));
    expect(result).toEqual(delivered());
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  });

  test('that does not exist is not asked for again at once', async () => {
    const server = await partlySilent();
    const sender = senderBy(server);
    const expected = failed('dns', { detail: 'nowhere.test does not resolve: ENOTFOUND' });
    expect(await sender.post(delivery('http://nowhere.test/'))).toEqual(expected);
    const askedFirst = server.asked.length;
    expect(await sender.post(delivery('http://nowhere.test/'))).toEqual(expected);
    expect(server.asked).toHaveLength(askedFirst);
  });

  test('of the machine itself is asked of no name server', async () => {
    const server = await nameServer(() => null);
    const receiver = await httpReceiver((_, response) => response.end());
    const sender = senderBy(server, { allowedNetworks: ['127.0.0.0/8'] });
    for (const name of ['localhost', 'LOCALHOST', 'loja.localhost', 'localhost.']) {
      expect(await sender.post(delivery(`http://${name}:${receiver.port}/`))).toEqual(delivered());
    }
    expect(server.asked).toEqual([]);
  });
});

test('a hosts file gives its names their addresses, whatever their case', () => {
  const text = '127.0.0.1\tlocalhost  Loja # both\n::1 localhost\r\n# 10.0.0.9 none\nnot-an-address loja\n\n';
  expect([...readHosts(text)]).toEqual([
    [
      'localhost',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    ],
    ['loja', [{ address: '127.0.0.1', family: 4 }]],
  ]);
});

describe('names that nobody answers for', () => {
  const shop = [{ address: '93.184.216.34', family: 4 }];
  const shopAlone: Lookup = (hostname) => (hostname === 'shop.test' ? Promise.resolve(shop) : new Promise(() => {}));

  /** Counts what has come to its end. */
  const counted = <T>(works: readonly Promise<T>[]) => {
    const count = { ended: 0 };
    for (const work of works) void work.then(() => (count.ended += 1));
    return count;
  };
  const silentTo = (names: NameResolver, many: number) =>
    Array.from({ length: many }, (_, n) =>
      names.resolve({ hostname: `name${n}.test`, accountId: `acct_${n % 40}` }).catch(() => 'late'),
    );

  test('regression-159-of sandboxes hold up no name of live mode, however many accounts have them', async () => {
    const sender = senderTo({ lookup: shopAlone, connectTimeoutMs: 1_000 });
    // Among them as many of the account that asks in live mode as an account may have.
    const silent = Array.from({ length: 40 * 8 }, (_, n) =>
      sender.post(delivery(`https://name${n}.test/`, { accountId: `acct_${n % 40}` })),
    );
    const count = counted(silent);
    expect(await checkUrl(sender, 'https://shop.test/', true)).toEqual({ ok: true });
    expect(count.ended).toBe(0);
    for (const result of await Promise.all(silent)) expect(result).toEqual(failed('dns'));
  });

  test('give the next turn to an account that has none under way, however many wait', async () => {
    const names = new NameResolver({ lookup: shopAlone, timeoutMs: 1_000 });
    const silent = silentTo(names, 40 * 8);
    const count = counted(silent);
    expect(await names.resolve({ hostname: 'shop.test', accountId: 'acct_quiet' })).toEqual(shop);
    expect(count.ended).toBeLessThan(40 * 8);
    await Promise.all(silent);
  });

  test('take no time from a name whose turn comes late', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const lookup: Lookup = async (hostname) => {
      await new Promise((resolve) => setTimeout(resolve, hostname === 'slow.test' ? 900 : 60_000));
      return shop;
    };
    const names = new NameResolver({ lookup, timeoutMs: 1_000 });
    const ask = (n: number) => names.resolve({ hostname: `name${n}.test`, accountId: `acct_${n}` }).catch(() => 'late');
    const silent = Array.from({ length: 256 }, (_, n) => ask(n));
    await vi.advanceTimersByTimeAsync(500);
    const slow = names.resolve({ hostname: 'slow.test', accountId: 'acct_slow' }).catch(() => 'late');
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await slow).toEqual(shop);
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['late']));
  });
});

describe('the resolver', () => {
  const question = (hostname: string, accountId = 'acct_1') => ({ hostname, accountId });
  const none: Lookup = async () => [];
  const hanging: Lookup = () => new Promise(() => {});

  test('asks again for a name without an address after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const lookup = vi.fn(none);
    const names = new NameResolver({ lookup, timeoutMs: 1_000 });
    const ask = () => expect(names.resolve(question('loja.test'))).rejects.toThrow('loja.test has no address');
    await ask();
    vi.advanceTimersByTime(9_900);
    await ask();
    expect(lookup).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    await ask();
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  test('tells an account that has reached its bound', async () => {
    const names = new NameResolver({ lookup: hanging, timeoutMs: 300 });
    const asked = Array.from({ length: 8 }, (_, n) => names.resolve(question(`name${n}.test`)).catch(() => 'late'));
    const refusal = 'ninth.test was not looked up: 8 other names of the account do not answer';
    await expect(names.resolve(question('ninth.test'))).rejects.toThrow(refusal);
    expect(await Promise.all(asked)).toEqual(Array(8).fill('late'));
  });

  test('has so many look-ups under way at once; more wait for their turn', async () => {
    let [underWay, most] = [0, 0];
    const lookup: Lookup = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay -= 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const names = new NameResolver({ lookup, timeoutMs: 10_000 });
    const asked = Array.from({ length: 600 }, (_, n) => names.resolve(question(`name${n}.test`, `acct_${n}`)));
    await Promise.all(asked);
    expect(most).toBe(256);
  });

  test('gives up what waits for its turn too long, and the turn goes to the next', async () => {
    const names = new NameResolver({ lookup: hanging, timeoutMs: 200 });
    const ask = (n: number) => names.resolve(question(`name${n}.test`, `acct_${n}`)).catch((error) => error.message);
    const messages = await Promise.all(Array.from({ length: 300 }, (_, n) => ask(n)));
    expect(messages.at(-1)).toBe('name299.test did not resolve within 200 ms');
    expect(await ask(299)).toBe('name299.test did not resolve within 200 ms');
  });

  test('ends a look-up by its signal when its time is over', async () => {
    let ended = false;
    const lookup: Lookup = (_, signal) => {
      signal.addEventListener('abort', () => {
        ended = true;
      });
      return new Promise(() => {});
    };
    const names = new NameResolver({ lookup, timeoutMs: 50 });
    await expect(names.resolve(question('loja.test'))).rejects.toThrow('loja.test did not resolve within 50 ms');
    expect(ended).toBe(true);
  });
});
