import { describe, expect, test } from 'vitest';
import { updateAccount } from '../../../../server/accounts/service.ts';
import { newInvoice } from '../../../support/factories.ts';
import { refusal } from '../payment-scene.ts';
import { PixScene } from './pix-scene.ts';

const DAY = 86_400;
const UNKNOWN = `in_${'0'.repeat(26)}`;
const scene = new PixScene();

describe('a PIX checkout', () => {
  test('answers the invoice with a QR code and leaves it open', async () => {
    const invoice = await newInvoice(scene.merchant, { amount: 1234 });
    const answer = await scene.checkout(invoice.id);
    const now = scene.api.clock.now();
    const { payment_method: method, ...rest } = answer;
    expect(rest).toEqual({ ...invoice, payment_intent: expect.stringMatching(/^pi_[0-9a-z]{26}$/) });
    expect(method).toEqual({
      id: expect.stringMatching(/^txn_[0-9a-z]{26}$/),
      object: 'payment_method',
      type: 'pix',
      card: null,
      pix: {
        qr_code: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
        pix_copy_paste: expect.stringMatching(
          /^000201010212.*br\.gov\.bcb\.pix.*pix\.sandbox\.fatura\.example\/v2\/[0-9a-z]{26}.*540512\.34.*6304[0-9A-F]{4}$/,
        ),
        expires: now + DAY,
      },
      created: now,
    });
    expect(await scene.merchant.fatura.paymentIntents.retrieve(answer.payment_intent ?? '')).toEqual({
      id: answer.payment_intent,
      object: 'payment_intent',
      amount: 1234,
      amount_refunded: 0,
      amount_disputed: 0,
      attempts: 0,
      max_attempts: 1,
      next_attempt: null,
      created: now,
      currency: 'brl',
      customer: invoice.customer,
      decline_reason: null,
      due_at: invoice.due_at,
      installments: 1,
      invoice: invoice.id,
      live_mode: false,
      mandate: null,
      payment_method_type: 'pix',
      scheduled_for: null,
      status: 'pending',
      status_transitions: {
        scheduled_at: null,
        processing_at: null,
        paid_at: null,
        failed_at: null,
        refunding_at: null,
        refunded_at: null,
        discarded_at: null,
      },
      subscription: null,
    });
    expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
    expect(await scene.merchant.fatura.invoices.retrieve(invoice.id)).toEqual(rest);
  });

  test('answers the same QR code while it is valid, and tells nothing new', async () => {
    const invoice = await newInvoice(scene.merchant);
    const first = await scene.checkout(invoice.id);
    scene.api.clock.advance(DAY - 1);
    expect(await scene.checkout(invoice.id)).toEqual(first);
    expect(await scene.intentsOf(invoice.id)).toHaveLength(1);
    expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  test('makes a new QR code at the very second the former one ends, and discards the former charge', async () => {
    const invoice = await newInvoice(scene.merchant);
    const first = await scene.checkout(invoice.id);
    scene.api.clock.advance(DAY);
    const second = await scene.checkout(invoice.id);
    expect(second.payment_intent).not.toBe(first.payment_intent);
    expect(second.payment_method?.pix?.pix_copy_paste).not.toBe(first.payment_method?.pix?.pix_copy_paste);
    expect(second.payment_method?.pix?.expires).toBe(scene.api.clock.now() + DAY);
    const [former, newest] = await scene.intentsOf(invoice.id);
    expect(newest).toMatchObject({ id: second.payment_intent, status: 'pending' });
    expect(former).toMatchObject({
      id: first.payment_intent,
      status: 'discarded',
      status_transitions: { discarded_at: scene.api.clock.now() },
    });
    expect(await scene.events(invoice.id)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.discarded',
      'payment_intent.created',
    ]);
    expect(await scene.qrsOf(invoice.id)).toMatchObject([{ state: 'ended' }, { state: 'active' }]);
  });

  test('ends when the account says so', async () => {
    const shop = await scene.api.newMerchant();
    await updateAccount(scene.api.operator, shop.accountId, { pixValiditySeconds: 300 });
    const invoice = await newInvoice(shop);
    const { payment_method: method } = await shop.fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
    expect(method?.pix?.expires).toBe(scene.api.clock.now() + 300);
  });

  test('charges an uncollectible invoice as well', async () => {
    const invoice = await newInvoice(scene.merchant);
    await scene.merchant.fatura.invoices.markUncollectible(invoice.id);
    expect(await scene.checkout(invoice.id)).toMatchObject({
      status: 'uncollectible',
      payment_method: { type: 'pix' },
    });
  });

  test('is refused unless the invoice takes payment, and changes nothing', async () => {
    const draft = await newInvoice(scene.merchant, { draft: true });
    const voided = await newInvoice(scene.merchant);
    await scene.merchant.fatura.invoices.void(voided.id);
    const paid = await newInvoice(scene.merchant, { discounts: [{ type: 'percentage', percentage: 100 }] });
    for (const [{ id }, status] of [
      [draft, 'draft'],
      [voided, 'void'],
      [paid, 'paid'],
    ] as const) {
      const before = await scene.events(id);
      await expect(scene.checkout(id)).rejects.toEqual(
        refusal('INVOICE_NOT_OPEN', { status: 409, message: expect.stringContaining(`is ${status}`) }),
      );
      expect(await scene.events(id)).toEqual(before);
      expect(await scene.intentsOf(id)).toEqual([]);
    }
    expect(scene.bank.calls).toEqual([]);
  });

  test('of an invoice that is not of this account and mode finds nothing', async () => {
    const invoice = await newInvoice(await scene.api.newMerchant());
    for (const id of [UNKNOWN, invoice.id, 'in_1'])
      await expect(scene.checkout(id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
  });

  test('in live mode without an acquirer is refused before anything is written', async () => {
    const live = { ...scene.merchant, fatura: scene.merchant.live };
    const invoice = await newInvoice(live);
    await expect(live.fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' })).rejects.toEqual(
      refusal('ACQUIRER_UNAVAILABLE', { status: 503 }),
    );
    expect(await live.fatura.paymentIntents.list({ invoice_id: invoice.id }).all({ max: 10 })).toEqual([]);
    expect(await scene.events(invoice.id)).toEqual(['invoice.created']);
  });

  test('is answered alike under the same Idempotency-Key', async () => {
    const invoice = await newInvoice(scene.merchant);
    const first = await scene.checkout(invoice.id, { idempotencyKey: 'sale-1' });
    const again = await scene.checkout(invoice.id, { idempotencyKey: 'sale-1' }).withResponse();
    expect(again.data).toEqual(first);
    expect(again.response.status).toBe(201);
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    expect(await scene.checkout(invoice.id, { idempotencyKey: 'sale-2' })).toEqual(first);
  });
});

describe('fifty checkouts at once', () => {
  const fifty = (id: string) => Promise.all(Array.from({ length: 50 }, () => scene.checkout(id)));

  test('make one charge and one QR code', async () => {
    const invoice = await newInvoice(scene.merchant);
    const answers = await fifty(invoice.id);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await scene.intentsOf(invoice.id)).toHaveLength(1);
    expect(await scene.qrsOf(invoice.id)).toHaveLength(1);
    expect(await scene.events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  test('replace an ended QR code once', async () => {
    const invoice = await newInvoice(scene.merchant);
    await scene.checkout(invoice.id);
    scene.api.clock.advance(DAY);
    const answers = await fifty(invoice.id);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await scene.statusesOf(invoice.id)).toEqual(['discarded', 'pending']);
  });
});
