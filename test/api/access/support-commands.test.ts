import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminHere, runAdmin } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../../support/factories.ts';
import { subscribe } from '../../support/subscriptions.ts';

const PROCESSES_MS = 60_000;
const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2050, cvc: '123' };
const BUYER = { name: 'MARIA DA SILVA', document: '52998224725' };

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await api.composition.deps.pool.query(text, values)).rows;

/** A command of ana's, with the login of the API. */
const admin = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  adminHere(api, ['--as', 'ana', ...args], { DATABASE_URL: api.urls.api, ...settings });

const refund = (id: string, ...args: string[]) => admin(['invoice', 'refund', id, ...args]);

/** What the log tells of an object: who asked for what. */
const entriesOf = async (object: string) => {
  const rows = await query<{ entry: string }>('SELECT entry FROM audit_log WHERE object = $1 ORDER BY id', [object]);
  return rows
    .map(({ entry }) => JSON.parse(entry))
    .filter(({ actor }) => actor.kind === 'operator')
    .map(({ action, actor, after, live_mode, account }) => ({ action, by: actor.id, after, live_mode, account }));
};

async function paidByPix(): Promise<{ id: string; intent: string }> {
  const { id } = await newInvoice(shop);
  const { payment_intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const intent = payment_intent ?? '';
  await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
  return { id, intent };
}

async function paidByCard(): Promise<{ id: string; intent: string }> {
  const { id } = await newInvoice(shop);
  const { payment_intent } = await shop.fatura.invoices.checkout(id, {
    payment_method_type: 'card',
    card: CARD,
    billing_details: BUYER,
  });
  return { id, intent: payment_intent ?? '' };
}

const partsOf = (intent: string) =>
  query<{ amount: number; status: string }>(
    'SELECT amount, status FROM refund_part WHERE intent_id = $1 ORDER BY created, id',
    [intent],
  );

describe('a refund', () => {
  test('says what it moves, and moves it when it is told to', async () => {
    const { id, intent } = await paidByPix();
    await expect(refund(id, '--amount', '500', '--reference', 'T-1')).rejects.toThrow('repeat with --yes');
    expect(await partsOf(intent)).toEqual([]);
    const [planned, moved] = await refund(id, '--amount', '500', '--reference', 'T-1', '--yes');
    const of = { invoice: id, payment_intent: intent, reference: 'T-1' };
    expect(planned).toEqual({ ...of, moves: 500, live_mode: false });
    expect(moved).toMatchObject({ ...of, refund: { amount: 500, status: 'refunding' }, repeated: false });
    expect(await partsOf(intent)).toEqual([{ amount: 500, status: 'refunding' }]);
    const asked = { action: 'refunds.create', by: 'ana', live_mode: false, account: shop.accountId };
    expect(await entriesOf(id)).toEqual([{ ...asked, after: { reference: 'T-1', amount: 500 } }]);
  });

  test('repeated under its reference moves nothing more, also when its Idempotency-Key is forgotten', async () => {
    const { id, intent } = await paidByPix();
    const again = () => refund(id, '--amount', '500', '--reference', 'T-2', '--yes');
    await again();
    expect(await again()).toMatchObject([{ refund: { amount: 500 }, repeated: true }]);
    await query('DELETE FROM idempotency_key WHERE account_id = $1', [shop.accountId]);
    expect(await again()).toMatchObject([{ refund: { amount: 500 }, repeated: true }]);
    expect(await partsOf(intent)).toHaveLength(1);
    await expect(refund(id, '--rest', '--reference', 'T-2', '--yes')).rejects.toThrow('stands for another amount');
    await refund(id, '--rest', '--reference', 'T-3', '--yes');
    const { amount_paid: paid } = await shop.fatura.invoices.retrieve(id);
    expect((await partsOf(intent)).map(({ amount }) => amount)).toEqual([500, paid - 500]);
    await expect(refund(id, '--rest', '--reference', 'T-4', '--yes')).rejects.toThrow('what is left of');
  });

  test(
    'asked for by two at once under one reference moves once',
    async () => {
      const { id, intent } = await paidByCard();
      const command = ['invoice', 'refund', id, '--amount', '700', '--reference', 'T-5', '--yes'];
      const both = [1, 2].map(() => runAdmin(api, command, { DATABASE_URL: api.urls.api }));
      const codes = (await Promise.all(both)).map(({ code }) => code);
      // Who comes while the other one asks the acquirer is told so.
      expect(codes).toContain(0);
      expect(await partsOf(intent)).toEqual([{ amount: 700, status: 'refunded' }]);
    },
    PROCESSES_MS,
  );

  test('by card whose outcome is unknown is found out by a repeat, and asked for once', async () => {
    const { id, intent } = await paidByCard();
    await adminHere(api, ['sandbox', 'set', shop.accountId, '--call', 'refundCard', '--answer-lost', '100']);
    const command = () => refund(id, '--amount', '900', '--reference', 'T-6', '--yes');
    await expect(command()).rejects.toThrow('is not known yet');
    await adminHere(api, ['sandbox', 'reset', shop.accountId]);
    await expect(command()).rejects.toThrow('is not known yet');
    expect(await partsOf(intent)).toEqual([{ amount: 900, status: 'refunding' }]);
  });

  test('that was refused is asked for anew under another reference alone', async () => {
    const { id, intent } = await paidByCard();
    await adminHere(api, ['sandbox', 'set', shop.accountId, '--call', 'refundCard', '--refuse', '100']);
    await expect(refund(id, '--rest', '--reference', 'T-7', '--yes')).rejects.toThrow('refused to return');
    await adminHere(api, ['sandbox', 'reset', shop.accountId]);
    await expect(refund(id, '--rest', '--reference', 'T-7', '--yes')).rejects.toThrow('take another reference');
    await refund(id, '--rest', '--reference', 'T-8', '--yes');
    expect((await partsOf(intent)).map(({ status }) => status)).toEqual(['failed', 'refunded']);
  });

  test.each([
    ['of what was not paid', ['--rest', '--reference', 'T-9'], 'Nothing was paid of'],
    ['of an amount and of the rest', ['--rest', '--amount', '1', '--reference', 'T-9'], 'either --amount or --rest'],
    ['of nothing', ['--reference', 'T-9'], 'either --amount or --rest'],
    ['without a reference', ['--rest'], "required option '--reference <text>' not specified"],
  ])('%s is refused', async (_, args, message) => {
    const { id } = await newInvoice(shop);
    await expect(refund(id, ...args, '--yes')).rejects.toThrow(message);
    expect(await entriesOf(id)).toEqual([]);
  });
});

describe('an invoice', () => {
  test('is voided once, in live mode as in the sandbox', async () => {
    for (const fatura of [shop.fatura, shop.live]) {
      const { id } = await newInvoice({ ...shop, fatura });
      for (const _ of [1, 2]) expect(await admin(['invoice', 'void', id])).toEqual([{ invoice: id, status: 'void' }]);
      expect(await fatura.invoices.retrieve(id)).toMatchObject({ status: 'void' });
      const live_mode = fatura === shop.live;
      expect(await entriesOf(id)).toEqual([
        { action: 'invoices.void', by: 'ana', after: {}, live_mode, account: shop.accountId },
      ]);
    }
  });

  test('that is paid is not voided', async () => {
    const { id } = await paidByPix();
    await expect(admin(['invoice', 'void', id])).rejects.toThrow('is paid');
    expect(await entriesOf(id)).toEqual([]);
  });

  test('is mailed to its buyer more often than its merchant may', async () => {
    const { id } = await newInvoice(shop, { customer_id: (await newCustomer(shop)).id });
    for (let sent = 0; sent < 3; sent += 1) await shop.fatura.invoices.send(id);
    await expect(shop.fatura.invoices.send(id)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (const _ of [1, 2]) expect(await admin(['invoice', 'resend', id])).toEqual([{ invoice: id, queued: true }]);
    expect(await query(`SELECT 1 FROM mail WHERE invoice_id = $1 AND occasion = 'sent'`, [id])).toHaveLength(5);
    expect((await entriesOf(id)).map(({ action, by }) => `${action} ${by}`)).toEqual([
      'invoices.send ana',
      'invoices.send ana',
    ]);
    await admin(['invoice', 'void', id]);
    await expect(admin(['invoice', 'resend', id])).rejects.toThrow('only an open invoice is sent');
  });
});

describe('a subscription', () => {
  test('is ended once, with its open bill', async () => {
    const { id, latest_invoice: bill } = await subscribe(shop);
    const ended = { subscription: id, status: 'inactive', cancel_at: null, canceled_reason: 'requested' };
    for (const _ of [1, 2]) expect(await admin(['subscription', 'cancel', id])).toEqual([ended]);
    expect(await shop.fatura.invoices.retrieve(bill ?? '')).toMatchObject({ status: 'void' });
    const asked = { by: 'ana', live_mode: false, account: shop.accountId };
    expect(await entriesOf(id)).toEqual([{ ...asked, action: 'subscriptions.cancelAt', after: { at: 'now' } }]);
  });

  test('is told by the rules of the API how it may end', async () => {
    const { id } = await subscribe(shop);
    const cancel = (...args: string[]) => admin(['subscription', 'cancel', id, ...args]);
    await expect(cancel('--at', 'period_end')).rejects.toThrow('can only be canceled now');
    await expect(cancel('--at', 'period_end', '--unused', 'credit')).rejects.toThrow(
      '--unused must be absent at period_end',
    );
    await expect(cancel('--at', 'soon')).rejects.toThrow('--at');
    expect(await entriesOf(id)).toEqual([]);
  });
});

test('an event is sent again three times in all, to an endpoint that subscribes', async () => {
  const endpoint = await shop.fatura.webhookEndpoints.create({
    url: 'https://loja.example/hook',
    event_types: ['product.created'],
  });
  const { id: product } = await newProduct(shop);
  const [event] = await query<{ id: string }>('SELECT id FROM event WHERE object_id = $1', [product]);
  const id = event?.id ?? '';
  const resend = (...args: string[]) => admin(['event', 'resend', id, ...args]);
  await expect(resend('--endpoint', 'we_nothing')).rejects.toThrow('No such webhook endpoint');
  for (const _ of [1, 2, 3])
    expect(await resend('--endpoint', endpoint.id)).toEqual([{ event: id, type: 'product.created', resent: true }]);
  await expect(resend()).rejects.toThrow('was sent again 3 times');
  const asked = { by: 'ana', live_mode: false, account: shop.accountId, action: 'events.resend' };
  const sent = { ...asked, after: { webhook_endpoint_id: endpoint.id } };
  expect(await entriesOf(id)).toEqual([sent, sent, sent]);
});

describe('what the API does', () => {
  test('is refused to the login of the other commands, which says what is missing', async () => {
    const { id } = await newInvoice(shop);
    await expect(adminHere(api, ['invoice', 'void', id])).rejects.toThrow(
      'This is done with the rights of the API, which admin of DATABASE_URL has not',
    );
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
  });

  test('is done in the modes of the settings, of objects that there are', async () => {
    const { id } = await newInvoice(shop);
    await expect(admin(['invoice', 'void', id], { MODES: 'live' })).rejects.toThrow('serves live mode alone');
    await expect(admin(['invoice', 'void', 'in_nothing'])).rejects.toThrow('No such invoice: in_nothing');
    await expect(admin(['event', 'resend', 'evt_nothing'])).rejects.toThrow('No such event: evt_nothing');
  });

  test('waits until a test clock was advanced', async () => {
    const { id } = await newInvoice(shop);
    const hold = (target: string) =>
      query(`UPDATE account SET clock_held_at = ${target}, clock_target = ${target} WHERE id = $1`, [shop.accountId]);
    await hold('2000000000');
    await expect(admin(['invoice', 'void', id])).rejects.toThrow('The test clock is being advanced');
    await hold('NULL');
    expect(await admin(['invoice', 'void', id])).toEqual([{ invoice: id, status: 'void' }]);
  });
});
