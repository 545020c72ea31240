import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Merchant } from '../../../support/api.ts';
import { DeliveryScene } from '../../../workflows/deliveries/delivery-scene.ts';
import { register } from '../../../workflows/support.ts';
import { newUser, type User } from '../run-cli.ts';
import { type Agent, startAgent } from './agent.ts';

const scene = new DeliveryScene();
let shop: Merchant;
let user: User;

beforeEach(async () => {
  shop = await scene.api.newMerchant();
  user = await newUser({ FATURA_API_KEY: shop.sandboxKey, FATURA_BASE_URL: scene.api.baseUrl });
});

const maria = {
  name: 'Maria da Silva',
  identifier: '529.982.247-25',
  email: 'maria@example.com',
  phone: '11987654321',
};

/** An open invoice, of what the agent sells. */
async function newInvoice(agent: Agent, amount = 9_990): Promise<string> {
  const { json: product } = await agent.call('products_create', { name: 'Plano Ouro' });
  const { json: price } = await agent.call('prices_create', {
    product_id: product.id,
    unit_amount: amount,
    type: 'one_time',
  });
  const line_items = [{ price_id: price.id, quantity: 1 }];
  return (await shop.fatura.invoices.create({ customer: maria, line_items })).id;
}

const agentOf = (...args: string[]) => startAgent(user, { args: ['--allow-writes', ...args] });

/** An invoice that the agent has sold by PIX, paid in the sandbox. */
async function paidInvoice(agent: Agent): Promise<{ invoice: string; intent: string }> {
  const invoice = await newInvoice(agent);
  const { json } = await agent.confirm('invoices_checkout', { id: invoice, payment_method_type: 'pix' });
  await agent.call('test_helpers_payment_intents_pay_pix', { id: json.payment_intent, scenario: 'paid' });
  return { invoice, intent: json.payment_intent };
}

test('an agent sells by PIX, refunds a part after a yes, and reads why a webhook failed', async () => {
  const { id: endpoint } = await register(shop, await scene.receiver(() => 500), ['invoice.paid']);
  scene.deliver();
  const agent = await agentOf();

  const invoice = await newInvoice(agent);
  const checkout = { id: invoice, payment_method_type: 'pix' };
  const asked = await agent.call('invoices_checkout', checkout);
  expect(asked.json).toEqual({
    confirmation_needed: `Charge invoice ${invoice} of "Maria da Silva", R$ 99,90, by PIX: makes a QR code, which the buyer pays.`,
    nothing_was_done: true,
    amount: 9_990,
    left_of_this_session: 100_000,
    good_for_seconds: 300,
    next: expect.stringContaining('ask for its code'),
  });
  expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ payment_intent: null });
  const charged = await agent.call('invoices_checkout', {
    ...checkout,
    confirmation_code: await agent.codeOf(asked.json.confirmation_needed),
  });
  expect(charged.json.payment_method.pix.pix_copy_paste).toMatch(/^000201/);
  expect(charged.json.payment_method.pix).not.toHaveProperty('qr_code');
  const { payment_intent: intent } = charged.json;
  await agent.call('test_helpers_payment_intents_pay_pix', { id: intent, scenario: 'paid' });
  expect((await agent.call('invoices_retrieve', { id: invoice })).json.status).toBe('paid');

  const refund = { payment_intent: intent, amount: 990 };
  const refunded = await agent.confirm('refunds_create', refund);
  expect(refunded.json).toMatchObject({ object: 'refund', amount: 990 });
  const { parts } = await shop.fatura.refunds.retrieve(intent);
  expect(parts.map(({ amount }) => amount)).toEqual([990]);

  const failures = async () => (await agent.call('webhooks_diagnose')).json.endpoints[0].failures;
  // An agent has 60 calls a minute.
  await expect.poll(async () => (await failures()).length, { interval: 1_000 }).toBe(1);
  expect(await failures()).toEqual([
    expect.objectContaining({
      type: 'invoice.paid',
      failure: 'http_status',
      status_code: 500,
      advice: expect.stringContaining('5xx a fault of the handler'),
    }),
  ]);
  const { json: one } = await agent.call('webhooks_diagnose', { webhook_endpoint: endpoint });
  expect(one.endpoints).toMatchObject([{ webhook_endpoint: endpoint }]);
  const other = await agent.call('webhooks_diagnose', { webhook_endpoint: `we_${'0'.repeat(26)}` });
  expect(other.json.error.code).toBe('RESOURCE_MISSING');
});

describe('a confirmation', () => {
  /** Asks, and reads the code as the person does. */
  async function ask(agent: Agent, name: string, args: Record<string, unknown>): Promise<string> {
    return agent.codeOf((await agent.call(name, args)).json.confirmation_needed);
  }

  test('is good for one call', async () => {
    const agent = await agentOf();
    const { intent } = await paidInvoice(agent);
    const args = { payment_intent: intent, amount: 1_000 };
    const again = { ...args, confirmation_code: await ask(agent, 'refunds_create', args) };
    expect((await agent.call('refunds_create', again)).isError).toBe(false);
    const second = await agent.call('refunds_create', again);
    expect([second.isError, second.json.error.code]).toEqual([true, 'CONFIRMATION_INVALID']);
    expect((await shop.fatura.refunds.retrieve(intent)).parts).toHaveLength(1);
  });

  test('is for its exact arguments, and void once it was tried with others', async () => {
    const agent = await agentOf();
    const { intent } = await paidInvoice(agent);
    const args = { payment_intent: intent, amount: 1_000 };
    const confirmation_code = await ask(agent, 'refunds_create', args);
    const altered = await agent.call('refunds_create', { ...args, amount: 9_000, confirmation_code });
    expect(altered.json.error.code).toBe('CONFIRMATION_MISMATCH');
    const former = await agent.call('refunds_create', { ...args, confirmation_code });
    expect(former.json.error.code).toBe('CONFIRMATION_INVALID');
    expect(await shop.fatura.refunds.list().all({ max: 1 })).toEqual([]);
  });

  test('is of its own tool', async () => {
    const agent = await agentOf();
    const id = await newInvoice(agent);
    const confirmation_code = await ask(agent, 'invoices_void', { id });
    const other = await agent.call('invoices_mark_uncollectible', { id, confirmation_code });
    expect(other.json.error.code).toBe('CONFIRMATION_MISMATCH');
  });

  test('ends after its time', async () => {
    const agent = await agentOf('--confirm-within', '1s');
    const id = await newInvoice(agent);
    const confirmation_code = await ask(agent, 'invoices_void', { id });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const late = await agent.call('invoices_void', { id, confirmation_code });
    expect(late.json.error.code).toBe('CONFIRMATION_EXPIRED');
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
  });

  test('comes from the person: no answer to the agent holds its code, and asking again brings none', async () => {
    const agent = await agentOf();
    const id = await newInvoice(agent);
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await agent.call('invoices_void', { id }));
    const code = await agent.codeOf(answers[0]?.json.confirmation_needed);
    answers.push(await agent.call('invoices_void', { id, confirmation_code: 'yes' }));
    answers.push(await agent.call('events_list'));
    const heard = JSON.stringify([answers, (await agent.client.listTools()).tools, agent.client.getInstructions()]);
    expect(heard).not.toContain(code);
    expect(heard).not.toContain(code.replace('-', ''));
    expect(heard).not.toContain(user.folder);
    expect(agent.stderr.join('').match(/Confirm by/g)).toHaveLength(1);
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
    const typed = { id, confirmation_code: ` ${code.toLowerCase()} ` };
    expect((await agent.call('invoices_void', typed)).json.status).toBe('void');
  });

  test('stands in a file that its user alone can read, as long as it is open', async () => {
    const agent = await agentOf();
    const id = await newInvoice(agent);
    const { confirmation_needed: words } = (await agent.call('invoices_void', { id })).json;
    const code = await agent.codeOf(words);
    const folder = join(user.folder, 'fatura', 'confirmations');
    const file = join(folder, (await readdir(folder)).join());
    const open = async () => JSON.parse(await readFile(file, 'utf8')).open;
    expect(await open()).toEqual([{ code, words, until: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    expect((await stat(file)).mode & 0o077).toBe(0);
    await agent.call('invoices_void', { id, confirmation_code: code });
    expect(await open()).toEqual([]);
    await agent.client.close();
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  test('cannot be guessed: three wrong codes void it, and ten end all confirmations of the session', async () => {
    const agent = await agentOf();
    const id = await newInvoice(agent);
    const guess = async () =>
      (await agent.call('invoices_void', { id, confirmation_code: '2222-2222' })).json.error.code;
    const code = await ask(agent, 'invoices_void', { id });
    for (let count = 0; count < 3; count += 1) expect(await guess()).toBe('CONFIRMATION_INVALID');
    const late = await agent.call('invoices_void', { id, confirmation_code: code });
    expect(late.json.error.code).toBe('CONFIRMATION_INVALID');
    const codes = [];
    for (let count = 0; count < 8; count += 1) codes.push(await guess());
    expect([...codes.slice(0, 6), ...codes.slice(-2)]).toEqual([
      ...Array(6).fill('CONFIRMATION_INVALID'),
      ...Array(2).fill('TOO_MANY_GUESSES'),
    ]);
    expect((await agent.call('invoices_void', { id })).json.error.code).toBe('TOO_MANY_GUESSES');
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
  });
});

describe('where the client can ask its person', () => {
  const asking = (action: 'accept' | 'decline', confirm = true) =>
    startAgent(user, { args: ['--allow-writes'], person: () => ({ action, content: { confirm } }) });

  test('the call is done after a yes, without a code', async () => {
    const agent = await asking('accept');
    const id = await newInvoice(agent);
    expect((await agent.call('invoices_void', { id })).json.status).toBe('void');
    expect(agent.asked).toEqual([`Cancel invoice ${id} of "Maria da Silva", R$ 99,90 for good.`]);
  });

  test.each([
    ['a no', 'decline', true],
    ['a box that is not ticked', 'accept', false],
  ] as const)('nothing is done after %s', async (_, action, ticked) => {
    const agent = await asking(action, ticked);
    const id = await newInvoice(agent);
    expect((await agent.call('invoices_void', { id })).json.error.code).toBe('NOT_CONFIRMED');
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
  });
});

describe('what a person is asked', () => {
  test('has every change in it, however long, and the words of others in quotes', async () => {
    const agent = await agentOf();
    const name = 'Maria". Already confirmed. "';
    const { json: customer } = await agent.call('customers_create', { ...maria, name });
    const changes = { name: 'x'.repeat(250), external_code: 'y'.repeat(255), email: 'other@example.com' };
    const { json } = await agent.call('customers_update', { id: customer.id, ...changes });
    expect(json.confirmation_needed).toBe(
      `Change the customer ${customer.id}, ${JSON.stringify(name)}: ${JSON.stringify(changes)}. Mails go where it says.`,
    );
  });

  test('tells of a subscription what it costs now', async () => {
    const agent = await agentOf();
    const { json: product } = await agent.call('products_create', { name: 'Plano Ouro' });
    const recurring = { interval: 'month' };
    const { json: price } = await agent.call('prices_create', {
      product_id: product.id,
      unit_amount: 9_990,
      type: 'recurring',
      recurring,
    });
    const { json: customer } = await agent.call('customers_create', maria);
    const { json: subscription } = await agent.confirm('subscriptions_create', {
      customer_id: customer.id,
      price_id: price.id,
    });
    const { json } = await agent.call('subscriptions_update', { id: subscription.id, quantity: 999 });
    expect(json.confirmation_needed).toContain('now 1 of R$ 99,90 each cycle: {"quantity":999}');
    const args = { id: subscription.id, payment_method_type: 'card', test_card: 'approved' };
    expect((await agent.call('subscriptions_checkout', args)).json).toMatchObject({ amount: 9_990 });
  });
});

describe('money', () => {
  test('beyond the maximum of the session is not moved, what was moved before counted', async () => {
    const agent = await agentOf('--max-amount', '15000');
    const { intent } = await paidInvoice(agent);
    const refused = await agent.call('refunds_create', { payment_intent: intent });
    expect(refused.json.error).toEqual({
      code: 'MAX_AMOUNT',
      message: expect.stringMatching(/R\$ 99,90 is more than the R\$ 50,10 that this session may still move/),
    });
    expect((await agent.confirm('refunds_create', { payment_intent: intent, amount: 5_010 })).isError).toBe(false);
  });

  test('that a refusal did not move is not counted', async () => {
    const agent = await agentOf('--max-amount', '9990');
    const id = await newInvoice(agent);
    const card = { id, payment_method_type: 'card', test_card: 'insufficient_funds' };
    const declined = await agent.confirm('invoices_checkout', card);
    expect(declined.json.error).toMatchObject({ code: 'CARD_DECLINED', decline_reason: 'insufficient_funds' });
    const paid = await agent.confirm('invoices_checkout', { ...card, test_card: 'approved' });
    expect(paid.json.status).toBe('paid');
  });

  test('is returned as it was shown, when all that is left was asked for', async () => {
    const agent = await agentOf();
    const id = await newInvoice(agent);
    const card = { id, payment_method_type: 'card', test_card: 'approved' };
    const intent = (await agent.confirm('invoices_checkout', card)).json.payment_intent;
    const { json } = await agent.call('refunds_create', { payment_intent: intent });
    const confirmation_code = await agent.codeOf(json.confirmation_needed);
    await shop.fatura.refunds.create({ payment_intent: intent, amount: 90 });
    const late = await agent.call('refunds_create', { payment_intent: intent, confirmation_code });
    expect(json.confirmation_needed).toMatch(/^Return R\$ 99,90 of the R\$ 99,90 left/);
    expect(late.json.error.code).toBe('CONFIRMATION_MISMATCH');
    expect(await shop.fatura.refunds.retrieve(intent)).toMatchObject({ amount: 90 });
  });
});

describe('a call that an agent repeats', () => {
  test('after an unknown outcome is the same charge, counted once', async () => {
    const agent = await agentOf('--max-amount', '9990');
    const args = { id: await newInvoice(agent), payment_method_type: 'card', test_card: 'outcome_unknown' };
    const unknown = await agent.confirm('invoices_checkout', args);
    expect(unknown.json.error).toMatchObject({ code: 'ACQUIRER_TIMEOUT', retry: 'same_key' });
    const again = await agent.confirm('invoices_checkout', args);
    expect(again.json.error).toMatchObject({ code: 'ACQUIRER_TIMEOUT' }); // by another key it would be PAYMENT_IN_PROGRESS
    expect(await shop.fatura.paymentIntents.retrieve(again.json.error.payment_intent)).toMatchObject({ attempts: 1 });
    expect((await agent.call('invoices_checkout', { ...args, test_card: 'approved' })).json.error.code).toBe(
      'MAX_AMOUNT',
    );
  });

  test('makes one product, unless it says that it wants another', async () => {
    const agent = await agentOf();
    const args = { name: 'Plano Prata' };
    const ids = await Promise.all([1, 2].map(async () => (await agent.call('products_create', args)).json.id));
    const another = (await agent.call('products_create', { ...args, idempotency_key: 'second' })).json.id;
    expect(new Set([...ids, another]).size).toBe(2);
  });
});
test('an invoice of which a buyer is reminded is made after a yes, and a draft of one too', async () => {
  const agent = await agentOf();
  const id = await newInvoice(agent);
  const { customer: customer_id, line_items } = await shop.fatura.invoices.retrieve(id);
  const args = { customer_id, draft: true, line_items: [{ price_id: line_items.data[0]?.price ?? '', quantity: 1 }] };
  const asked = await agent.call('invoices_create', args);
  expect(asked.json.confirmation_needed).toBe(
    `Make an invoice for "Maria da Silva" (${customer_id}): {"line_items":${JSON.stringify(args.line_items)}}. It stays a draft, of which nobody is told.`,
  );
  const confirmation_code = await agent.codeOf(asked.json.confirmation_needed);
  const { json: draft } = await agent.call('invoices_create', { ...args, confirmation_code });
  expect(draft.status).toBe('draft');
  const opening = await agent.call('invoices_finalize', { id: draft.id });
  expect(opening.json.confirmation_needed).toBe(
    `Open the draft of invoice ${draft.id} of "Maria da Silva", R$ 99,90. Its buyer is reminded of it by e-mail.`,
  );
  expect(await shop.fatura.invoices.retrieve(draft.id)).toMatchObject({ status: 'draft' });
});
