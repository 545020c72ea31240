import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { startLocalReceiver } from './receiver.ts';
import { newUser, runCli, runHere } from './run-cli.ts';

let api: RealTimeApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startRealTimeApi();
  shop = await api.newMerchant();
});

afterAll(() => api.stop());

/** A user whose terminal names the service, and a key where one is given. */
const userOf = (key?: string) =>
  newUser({ FATURA_BASE_URL: api.baseUrl, ...(key === undefined ? {} : { FATURA_API_KEY: key }) });

const commands = [
  'init',
  'login',
  'logout',
  'listen',
  'trigger',
  'events list',
  'events resend',
  'clock advance',
  'mcp',
];

describe('help', () => {
  test('lists every command', async () => {
    const { code, stdout, stderr } = await runCli(await userOf(), ['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const command of commands) expect(stdout).toContain(`  ${command}`);
  });

  test.each(commands)('%s says how it is used, with each option', async (command) => {
    const { code, stdout, stderr } = await runHere(await userOf(), [...command.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: fatura ${command}`);
    expect(stdout).toContain('--help');
  });

  test('tells its version', async () => {
    expect(await runHere(await userOf(), ['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });
});

describe('a wrong command line is told on stderr, with exit code 2:', () => {
  test.each([
    ['none', [], /Usage: fatura <command>/],
    ['an unknown command', ['sell'], /No such command: sell/],
    ['half a command', ['events'], /No such command: events/],
    ['an unknown option', ['listen', '--to', 'x'], /--to/],
    ['a receiver that is none', ['listen', '--forward-to', 'ftp://x'], /--forward-to must be an http address/],
    [
      'an unknown type',
      ['listen', '--events', 'invoice.eaten'],
      /no such event type: invoice\.eaten\nTypes: customer\.created/,
    ],
    ['a trigger of nothing', ['trigger'], /<type> is missing/],
    [
      'a trigger of an unknown type',
      ['trigger', 'invoice.eaten'],
      /invoice\.eaten cannot be triggered\.\nTypes: .*invoice\.paid/,
    ],
    ['a trigger of what time brings', ['trigger', 'invoice.overdue'], /--advance-clock/],
    ['an event too many', ['events', 'resend', 'evt_1', 'evt_2'], /nobody knows what evt_2 is for/],
    ['a limit that is none', ['events', 'list', '--limit', '0'], /--limit must be a whole number/],
    ['a status that is none', ['events', 'list', '--status', 'lost'], /--status must be one of/],
    ['no instant', ['clock', 'advance'], /give one of --to and --by/],
    ['two instants', ['clock', 'advance', '--to', '1', '--by', '1d'], /give one of --to and --by/],
    ['a key on the command line', ['login', '--api-key', 'sk_sandbox_1'], /--api-key takes - alone/],
  ])('%s', async (_, args, words) => {
    const { code, stdout, stderr } = await runHere(await userOf(shop.sandboxKey), args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });

  test.each(['30', '1month', '-3d'])('a duration of %s', async (by) => {
    const { code, stderr } = await runHere(await userOf(shop.sandboxKey), ['clock', 'advance', `--by=${by}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--by must be such as 30s')]);
  });
});

describe('login', () => {
  test('keeps a key that the service takes, for the eyes of its user alone, and logout forgets it', async () => {
    const user = await userOf();
    const refused = await runCli(user, ['events', 'list']);
    expect([refused.code, refused.stderr]).toEqual([1, 'No API key: run `fatura login`, or set FATURA_API_KEY.\n']);
    const { code, stdout } = await runCli(user, ['login', '--api-key', '-'], `${shop.sandboxKey}\n`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Loja do Teste (${shop.accountId}, sandbox)`)]);
    expect(stdout).not.toContain(shop.sandboxKey);
    const file = join(user.folder, 'fatura', 'config.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(user.folder, 'fatura'))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ api_key: shop.sandboxKey, base_url: api.baseUrl });
    expect(await readdir(join(user.folder, 'fatura'))).toEqual(['config.json']);
    const elsewhere = { ...user, env: { XDG_CONFIG_HOME: user.folder } };
    expect((await runHere(elsewhere, ['events', 'list'])).code).toBe(0);
    expect((await runHere(user, ['logout'])).code).toBe(0);
    expect((await runHere(user, ['events', 'list'])).code).toBe(1);
  });

  test('keeps nothing of a key that the service refuses', async () => {
    const user = await userOf();
    const { code, stderr } = await runCli(user, ['login', '--api-key', '-'], 'sk_sandbox_nobody');
    expect([code, stderr]).toEqual([1, expect.stringContaining('API_KEY_INVALID')]);
    expect(await readdir(user.folder)).toEqual([]);
    await api.composition.deps.pool.query(`DELETE FROM rate_limit WHERE key LIKE 'unknown_key:%'`);
  });

  test('is won over by FATURA_API_KEY', async () => {
    const other = await api.newMerchant();
    const product = await other.fatura.products.create({ name: 'Plano' });
    const user = await userOf(other.sandboxKey);
    await runCli(user, ['login', '--api-key', '-'], shop.sandboxKey);
    expect((await runHere(user, ['events', 'list'])).stdout).toContain(product.id);
  });
});

test.each([
  ['listen', ['listen', '--forward-to', 'localhost:4242']],
  ['trigger', ['trigger', 'invoice.paid']],
  ['clock advance', ['clock', 'advance', '--by', '1d']],
  ['events resend --forward-to', ['events', 'resend', 'evt_1', '--forward-to', 'localhost:4242']],
])('%s refuses a live key before it asks anybody', async (name, args) => {
  const nobody = await newUser({ FATURA_API_KEY: shop.liveKey, FATURA_BASE_URL: 'http://127.0.0.1:1' });
  const { code, stderr } = await runHere(nobody, args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`\`fatura ${name}\` works in the sandbox alone`)]);
});

describe('events', () => {
  test('are listed, newest first, by their filters', async () => {
    const merchant = await api.newMerchant();
    const product = await merchant.fatura.products.create({ name: 'Plano' });
    await merchant.fatura.products.update(product.id, { name: 'Plano Ouro' });
    await merchant.fatura.products.create({ name: 'Plano' });
    const user = await userOf(merchant.sandboxKey);
    const list = async (...options: string[]) => (await runHere(user, ['events', 'list', ...options])).stdout;
    const types = (lines: string) => [...lines.matchAll(/product\.\w+/g)].map(([type]) => type);
    expect(types(await list())).toEqual(['product.created', 'product.updated', 'product.created']);
    expect(types(await list('--type', 'product.updated'))).toEqual(['product.updated']);
    expect(types(await list('--object', product.id))).toEqual(['product.updated', 'product.created']);
    expect(types(await list('--limit', '1'))).toEqual(['product.created']);
    expect(await list('--status', 'failed')).toBe('');
    const lines = (await list('--json')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await merchant.fatura.events.list().all({ max: 10 }));
  });

  test('are sent again to endpoints, with the words of the API where it refuses', async () => {
    const merchant = await api.newMerchant();
    const receiver = await startLocalReceiver();
    const types = ['product.created'] as const;
    const endpoint = await merchant.fatura.webhookEndpoints.create({ url: receiver.url, event_types: [...types] });
    await merchant.fatura.products.create({ name: 'Plano' });
    const [event] = await merchant.fatura.events.list().all({ max: 1 });
    const user = await userOf(merchant.sandboxKey);
    const resend = (...args: string[]) => runHere(user, ['events', 'resend', ...args]);
    const sent = await resend(event?.id ?? '', '--endpoint', endpoint.id);
    expect([sent.code, sent.stdout]).toEqual([0, `product.created  ${event?.id}  is sent again to ${endpoint.id}\n`]);
    const refused = await resend('evt_00000000000000000000000000');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^No such event: evt_0+ \(RESOURCE_MISSING, request req_[0-9a-z]{26}\)\n$/),
    ]);
  });

  test('that a receiver refuses are told, with exit code 1', async () => {
    const merchant = await api.newMerchant();
    await merchant.fatura.products.create({ name: 'Plano' });
    const [event] = await merchant.fatura.events.list().all({ max: 1 });
    const args = ['events', 'resend', event?.id ?? '', '--forward-to', 'localhost:1'];
    const { code, stdout, stderr } = await runHere(await userOf(merchant.sandboxKey), args);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('Not accepted: product.created')]);
  });
});

test('a service that is away is told in words, with exit code 1', async () => {
  const user = await newUser({ FATURA_API_KEY: shop.sandboxKey });
  const { code, stderr } = await runHere(user, ['trigger', 'product.created', '--base-url', 'http://127.0.0.1:1']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('CONNECTION_FAILED')]);
});
