import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApi } from '../../../../contract/openapi.ts';
import { policyOf } from '../../../../sdk/src/cli/mcp/policy.ts';
import { type RouteId, routes } from '../../../../sdk/src/generated/routes.ts';
import { routeTools } from '../../../../sdk/src/generated/tools.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../../support/api.ts';
import { newUser, runCli, runHere, type User } from '../run-cli.ts';
import { startAgent } from './agent.ts';

let api: RealTimeApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startRealTimeApi();
  shop = await api.newMerchant();
});

afterAll(() => api.stop());

const userOf = (key: string): Promise<User> => newUser({ FATURA_API_KEY: key, FATURA_BASE_URL: api.baseUrl });
const sandboxAgent = async (...args: string[]) => startAgent(await userOf(shop.sandboxKey), { args });

const routeIds = Object.keys(routes) as RouteId[];
const namesOf = (...policies: unknown[]) =>
  routeIds.filter((route) => policies.includes(policyOf(route))).map((route) => routeTools[route].name);
const own = ['webhooks_diagnose', 'errors_explain'];

describe('tools', () => {
  test('that read are offered, and no others, unless writes are allowed', async () => {
    const agent = await sandboxAgent();
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...namesOf('reads'), ...own]);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(tools.map(({ name }) => name).filter((name) => /create|update|void|cancel|send/.test(name))).toEqual([]);
    const { isError, json } = await agent.call('invoices_void', { id: 'in_1' });
    expect([isError, json.error]).toEqual([
      true,
      { code: 'READ_ONLY', message: expect.stringContaining('a person can start it with --allow-writes') },
    ]);
  });

  test('that write are offered when it is allowed, with hints of what they do', async () => {
    const agent = await sandboxAgent('--allow-writes');
    const { tools } = await agent.client.listTools();
    const offered = [...namesOf('reads', 'adds', 'changes', 'confirmed'), ...own];
    expect(tools.map(({ name }) => name).sort()).toEqual(offered.sort());
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.invoices_list).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    expect(hints.products_create).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
    expect(hints.refunds_create).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: false });
  });

  test('whose answers hold secrets, or that delete a sandbox, are never offered', async () => {
    const agent = await sandboxAgent('--allow-writes');
    const withheld = ['webhook_endpoints_create', 'webhook_endpoints_rotate_secret', 'test_clock_reset'];
    expect((await agent.tools()).filter((name) => withheld.includes(name))).toEqual([]);
    for (const name of withheld) expect((await agent.call(name)).json.error.code).toBe('TOOL_UNKNOWN');
  });

  test('that read are those of which the contract says so', () => {
    // The document is typed loosely.
    const paths = buildOpenApi().paths as Record<string, Record<string, { operationId: string; 'x-scope': string }>>;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const scopes: Record<string, string> = Object.fromEntries(
      operations.map((operation) => [operation.operationId, operation['x-scope']]),
    );
    const offered = routeIds.filter((route) => typeof policyOf(route) === 'string');
    expect(offered.filter((route) => (policyOf(route) === 'reads') !== (scopes[route] === 'read'))).toEqual([]);
  });

  test('that move money are all confirmed', () => {
    const moving = routeIds.filter((route) =>
      /checkout$|^refunds\.create$|updatePaymentMethod$|^paymentMethods\.(?:setDefault|delete)$/.test(route),
    );
    expect(moving.filter((route) => policyOf(route) !== 'confirmed')).toEqual([]);
    expect(moving).toHaveLength(6);
  });

  test('have names that clients take and schemas of bounded size', async () => {
    const { tools } = await (await sandboxAgent('--allow-writes')).client.listTools();
    expect(tools.filter(({ name }) => !/^[a-z][a-z_]{2,63}$/.test(name))).toEqual([]);
    expect(tools.filter(({ description = '' }) => description.length > 700 || description === '')).toEqual([]);
    const characters = (of: typeof tools) => JSON.stringify(of).length;
    expect(Math.max(...tools.map((tool) => characters([tool])))).toBeLessThan(10_500);
    expect(characters(tools)).toBeLessThan(170_000);
  });
});

describe('a live key', () => {
  test('reads', async () => {
    const agent = await startAgent(await userOf(shop.liveKey));
    expect((await agent.call('account_retrieve')).json.live_mode).toBe(true);
    expect((await agent.tools()).filter((name) => name.startsWith('test_'))).toEqual([]);
    expect(agent.client.getInstructions()).toContain('This is the LIVE mode');
  });

  test('writes only where --live says so too', async () => {
    const { code, stdout, stderr } = await runCli(await userOf(shop.liveKey), ['mcp', '--allow-writes']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('Say --live too')]);
    const agent = await startAgent(await userOf(shop.liveKey), { args: ['--allow-writes', '--live'] });
    expect((await agent.call('products_create', { name: 'Plano' })).json.live_mode).toBe(true);
    const { tools } = await agent.client.listTools();
    const checkout = tools.find(({ name }) => name === 'invoices_checkout');
    expect(Object.keys(checkout?.inputSchema.properties ?? {})).toEqual([
      'id',
      'payment_method_type',
      'confirmation_code',
    ]);
    expect(tools.map(({ name }) => name)).not.toContain('subscriptions_update_payment_method');
  });
});

test.each([
  ['--max-amount', '1.5'],
  ['--max-amount', '-1'],
  ['--confirm-within', 'soon'],
  ['--confirm-within', '2h'],
])('%s %s is refused', async (option, value) => {
  const { code, stderr } = await runHere(await userOf(shop.sandboxKey), ['mcp', `${option}=${value}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${option} must be`)]);
});

describe('what a tool is given', () => {
  test('is held to its schema before anybody is asked', async () => {
    const agent = await sandboxAgent();
    const wrong = [{ id: 'in_1' }, {}, { id: `in_${'0'.repeat(26)}`, api_key: 'x' }];
    for (const args of wrong) {
      const { isError, json } = await agent.call('invoices_retrieve', args);
      expect([isError, json.error.code]).toEqual([true, 'PARAMETER_INVALID']);
    }
    expect((await agent.call('invoices_list', { limit: 100 })).json.error.message).toContain('limit');
  });

  test('is no card number, and the answer says why', async () => {
    const agent = await sandboxAgent('--allow-writes');
    const card = { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2030, cvc: '123' };
    const checkout = { id: `in_${'0'.repeat(26)}`, payment_method_type: 'card', card };
    const { json } = await agent.call('invoices_checkout', checkout);
    expect(json.error).toEqual({
      code: 'CARD_NUMBER_REFUSED',
      message: expect.stringMatching(/must never pass through a model.*payment_url/),
    });
    const { tools } = await agent.client.listTools();
    expect(JSON.stringify(tools)).not.toMatch(/cvc|exp_month/);
  });
});

describe('what a tool answers', () => {
  test('masks documents, e-mails and phones, and leaves out addresses', async () => {
    const address = { street: 'Rua Augusta', number: '1500', city: 'São Paulo', state: 'SP', zip_code: '01304001' };
    const customer = await shop.fatura.customers.create({
      name: 'Maria da Silva',
      identifier: '52998224725',
      email: 'maria@example.com',
      phone: '11987654321',
      address,
    });
    const agent = await sandboxAgent();
    const { json, text } = await agent.call('customers_retrieve', { id: customer.id });
    expect(json).toMatchObject({ name: 'Maria da Silva', identifier: '*********25', email: 'm***@example.com' });
    expect(text).not.toMatch(/52998224725|maria@|98765|Augusta/);
    const { text: events } = await agent.call('events_list', { type: ['customer.created'] });
    expect(events).toContain(customer.id);
    expect(events).not.toMatch(/52998224725|maria@|98765|Augusta/);
  });

  test('is never longer than a model should read, and says what it left out', async () => {
    const description = 'x'.repeat(1_000);
    for (let made = 0; made < 20; made += 1) {
      await shop.fatura.products.create({ name: 'ç'.repeat(250), description });
    }
    const agent = await sandboxAgent();
    const { json, text } = await agent.call('products_list', { limit: 20 });
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(json.data[0].description).toBe(`${'x'.repeat(500)}… (500 more characters)`);
    const left = 20 - json.data.length;
    expect(json).toMatchObject({ has_more: true, next_page: { starting_after: json.data.at(-1).id } });
    expect(json.left_out_of_this_page).toBe(left);
    expect(left).toBeGreaterThan(0);
    expect((await agent.call('products_list')).json.data).toHaveLength(10);
  });

  test('of a refusal has the code, the parameter, the words and where they are explained', async () => {
    const agent = await sandboxAgent('--allow-writes');
    const missing = await agent.call('invoices_retrieve', { id: `in_${'0'.repeat(26)}` });
    expect([missing.isError, missing.json.error]).toEqual([
      true,
      {
        code: 'RESOURCE_MISSING',
        message: expect.stringContaining('No such invoice'),
        status: 404,
        meaning: 'No such object in this account and mode.',
        retry: 'never',
        doc_url: expect.stringContaining('/docs/en/errors#RESOURCE_MISSING'),
        request_id: expect.stringMatching(/^req_/),
      },
    ]);
  });

  test('explains codes of errors, and knows no others', async () => {
    const agent = await sandboxAgent();
    expect((await agent.call('errors_explain', { code: 'INVOICE_NOT_OPEN' })).json).toEqual({
      code: 'INVOICE_NOT_OPEN',
      status: 409,
      retry: 'never',
      meaning: 'The invoice does not accept payment in its status.',
    });
    expect((await agent.call('errors_explain')).json).toHaveProperty('RATE_LIMITED');
    expect((await agent.call('errors_explain', { code: 'NOPE' })).json.error.code).toBe('PARAMETER_INVALID');
  });

  test('never has the key in it, whatever was asked', async () => {
    const agent = await sandboxAgent('--allow-writes');
    const answers = [
      await agent.call('products_create', { name: shop.sandboxKey }),
      await agent.call(`x${shop.sandboxKey}`),
      await agent.call('errors_explain', { code: shop.sandboxKey }),
    ];
    for (const { text } of answers) expect(text).not.toContain(shop.sandboxKey);
    expect(answers[0]?.text).toContain('[API key]');
    expect(agent.stderr.join('')).not.toContain(shop.sandboxKey);
  });
});

test('an agent that runs in circles is stopped for the rest of the minute', async () => {
  const agent = await sandboxAgent();
  for (let call = 0; call < 60; call += 1) await agent.call('errors_explain', { code: 'RATE_LIMITED' });
  const { json } = await agent.call('errors_explain', { code: 'RATE_LIMITED' });
  expect(json.error).toEqual({
    code: 'TOO_MANY_CALLS',
    message: expect.stringMatching(/at most 60 calls a minute; wait \d+/),
  });
});

test('without a key nothing is served', async () => {
  const { code, stdout, stderr } = await runCli(await newUser(), ['mcp']);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('No API key')]);
});
