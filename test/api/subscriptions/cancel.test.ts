import { describe, expect, test } from 'vitest';
import { pixExpiryStep } from '../../../server/payments/pix/ending.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { PAID, refusal, SURPLUS } from '../payments/payment-scene.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;
const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const CANCELED = ['payment_intent.discarded', 'invoice.voided', 'subscription.canceled'];

const cancel = (id: string) => scene.subscriptions.cancel(id);

describe('a subscription that is cancelled', () => {
  test('voids its invoice, ends its QR code at the bank, and answers what it tells', async () => {
    const { id, invoice, intent, txid } = await scene.subscribeByPix();
    scene.api.clock.advance(60);
    const canceled = await cancel(id);
    expect(canceled).toMatchObject({ status: 'inactive', ended: scene.now(), latest_invoice: invoice });
    expect((await scene.facts(id)).slice(-3)).toEqual([
      { type: 'payment_intent.discarded', object: await scene.intent(intent) },
      { type: 'invoice.voided', object: await scene.invoice(invoice) },
      { type: 'subscription.canceled', object: canceled },
    ]);
    expect(await scene.subscriptions.retrieve(id)).toEqual(canceled);
    expect([await scene.qrState(txid), await scene.cobStatus(txid), await scene.casesOf(txid)]).toEqual([
      'ended',
      REMOVED,
      [],
    ]);
    const [row] = await scene.rows('SELECT pending_until FROM subscription WHERE id = $1', id);
    expect(row).toEqual({ pending_until: null });
  });

  test('voids every open invoice, oldest first, and keeps the paid ones', async () => {
    const { id, latest_invoice: paid } = await scene.subscribeUnfunded({ interval: 'week' });
    const older = await scene.renew(id);
    const younger = await scene.renew(id);
    await scene.checkoutByPix(younger.id);
    const told = await scene.told(id, () => cancel(id));
    expect(told).toEqual([...CANCELED.slice(0, 2), ...CANCELED]);
    const voided = (await scene.facts(id)).filter(({ type }) => type === 'invoice.voided');
    expect(voided.map(({ object }) => (object as { id: string }).id)).toEqual([older.id, younger.id]);
    expect(await scene.invoice(paid ?? '')).toMatchObject({ status: 'paid' });
  });

  test('ends the QR codes of all its invoices', async () => {
    const { id } = await scene.subscribeUnfunded({ interval: 'week' });
    const renewals = [await scene.renew(id), await scene.renew(id)];
    const open = await Promise.all(renewals.map((renewal) => scene.checkoutByPix(renewal.id)));
    expect(await scene.told(id, () => cancel(id))).toEqual([...CANCELED.slice(0, 2), ...CANCELED]);
    for (const { txid } of open) expect(await scene.cobStatus(txid)).toBe(REMOVED);
  });

  test('leaves an invoice that was given up: a payment of it is kept, and changes nothing more', async () => {
    const { id } = await scene.subscribeUnfunded();
    const { id: invoice } = await scene.renew(id);
    await scene.fatura.invoices.markUncollectible(invoice);
    const canceled = await cancel(id);
    const told = await scene.told(id, () => scene.fatura.invoices.checkout(invoice, byCard(cards.elo)));
    expect(told.slice(-2)).toEqual(PAID);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.subscriptions.retrieve(id)).toEqual(canceled);
  });

  test('twenty times at once is so once, and every call answers it', async () => {
    const { id } = await scene.subscribeByPix();
    const before = await scene.types(id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await scene.types(id)).slice(before.length)).toEqual(CANCELED);
  });

  test('of another account or mode is not found', async () => {
    const { id } = await scene.subscribe();
    const other = await scene.api.newMerchant();
    for (const { subscriptions } of [other.fatura, scene.merchant.live]) {
      await expect(subscriptions.cancel(id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    }
    expect(await scene.status(id)).toBe('pending');
  });
});

describe('a cancellation that meets a payment', () => {
  test('at the acquirer is refused and changes nothing', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    await expect(scene.subscriptions.checkout(id, byCard(cards.answer_lost))).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT'),
    );
    const told = await scene.told(id, () =>
      expect(cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 })),
    );
    expect(told).toEqual([]);
    await scene.reconcile((await scene.invoice(invoice ?? '')).payment_intent ?? '');
    expect(await scene.status(id)).toBe('active');
    expect(await cancel(id)).toMatchObject({ status: 'inactive' });
  });

  test('of an invoice that was given up, at the acquirer, is refused all the same', async () => {
    const { id } = await scene.subscribeUnfunded();
    const { id: invoice } = await scene.renew(id);
    await scene.fatura.invoices.markUncollectible(invoice);
    const charge = await scene.chargeCard(invoice, { number: cards.answer_lost });
    await expect(cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await scene.reconcile(charge);
    expect(await cancel(id)).toMatchObject({ status: 'inactive' });
  });

  test('that the bank confirmed is refused until that settles', async () => {
    const { id, intent } = await scene.subscribeByPix();
    await scene.payPix(intent, 'confirmed_not_settled');
    await expect(cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await scene.payPix(intent);
    expect(await cancel(id)).toMatchObject({ status: 'inactive' });
  });

  test('that only the bank knows of settles it, which activates the subscription, and is refused', async () => {
    const { id, intent } = await scene.subscribeByPix();
    await scene.payPixUnheard(intent);
    await expect(cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect((await scene.types(id)).slice(-4)).toEqual([...PAID, ...ACTIVATED]);
    expect(await scene.status(id)).toBe('active');
  });

  test('by a card that takes over its QR code at the bank is refused', async () => {
    const { id, intent } = await scene.subscribeByPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () => scene.subscriptions.checkout(id, byCard()));
    await expect(cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await scene.status(id)).toBe('active');
    expect(await scene.intent(intent)).toMatchObject({ status: 'discarded' });
  });

  test('ends the QR code that a checkout made meanwhile', async () => {
    const { id, txid } = await scene.subscribeByPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () =>
      scene.subscriptions.checkout(id, { payment_method_type: 'pix' }),
    );
    expect(await cancel(id)).toMatchObject({ status: 'inactive' });
    const cobs = await scene.rows(
      `SELECT c.status, c.txid = $2 AS former FROM pix_charge q JOIN sandbox_bank.cob c ON c.txid = q.id
       JOIN payment_intent p ON p.id = q.intent_id WHERE p.subscription_id = $1 ORDER BY q.id`,
      id,
      txid,
    );
    expect(cobs).toEqual([
      { status: REMOVED, former: true },
      { status: REMOVED, former: false },
    ]);
  });

  test('late returns the money, and it stays inactive', async () => {
    const { id, invoice, intent } = await scene.subscribeByPix();
    const canceled = await cancel(id);
    const told = await scene.told(id, () => scene.payPix(intent, 'paid_late'));
    expect(told).toEqual(SURPLUS);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'refunding']);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'void', amount_paid: 0, period_start: null });
    expect(await scene.subscriptions.retrieve(id)).toEqual(canceled);
  });

  test('that slips through while the bank was away returns the money too', async () => {
    const { id, invoice, intent, txid } = await scene.subscribeByPix();
    scene.bank.meets('expirePix', 'unreachable');
    expect(await cancel(id)).toMatchObject({ status: 'inactive' });
    expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
    scene.bank.recovers();
    expect(await scene.told(id, () => scene.payPix(intent))).toEqual(SURPLUS);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'refunding']);
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.status(id)).toBe('inactive');
  });
});

describe.each(['ending.after-retiring', 'ending.after-acquirer'] as const)('a process that ends at %s', (step) => {
  test('leaves the subscription as it was, to be cancelled once more', async () => {
    const { id, txid } = await scene.subscribeByPix();
    scene.failpoints.crashAt(step);
    await expect(cancel(id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.status(id)).toBe('pending');
    expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
    expect(await scene.told(id, () => cancel(id))).toEqual(CANCELED);
    expect([await scene.cobStatus(txid), await scene.casesOf(txid)]).toEqual([REMOVED, []]);
  });

  test('leaves it to be paid: its QR code ends by the case, and another is made', async () => {
    const { id, invoice, txid } = await scene.subscribeByPix();
    scene.failpoints.crashAt(step);
    await expect(cancel(id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.cobStatus(txid)).toBe(REMOVED);
    const next = await scene.checkoutByPix(invoice);
    expect(next.txid).not.toBe(txid);
    await scene.payPix(next.intent);
    expect(await scene.status(id)).toBe('active');
  });
});

test('a customer is kept while subscribed, with an invoice or without', async () => {
  const customer = await newCustomer(scene.merchant);
  const { id } = await scene.subscribe({ customer_id: customer.id });
  await scene.subscriptions.checkout(id, byCard(cards.hipercard));
  const kept = () =>
    expect(scene.fatura.customers.anonymize(customer.id)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(id) }),
    );
  await kept();
  await cancel(id);
  await scene.fatura.customers.anonymize(customer.id);
  await expect(scene.subscribe({ customer_id: customer.id })).rejects.toEqual(
    refusal('INVALID_STATE', { status: 409 }),
  );
  expect(await scene.subscriptions.retrieve(id)).toMatchObject({ customer: customer.id, status: 'inactive' });
});

test('regression-23-a subscription with a month of unpaid QR codes is cancelled at the first try', async () => {
  const { id } = await scene.subscribePaidByPix({ interval: 'day' });
  await scene.withDays('suspend_days = 40, cancel_days = 60', async () => {
    await scene.pass(id, 30 * DAY);
  });
  expect(await scene.openInvoices(id)).toHaveLength(31);
  expect(await scene.subscriptions.cancel(id)).toMatchObject({ status: 'inactive' });
  expect(await scene.openInvoices(id)).toEqual([]);
});
