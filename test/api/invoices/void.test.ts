import { describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { pixExpiryStep } from '../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import { newInvoice } from '../../support/factories.ts';
import { PaymentScene, refusal } from '../payments/payment-scene.ts';
import { SALE } from '../payments/pix/pix-scene.ts';

const DAY = 86_400;
const scene = new PaymentScene();

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
  draft: async () => (await newInvoice(scene.merchant, { draft: true })).id,
  open: async () => (await newInvoice(scene.merchant)).id,
  paid: async () => {
    const sale = await scene.openPix();
    await scene.payPix(sale.intent);
    return sale.invoice;
  },
  uncollectible: async () => (await scene.merchant.fatura.invoices.markUncollectible(await makers.open())).id,
  void: async () => (await scene.merchant.fatura.invoices.void(await makers.open())).id,
};

const allowed = { void: ['draft', 'open', 'uncollectible'], markUncollectible: ['open'] };

for (const { way, event, status, at } of ways) {
  const close = (id: string, options: { idempotencyKey?: string } = {}) =>
    scene.merchant.fatura.invoices[way](id, options);

  describe(`${way} of an invoice`, () => {
    for (const from of ['draft', 'open', 'paid', 'uncollectible', 'void'] as const) {
      if (allowed[way].includes(from)) {
        test(`that is ${from} makes it ${status}`, async () => {
          const id = await makers[from]();
          const before = { invoice: await scene.invoice(id), events: await scene.events(id) };
          const after = await close(id);
          expect(after).toEqual({
            ...before.invoice,
            status,
            status_transitions: { ...before.invoice.status_transitions, [at]: scene.api.clock.now() },
          });
          expect(await scene.invoice(id)).toEqual(after);
          expect(await scene.events(id)).toEqual([...before.events, event]);
        });
      } else {
        test(`that is ${from} is refused and changes nothing`, async () => {
          const id = await makers[from]();
          const before = {
            invoice: await scene.invoice(id),
            events: await scene.events(id),
            intents: await scene.intentsOf(id),
          };
          await expect(close(id)).rejects.toEqual(
            refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(`is ${from}`) }),
          );
          expect({
            invoice: await scene.invoice(id),
            events: await scene.events(id),
            intents: await scene.intentsOf(id),
          }).toEqual(before);
        });
      }
    }

    test('ends an open QR code at the bank first and discards its charge', async () => {
      const { invoice, intent, txid } = await scene.openPix();
      expect(await close(invoice)).toMatchObject({ status, amount_remaining: 9990, payment_intent: intent });
      expect(await scene.cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
      expect(await scene.intentsOf(invoice)).toMatchObject([
        { id: intent, status: 'discarded', status_transitions: { discarded_at: scene.api.clock.now() } },
      ]);
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
      expect(await scene.casesOf(txid)).toEqual([]);
    });

    test('of a QR code past its end does the same', async () => {
      const { invoice } = await scene.openPix();
      scene.api.clock.advance(DAY);
      expect(await close(invoice)).toMatchObject({ status });
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('that the bank knows as paid settles it and is refused', async () => {
      const { invoice, intent } = await scene.openPix();
      scene.failpoints.crashAt('settlement.after-booking');
      await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.paid', 'invoice.paid']);
    });

    test('that the bank knows as paid and cannot explain now is refused, and settled later', async () => {
      const { invoice, intent, txid } = await scene.openPix();
      scene.failpoints.crashAt('settlement.after-booking');
      await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
      scene.bank.meets('findPix', 'unreachable');
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      expect(await scene.events(invoice)).toEqual(SALE);
      expect(await scene.casesOf(txid)).toContain('pix-settlement');
      scene.bank.recovers();
      expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
      expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    });

    test('whose PIX is confirmed and not settled is refused', async () => {
      const { invoice, intent } = await scene.openPix();
      await scene.payPix(intent, 'confirmed_not_settled');
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(await scene.events(invoice)).toEqual(SALE);
      expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    });

    test('whose PIX is confirmed without our knowing is refused as well', async () => {
      const { invoice, intent } = await scene.openPix();
      scene.failpoints.crashAt('settlement.after-booking');
      await expect(scene.payPix(intent, 'confirmed_not_settled')).rejects.toEqual(refusal('INTERNAL_ERROR'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      await expect(close(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      expect(await scene.events(invoice)).toEqual(SALE);
      expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    });

    test('is made all the same when the bank is away, which is asked later', async () => {
      const { invoice, txid } = await scene.openPix();
      scene.bank.meets('expirePix', 'unreachable');
      expect(await close(invoice)).toMatchObject({ status });
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
      expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
      expect(await pixExpiryStep(scene.deps, txid)).toMatchObject({
        done: false,
        dueInSeconds: 60,
        status: 'acquirer silent',
      });
      expect(await scene.cobStatus(txid)).toBe('ATIVA');
      scene.bank.recovers();
      expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
      expect(await scene.cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
      expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    });

    for (const step of ['ending.after-retiring', 'ending.after-acquirer'] as const) {
      test(`after a crash at ${step} is repeated, or the QR code is ended all the same`, async () => {
        const { invoice, txid } = await scene.openPix();
        scene.failpoints.crashAt(step);
        await expect(close(invoice)).rejects.toEqual(refusal('INTERNAL_ERROR'));
        expect(await scene.invoice(invoice)).toMatchObject({ status: 'open' });
        expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
        expect(await close(invoice)).toMatchObject({ status });
        expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
        expect(await scene.casesOf(txid)).toEqual([]);
        const other = await scene.openPix();
        scene.failpoints.crashAt(step);
        await expect(close(other.invoice)).rejects.toEqual(refusal('INTERNAL_ERROR'));
        expect(await pixExpiryStep(scene.deps, other.txid)).toEqual({ done: true });
        expect(await scene.cobStatus(other.txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
        expect((await scene.checkoutByPix(other.invoice)).txid).not.toBe(other.txid);
      });
    }

    test('ends the QR code that a checkout made meanwhile', async () => {
      const { invoice, txid } = await scene.openPix();
      let second = { txid: '' };
      scene.failpoints.meanwhile('ending.after-acquirer', async () => {
        second = await scene.checkoutByPix(invoice);
      });
      expect(await close(invoice)).toMatchObject({ status });
      expect(second.txid).not.toBe(txid);
      expect([await scene.cobStatus(txid), await scene.cobStatus(second.txid)]).toEqual(
        Array(2).fill('REMOVIDA_PELO_USUARIO_RECEBEDOR'),
      );
      expect(await scene.events(invoice)).toEqual([
        ...SALE,
        'payment_intent.discarded',
        'payment_intent.created',
        'payment_intent.discarded',
        event,
      ]);
    });

    test('twenty times at once happens once', async () => {
      const { invoice } = await scene.openPix();
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => close(invoice)));
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toEqual(refusal('INVALID_STATE'));
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('is answered alike under the same Idempotency-Key', async () => {
      const { invoice } = await scene.openPix();
      const first = await close(invoice, { idempotencyKey: `${way}-${invoice}` });
      expect(await close(invoice, { idempotencyKey: `${way}-${invoice}` })).toEqual(first);
      expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', event]);
    });

    test('of what is not of this account finds nothing', async () => {
      const stranger = await newInvoice(await scene.api.newMerchant());
      await expect(close(stranger.id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    });
  });
}

describe('a payment that slips through', () => {
  test('of an invoice voided while the bank was away is returned', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.void(invoice);
    scene.bank.recovers();
    await scene.payPix(intent);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'void', amount_paid: 0 });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'refunding']);
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
  });

  test('while the bank could not tell, is booked by the case that ends the QR code', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.markUncollectible(invoice);
    scene.bank.recovers();
    scene.failpoints.crashAt('settlement.after-booking');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9990 });
  });

  test('is confirmed on an invoice that has no QR code any more: it is neither charged nor voided meanwhile', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.markUncollectible(invoice);
    scene.bank.recovers();
    await scene.payPix(intent, 'confirmed_not_settled');
    await expect(scene.merchant.fatura.invoices.void(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await expect(scene.checkoutByPix(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    await scene.payPix(intent);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
  });
});
