import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { pixExpiryStep, pixSettlementStep } from '../../../server/payments/cases.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { Failpoints, type TestBank, troubleBank } from '../../support/bank.ts';
import { eventTypes, newInvoice } from '../../support/factories.ts';

const DAY = 86_400;

const failpoints = new Failpoints();
let api: TestApi;
let merchant: Merchant;
let bank: TestBank;

beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  bank = troubleBank(api);
  merchant = await api.newMerchant();
});
afterEach(() => bank.recovers());
afterAll(() => api.stop());

const refusal = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });
const deps = () => api.composition.deps;
const events = (id: string) => eventTypes(deps().pool, id);
const retrieve = (id: string) => merchant.fatura.invoices.retrieve(id);
const pay = (intent: string, scenario: 'paid' | 'paid_late' | 'confirmed_not_settled' = 'paid') =>
  merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario });
const intentsOf = (invoice: string) => merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 100 });

async function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await deps().pool.query(sql, values)).rows;
}
const cobStatus = async (txid: string) =>
  (await rows('SELECT status FROM sandbox_bank.cob WHERE txid = $1', txid))[0]?.status;
const outboxOf = async (txid: string) =>
  (await rows('SELECT kind FROM outbox WHERE key = $1', txid)).map(({ kind }) => kind);

async function checkout(invoice: string): Promise<{ invoice: string; intent: string; txid: string }> {
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  const [qr] = await rows('SELECT id FROM pix_charge WHERE intent_id = $1', intent);
  return { invoice, intent: intent ?? '', txid: String(qr?.id) };
}
const openSale = async () => checkout((await newInvoice(merchant)).id);

const SALE = ['invoice.created', 'payment_intent.created'];

const ways = [
  { way: 'void', event: 'invoice.voided', status: 'void', at: 'voided_at' },
  {
    way: 'markUncollectible',
    event: 'invoice.marked_uncollectible',
    status: 'uncollectible',
    at: 'marked_uncollectible_at',
  },
] as const;

const makers: Record<InvoiceStatus, () => Promise<string>> = {
  draft: async () => (await newInvoice(merchant, { draft: true })).id,
  open: async () => (await newInvoice(merchant)).id,
  paid: async () => {
    const sale = await openSale();
    await pay(sale.intent);
    return sale.invoice;
  },
  uncollectible: async () => (await merchant.fatura.invoices.markUncollectible(await makers.open())).id,
  void: async () => (await merchant.fatura.invoices.void(await makers.open())).id,
};

const allowed = { void: ['draft', 'open', 'uncollectible'], markUncollectible: ['open'] };

for (const { way, event, status, at } of ways) {
  const close = (id: string, options: { idempotencyKey?: string } = {}) => merchant.fatura.invoices[way](id, options);

  describe(`${way} of an invoice`, () => {
    for (const from of ['draft', 'open', 'paid', 'uncollectible', 'void'] as const) {
      if (allowed[way].includes(from)) {
        test(`that is ${from} makes it ${status}`, async () => {
          const id = await makers[from]();
          const before = { invoice: await retrieve(id), events: await events(id) };
          const after = await close(id);
          expect(after).toEqual({
            ...before.invoice,
            status,
            status_transitions: { ...before.invoice.status_transitions, [at]: api.clock.now() },
          });
          expect(await retrieve(id)).toEqual(after);
          expect(await events(id)).toEqual([...before.events, event]);
        });
      } else {
        test(`that is ${from} is refused and changes nothing`, async () => {
          const id = await makers[from]();
          const before = { invoice: await retrieve(id), events: await events(id), intents: await intentsOf(id) };
          await expect(close(id)).rejects.toEqual(
            refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(`is ${from}`) }),
          );
          expect({ invoice: await retrieve(id), events: await events(id), intents: await intentsOf(id) }).toEqual(
            before,
          );
        });
      }
    }

    test('ends an open QR code at the bank first and discards its charge', async () => {
      const { invoice, intent, txid } = await openSale();
      expect(await close(invoice)).toMatchObject({ status, amount_remaining: 9990, payment_intent: intent });
      expect(await cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
      expect(await intentsOf(invoice)).toMatchObject([
        { id: intent, status: 'discarded', status_transitions: { discarded_at: api.clock.now() } },
      ]);
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
      expect(await outboxOf(txid)).toEqual([]);
    });

    test('of a QR code past its end does the same', async () => {
      const { invoice } = await openSale();
      api.clock.advance(DAY);
      expect(await close(invoice)).toMatchObject({ status });
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('that the bank knows as paid settles it and is refused', async () => {
      const { invoice, intent } = await openSale();
      failpoints.crashAt('settlement.after-booking');
      await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(await retrieve(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.paid', 'invoice.paid']);
    });

    test('that the bank knows as paid and cannot explain now is refused, and settled later', async () => {
      const { invoice, intent, txid } = await openSale();
      failpoints.crashAt('settlement.after-booking');
      await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
      bank.meets('findPix', 'unreachable');
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      expect(await events(invoice)).toEqual(SALE);
      expect(await outboxOf(txid)).toContain('pix-settlement');
      bank.recovers();
      expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
      expect(await retrieve(invoice)).toMatchObject({ status: 'paid' });
    });

    test('whose PIX is confirmed and not settled is refused', async () => {
      const { invoice, intent } = await openSale();
      await pay(intent, 'confirmed_not_settled');
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(await events(invoice)).toEqual(SALE);
      expect(await pay(intent)).toMatchObject({ status: 'paid' });
    });

    test('whose PIX is confirmed without our knowing is refused as well', async () => {
      const { invoice, intent } = await openSale();
      failpoints.crashAt('settlement.after-booking');
      await expect(pay(intent, 'confirmed_not_settled')).rejects.toEqual(refusal('INTERNAL_ERROR'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      expect(await events(invoice)).toEqual(SALE);
      expect(await pay(intent)).toMatchObject({ status: 'paid' });
    });

    test('is made all the same when the bank is away, which is asked later', async () => {
      const { invoice, txid } = await openSale();
      bank.meets('expirePix', 'unreachable');
      expect(await close(invoice)).toMatchObject({ status });
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
      expect(await outboxOf(txid)).toEqual(['pix-expiry']);
      expect(await pixExpiryStep(deps(), txid)).toMatchObject({ done: false, dueInSeconds: 60, status: 'bank silent' });
      expect(await cobStatus(txid)).toBe('ATIVA');
      bank.recovers();
      expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
      expect(await cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
      expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
    });

    for (const step of ['ending.after-retiring', 'ending.after-acquirer']) {
      test(`after a crash at ${step} is repeated, or the QR code is ended all the same`, async () => {
        const { invoice, txid } = await openSale();
        failpoints.crashAt(step);
        await expect(close(invoice)).rejects.toEqual(refusal('INTERNAL_ERROR'));
        expect(await retrieve(invoice)).toMatchObject({ status: 'open' });
        expect(await outboxOf(txid)).toEqual(['pix-expiry']);
        expect(await close(invoice)).toMatchObject({ status });
        expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
        expect(await outboxOf(txid)).toEqual([]);
        const other = await openSale();
        failpoints.crashAt(step);
        await expect(close(other.invoice)).rejects.toEqual(refusal('INTERNAL_ERROR'));
        expect(await pixExpiryStep(deps(), other.txid)).toEqual({ done: true });
        expect(await cobStatus(other.txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
        expect((await checkout(other.invoice)).txid).not.toBe(other.txid);
      });
    }

    test('ends the QR code that a checkout made meanwhile', async () => {
      const { invoice, txid } = await openSale();
      let second = { txid: '' };
      failpoints.meanwhile('ending.after-acquirer', async () => {
        second = await checkout(invoice);
      });
      expect(await close(invoice)).toMatchObject({ status });
      expect(second.txid).not.toBe(txid);
      expect([await cobStatus(txid), await cobStatus(second.txid)]).toEqual(
        Array(2).fill('REMOVIDA_PELO_USUARIO_RECEBEDOR'),
      );
      expect(await events(invoice)).toEqual([
        ...SALE,
        'payment_intent.discarded',
        'payment_intent.created',
        'payment_intent.discarded',
        event,
      ]);
    });

    test('twenty times at once happens once', async () => {
      const { invoice } = await openSale();
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => close(invoice)));
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toEqual(refusal('INVALID_STATE'));
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('is answered alike under the same Idempotency-Key', async () => {
      const { invoice } = await openSale();
      const first = await close(invoice, { idempotencyKey: `${way}-${invoice}` });
      expect(await close(invoice, { idempotencyKey: `${way}-${invoice}` })).toEqual(first);
      expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('of what is not of this account finds nothing', async () => {
      const stranger = await newInvoice(await api.newMerchant());
      await expect(close(stranger.id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    });
  });
}

describe('a payment that slips through', () => {
  test('of an invoice voided while the bank was away is returned', async () => {
    const { invoice, intent, txid } = await openSale();
    bank.meets('expirePix', 'unreachable');
    await merchant.fatura.invoices.void(invoice);
    bank.recovers();
    await pay(intent);
    expect(await retrieve(invoice)).toMatchObject({ status: 'void', amount_paid: 0 });
    expect((await intentsOf(invoice)).map(({ status }) => status)).toEqual(['refunding', 'discarded']);
    expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
  });

  test('while the bank could not tell, is booked by the case that ends the QR code', async () => {
    const { invoice, intent, txid } = await openSale();
    bank.meets('expirePix', 'unreachable');
    await merchant.fatura.invoices.markUncollectible(invoice);
    bank.recovers();
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 9990 });
  });

  test('is confirmed on an invoice that has no QR code any more: it is neither charged nor voided meanwhile', async () => {
    const { invoice, intent } = await openSale();
    bank.meets('expirePix', 'unreachable');
    await merchant.fatura.invoices.markUncollectible(invoice);
    bank.recovers();
    await pay(intent, 'confirmed_not_settled');
    await expect(merchant.fatura.invoices.void(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await expect(checkout(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    await pay(intent);
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid' });
  });
});
