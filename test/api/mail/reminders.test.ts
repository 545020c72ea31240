import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { lockInvoice } from '../../../server/invoices/life.ts';
import { writeToBuyer } from '../../../server/mail/bill-letters.ts';
import { sendMails } from '../../../server/mail/sending.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newPrice, newProduct } from '../../support/factories.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';
import { inEachMode } from '../../support/modes.ts';
import { subscribe } from '../../support/subscriptions.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

/** What the mails about an invoice show of their state. */
const states = async (invoice: string) => (await mailsOf(api, invoice)).map(({ step, status }) => ({ step, status }));

async function anInvoice(overrides: Parameters<typeof newInvoice>[1] = {}) {
  const product = await newProduct(shop, { name: 'Plano Ouro' });
  const price = await newPrice(shop, { product_id: product.id });
  const customer = await newCustomer(shop, { email: 'maria@example.com' });
  return newInvoice(shop, {
    customer_id: customer.id,
    line_items: [{ price_id: price.id, quantity: 2 }],
    due_at: api.clock.now() + 3 * 86_400,
    ...overrides,
  });
}

describe('a reminder', () => {
  test('is kept until it is sent, with all that its buyer needs to pay', async () => {
    const { id } = await anInvoice();
    await remindOf(api, shop, { id, step: -3 });
    const [mail, ...others] = await mailsOf(api, id);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      occasion: 'reminder',
      step: -3,
      status: 'queued',
      attempts: 0,
      recipient: 'maria@example.com',
      recipient_name: 'Maria da Silva',
      subject: expect.stringMatching(/^\[Teste\] Sua fatura vence em \d\d\/\d\d\/\d{4} – Loja do Teste$/),
      body_text: expect.stringContaining('Referente a: 2 × Plano Ouro\nValor: R$ 199,80\nVencimento: '),
      body_html: expect.stringContaining('<strong>R$ 199,80</strong>'),
      message_id: expect.stringMatching(/^<mail_[0-9a-z]{26}@127\.0\.0\.1>$/),
      last_error: null,
      sent_at: null,
      wait: expect.any(Number),
    });
    const link = new RegExp(`^http://127\\.0\\.0\\.1:3000/pay/${id}/[A-Za-z0-9_-]{43}$`, 'm');
    expect(mail?.body_text).toMatch(link);
    expect(mail?.wait).toBeLessThanOrEqual(0);
  });

  test('of a subscription warns of its end, and of a live invoice is no test', async () => {
    const { latest_invoice: id } = await subscribe({ ...shop, fatura: shop.live });
    await remindOf(api, shop, { id: id ?? '', step: 7, liveMode: true });
    const [mail] = await mailsOf(api, id ?? '');
    expect(mail?.subject).toMatch(/^Último lembrete/);
    expect(mail?.body_text).toContain('Para que sua assinatura não seja suspensa, pague hoje mesmo.');
  });

  test('is written once a step, however often and at once it is asked for', async () => {
    const { id } = await anInvoice();
    await remindOf(api, shop, { id, step: 0 });
    const [first] = await mailsOf(api, id);
    await Promise.all(([0, 0, 1, 1, 1] as const).map((step) => remindOf(api, shop, { id, step })));
    expect(await states(id)).toEqual([
      { step: 0, status: 'queued' },
      { step: 1, status: 'queued' },
    ]);
    expect((await mailsOf(api, id))[0]?.message_id).toBe(first?.message_id);
  });

  test('goes with the transaction that it is written in', async () => {
    const { id } = await anInvoice();
    const { deps } = api.composition;
    const scope = await readScope(deps.pool, { accountId: shop.accountId, liveMode: false });
    await expect(
      deps.transaction(scope, async (tx) => {
        await writeToBuyer(tx, { invoice: await lockInvoice(tx, id), occasion: { kind: 'sent' } });
        throw new Error('the caller failed');
      }),
    ).rejects.toThrow('the caller failed');
    expect(await mailsOf(api, id)).toEqual([]);
  });

  test.each([
    ['Maria\r\nda\t Silva', 'Maria da Silva', 'Olá, Maria da Silva!'],
    ['Maria\r\nBcc: todos@loja.test\n\n<b>Silva</b>', '', 'Olá!'],
  ])('calls its buyer by a name in one line, if that is what %j is', async (name, recipientName, greeting) => {
    const customer = await newCustomer(shop, { name });
    const { id } = await newInvoice(shop, { customer_id: customer.id });
    await remindOf(api, shop, { id, step: 0 });
    const [mail] = await mailsOf(api, id);
    expect(mail?.recipient_name).toBe(recipientName);
    expect(mail?.body_text?.split('\n')[0]).toBe(greeting);
    expect(mail?.body_html).not.toContain('todos@loja.test');
  });
});

describe('without a mail server', () => {
  test('mails stay queued, and nobody takes them', async () => {
    const { id } = await anInvoice();
    await remindOf(api, shop, { id, step: 0 });
    const before = await mailsOf(api, id);
    expect(await inEachMode((mode) => sendMails(api.composition.deps, { mode, told: () => {} }))).toEqual({
      sent: 0,
      failed: 0,
      retried: 0,
      dropped: 0,
      kept: 0,
      held: 0,
    });
    expect(await mailsOf(api, id)).toEqual(before.map((mail) => ({ ...mail, wait: expect.any(Number) })));
    expect((await mailsOf(api, id))[0]?.wait).toBeLessThanOrEqual(0);
  });
});

describe('anonymizing a customer', () => {
  const erased = {
    recipient: null,
    recipient_name: null,
    subject: null,
    body_text: null,
    body_html: null,
    last_error: null,
  };

  test('erases what was written to it, and what waits is not sent', async () => {
    const { id, customer } = await anInvoice();
    const bystander = await anInvoice();
    await remindOf(api, shop, { id, step: -3 });
    await remindOf(api, shop, { id, step: 0 });
    await remindOf(api, shop, { id: bystander.id, step: 0 });
    const { pool } = api.composition.deps;
    await pool.query(
      `UPDATE mail SET status = 'sent', sent_at = now(), last_error = 'maria@example.com is busy'
       WHERE invoice_id = $1 AND step = -3`,
      [id],
    );
    const kept = await mailsOf(api, bystander.id);
    await shop.fatura.invoices.markUncollectible(id);
    await shop.fatura.customers.anonymize(customer);
    expect(await mailsOf(api, id)).toMatchObject([
      { step: -3, status: 'sent', ...erased },
      { step: 0, status: 'dropped', ...erased },
    ]);
    expect(await mailsOf(api, bystander.id)).toEqual(kept.map((mail) => ({ ...mail, wait: expect.any(Number) })));
  });

  test('leaves nobody to write to', async () => {
    const { id, customer } = await anInvoice();
    await shop.fatura.invoices.markUncollectible(id);
    await shop.fatura.customers.anonymize(customer);
    await remindOf(api, shop, { id, step: 7 });
    expect(await mailsOf(api, id)).toEqual([]);
  });
});
