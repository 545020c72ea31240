import { describe, expect, test } from 'vitest';
import { recoverCases } from '../../../../server/outbox/recovery.ts';
import { pixExpiryStep } from '../../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { refusal, SURPLUS } from '../payment-scene.ts';
import { PixScene, SALE, SOLD } from './pix-scene.ts';

const DAY = 86_400;
const scene = new PixScene();

describe('a receipt that does not settle its own charge', () => {
  test('of a QR code that was replaced settles the invoice by a new charge and ends the QR code that stands', async () => {
    const { invoice, intent: first } = await scene.openPix();
    scene.api.clock.advance(DAY);
    const { intent: second, txid } = await scene.checkoutByPix(invoice);
    expect(await scene.payPix(first, 'paid_late')).toMatchObject({ id: first, status: 'discarded' });
    const [one, other, third, ...more] = await scene.intentsOf(invoice);
    expect(third).toMatchObject({ status: 'paid', amount: 9990, invoice });
    expect([one, other]).toMatchObject([
      { id: first, status: 'discarded' },
      { id: second, status: 'discarded' },
    ]);
    expect(more).toEqual([]);
    expect(await scene.invoice(invoice)).toMatchObject({
      status: 'paid',
      payment_intent: third?.id,
      amount_paid: 9990,
    });
    expect(await scene.events(invoice)).toEqual([
      ...SALE,
      'payment_intent.discarded',
      'payment_intent.created',
      'payment_intent.discarded',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
    await expect(scene.payPix(second)).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining('paid_late') }),
    );
  });

  test('of an invoice already paid by another QR code is surplus', async () => {
    const { invoice, intent: first } = await scene.openPix();
    scene.api.clock.advance(DAY);
    const { intent: second } = await scene.checkoutByPix(invoice);
    await scene.payPix(second);
    const before = await scene.invoice(invoice);
    await scene.payPix(first, 'paid_late');
    expect(await scene.invoice(invoice)).toEqual(before);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding']);
    expect((await scene.events(invoice)).slice(-5)).toEqual(['payment_intent.paid', 'invoice.paid', ...SURPLUS]);
  });

  test('of an uncollectible invoice pays it', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.merchant.fatura.invoices.markUncollectible(invoice);
    await scene.payPix(intent, 'paid_late');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9990 });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
    expect(await scene.events(invoice)).toEqual([
      ...SALE,
      'payment_intent.discarded',
      'invoice.marked_uncollectible',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
  });

  test('of a void invoice is surplus and leaves it void', async () => {
    const { invoice, intent } = await scene.openPix();
    const voided = await scene.merchant.fatura.invoices.void(invoice);
    await scene.payPix(intent, 'paid_late');
    expect(await scene.invoice(invoice)).toEqual(voided);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'refunding']);
    expect(await scene.events(invoice)).toEqual([...SALE, 'payment_intent.discarded', 'invoice.voided', ...SURPLUS]);
  });

  test('of one QR code paid twice is surplus, in one notice or in two', async () => {
    const together = await scene.openPix();
    expect(await scene.payPix(together.intent, 'paid_twice')).toMatchObject({ id: together.intent, status: 'paid' });
    expect(await scene.events(together.invoice)).toEqual([...SOLD, ...SURPLUS]);
    const apart = await scene.openPix();
    await scene.payPix(apart.intent);
    await scene.payPix(apart.intent, 'paid_twice');
    expect(await scene.events(apart.invoice)).toEqual([...SOLD, ...SURPLUS]);
    for (const { invoice, txid } of [together, apart]) {
      expect(await scene.statusesOf(invoice)).toEqual(['paid', 'refunding']);
      expect(await scene.invoice(invoice)).toMatchObject({ amount_paid: 9990, amount_refunded: 0 });
      expect(await scene.receiptsOf(invoice)).toHaveLength(2);
      expect(await scene.noticesOf(txid)).toEqual([]);
    }
  });
});

describe('while a charge of the invoice is at the acquirer', () => {
  const setStatus = (intent: string, status: string, processingAt: number | null) =>
    scene.rows('UPDATE payment_intent SET status = $2, processing_at = $3 WHERE id = $1', intent, status, processingAt);

  test('a receipt is only stored, nothing else is begun, and its outcome decides', async () => {
    const { invoice, intent: first, txid } = await scene.openPix();
    scene.api.clock.advance(DAY);
    const { intent: second } = await scene.checkoutByPix(invoice);
    await setStatus(second, 'processing', scene.api.clock.now());
    await scene.payPix(first, 'paid_late');
    expect(await scene.receiptsOf(invoice)).toEqual([{ intent_id: null, amount: 9990 }]);
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(scene.deps, txid)).toMatchObject({ done: false, status: 'charge in process' });
    await expect(scene.checkoutByPix(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    await expect(scene.merchant.fatura.invoices.void(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await expect(scene.merchant.fatura.invoices.markUncollectible(invoice)).rejects.toEqual(
      refusal('PAYMENT_IN_PROGRESS'),
    );
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open' });
    await setStatus(second, 'pending', null);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
    expect(await scene.receiptsOf(invoice)).toHaveLength(1);
  });
});

describe('a receipt of an invoice that was closed while the bank was away', () => {
  const stateOf = async (txid: string) =>
    (await scene.rows('SELECT state FROM pix_charge WHERE id = $1', txid))[0]?.state;

  for (const way of ['void', 'markUncollectible'] as const) {
    test(`and comes late, after ${way}, ends the QR code in our books as well`, async () => {
      const { invoice, intent, txid } = await scene.openPix();
      scene.bank.meets('expirePix', 'unreachable');
      await scene.merchant.fatura.invoices[way](invoice);
      scene.bank.recovers();
      expect(await stateOf(txid)).toBe('retiring');
      await scene.payPix(intent, 'paid_late');
      expect(await stateOf(txid)).toBe('ended');
      expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
      await scene.rows(`DELETE FROM outbox WHERE kind = 'pix-expiry' AND key = $1`, txid);
      await recoverCases(scene.deps.pool, { mode: 'sandbox' });
      expect(await scene.rows('SELECT kind FROM outbox WHERE key = $1', txid)).toEqual([]);
    });
  }

  test('and is confirmed only: the case that ends the QR code is over, and its settlement is waited for', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.void(invoice);
    scene.bank.recovers();
    await scene.payPix(intent, 'confirmed_not_settled');
    expect(await stateOf(txid)).toBe('retiring');
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('ended');
    scene.api.clock.advance(60);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'refunding']);
  });

  test('and that the bank cannot explain now leaves the QR code on its way out, and a reminder', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.void(invoice);
    scene.bank.recovers();
    scene.failpoints.crashAt('settlement.after-booking');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    scene.bank.meets('findPix', 'unreachable');
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('retiring');
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    scene.bank.recovers();
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('ended');
  });
});
