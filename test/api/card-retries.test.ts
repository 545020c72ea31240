import { describe, expect, test } from 'vitest';
import { newId } from '../../server/kernel/ids.ts';
import { REAL_CLOCK } from '../../server/kernel/time.ts';
import { retryCharge } from '../../server/payments/retry.ts';
import { cards } from '../support/cards.ts';
import { subscribe } from '../support/subscriptions.ts';
import { CREATED, DECLINED, PAID, PaymentScene, refusal, SENT } from './payment-scene.ts';

const scene = new PaymentScene();

const RETRIED = 'payment_intent.processing';

/** A card of a customer that the service may charge again, as a subscription keeps one. */
async function storeCard(customer: string, number: string): Promise<string> {
  const { accountId } = scene.merchant;
  const now = scene.api.clock.now();
  const holder = { holderName: 'MARIA DA SILVA', holderDocument: '52998224725', address: null };
  const answer = await scene.deps.acquirers.sandbox.tokenizeCard(
    { accountId, liveMode: false, name: 'Loja do Teste', city: 'SAO PAULO', now },
    { number: number.replaceAll(' ', ''), brand: 'visa', expMonth: 12, expYear: 2040, cvc: '737', ...holder },
  );
  if (!answer.known) throw new Error('the sandbox takes every card in');
  const { token, brand, last4 } = answer.value;
  const id = newId('txn');
  await scene.rows(
    `INSERT INTO payment_method (id, account_id, live_mode, created, customer_id, token, brand, last4)
     VALUES ($1, $2, false, $3, $4, $5, $6, $7)`,
    ...[id, accountId, now, customer, token, brand, last4],
  );
  return id;
}

/** A declined charge that has attempts left, as a renewal's has. */
async function declinedCharge(number: string = cards.insufficient_funds, maxAttempts = 4) {
  const { latest_invoice } = await subscribe(scene.merchant);
  const invoice = latest_invoice ?? '';
  const intent = await scene.chargeCard(invoice, { number });
  await scene.rows('UPDATE payment_intent SET max_attempts = $2 WHERE id = $1', intent, maxAttempts);
  return { invoice, intent, customer: (await scene.invoice(invoice)).customer };
}

const retry = (intentId: string, paymentMethodId: string) =>
  retryCharge(
    scene.deps,
    { accountId: scene.merchant.accountId, liveMode: false, clock: REAL_CLOCK },
    { intentId, paymentMethodId },
  );

describe('a reversible decline', () => {
  test('is tried again on the same charge, and may be paid then', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    scene.api.clock.advance(86_400);
    const now = scene.api.clock.now();
    expect(await retry(intent, stored)).toBe('paid');
    expect(await scene.intentsOf(invoice)).toMatchObject([
      {
        id: intent,
        status: 'paid',
        attempts: 2,
        max_attempts: 4,
        decline_reason: null,
        status_transitions: { processing_at: now, failed_at: now - 86_400, paid_at: now },
      },
    ]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED, RETRIED, ...PAID]);
    expect(await scene.chargesAtBank(invoice)).toMatchObject([{ outcome: 'declined' }, { outcome: 'approved' }]);
  });

  test('has no reason from the new attempt on, until that is declined as well', async () => {
    const { invoice, intent, customer } = await declinedCharge(cards.insufficient_funds);
    expect(await scene.intent(intent)).toMatchObject({ decline_reason: 'insufficient_funds' });
    const stored = await storeCard(customer, cards.suspected_fraud);
    scene.failpoints.meanwhile('card.after-attempt', async () => {
      expect(await scene.intent(intent)).toMatchObject({ status: 'processing', decline_reason: null, attempts: 2 });
      await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    });
    expect(await retry(intent, stored)).toBe('declined');
    expect(await scene.intent(intent)).toMatchObject({
      status: 'failed',
      decline_reason: 'suspected_fraud',
      attempts: 2,
    });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED, RETRIED, ...DECLINED]);
  });

  test('is tried as often as there are attempts, and not once more', async () => {
    const { invoice, intent, customer } = await declinedCharge(cards.insufficient_funds, 3);
    const stored = await storeCard(customer, cards.insufficient_funds);
    expect([await retry(intent, stored), await retry(intent, stored)]).toEqual(['declined', 'declined']);
    const before = await scene.books(invoice);
    await expect(retry(intent, stored)).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await scene.books(invoice)).toEqual(before);
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', attempts: 3, max_attempts: 3 });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(3);
  });

  test('is tried once, however many ask at once', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => retry(intent, stored)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(2);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED, RETRIED, ...PAID]);
  });

  test('whose new attempt has no answer is unknown, until the acquirer tells', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.answer_lost);
    expect(await retry(intent, stored)).toBe('unknown');
    expect(await scene.intent(intent)).toMatchObject({ status: 'processing', attempts: 2 });
    expect(
      await scene.rows(`SELECT kind, due_at < now() + interval '3 s' AS soon FROM outbox WHERE key = $1`, intent),
    ).toEqual([{ kind: 'charge-reconciliation', soon: true }]);
    await expect(retry(intent, stored)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    expect(await scene.intent(intent)).toMatchObject({ status: 'paid', attempts: 2 });
    expect(await scene.casesOf(intent)).toEqual([]);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED, RETRIED, ...PAID]);
  });

  test('whose new attempt never got there failed, and may be tried again', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    scene.bank.meets('chargeCard', 'request_lost');
    expect(await retry(intent, stored)).toBe('unknown');
    scene.bank.recovers();
    await scene.passDeadline(intent);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', decline_reason: 'processing_error' });
    expect(await retry(intent, stored)).toBe('paid');
    expect(await scene.intent(intent)).toMatchObject({ status: 'paid', attempts: 3 });
    expect(await scene.chargesAtBank(invoice)).toMatchObject([{ outcome: 'declined' }, { outcome: 'approved' }]);
  });
});

describe('a charge is not tried again', () => {
  /** Refused, with nothing changed and nothing charged. */
  async function refuses(scenario: { invoice: string; intent: string; stored: string; code: string }): Promise<void> {
    const before = await scene.books(scenario.invoice);
    await expect(retry(scenario.intent, scenario.stored)).rejects.toEqual(refusal(scenario.code));
    expect(await scene.books(scenario.invoice)).toEqual(before);
  }

  for (const reason of ['expired_card', 'invalid_card_data'] as const) {
    test(`after a decline for ${reason}, which is irreversible`, async () => {
      const { invoice, intent, customer } = await declinedCharge(cards[reason]);
      await refuses({ invoice, intent, stored: await storeCard(customer, cards.approved), code: 'INVALID_STATE' });
    });
  }

  test('after an irreversible decline that followed a reversible one', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    expect(await retry(intent, await storeCard(customer, cards.expired_card))).toBe('declined');
    await refuses({ invoice, intent, stored: await storeCard(customer, cards.approved), code: 'INVALID_STATE' });
  });

  test('when its only attempt was that of a checkout', async () => {
    const { invoice, intent, customer } = await declinedCharge(cards.insufficient_funds, 1);
    await refuses({ invoice, intent, stored: await storeCard(customer, cards.approved), code: 'INVALID_STATE' });
  });

  test('with the card of another customer', async () => {
    const { invoice, intent } = await declinedCharge();
    const { customer } = await declinedCharge();
    await refuses({ invoice, intent, stored: await storeCard(customer, cards.approved), code: 'RESOURCE_MISSING' });
  });

  test('with a card that was erased', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    await scene.rows('UPDATE payment_method SET token = NULL, brand = NULL, last4 = NULL WHERE id = $1', stored);
    await refuses({ invoice, intent, stored, code: 'INVALID_STATE' });
    // Only the data of a customer are erased, and this one's are not.
    await scene.rows('DELETE FROM payment_method WHERE id = $1', stored);
  });

  test('when another checkout took over', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    await scene.checkoutByPix(invoice);
    await refuses({ invoice, intent, stored, code: 'INVALID_STATE' });
  });

  test('when another declined charge stands in its place', async () => {
    const { invoice, intent, customer } = await declinedCharge();
    const stored = await storeCard(customer, cards.approved);
    const standing = await scene.chargeCard(invoice, { number: cards.insufficient_funds });
    await scene.rows('UPDATE payment_intent SET max_attempts = 4 WHERE id = $1', standing);
    await refuses({ invoice, intent, stored, code: 'INVALID_STATE' });
  });

  test('when the invoice was paid or voided', async () => {
    const paid = await declinedCharge();
    await scene.payByCard(paid.invoice);
    await refuses({ ...paid, stored: await storeCard(paid.customer, cards.approved), code: 'INVOICE_NOT_OPEN' });
    const voided = await declinedCharge();
    const { subscription } = await scene.invoice(voided.invoice);
    await scene.merchant.fatura.subscriptions.cancel(subscription ?? '');
    await refuses({ ...voided, stored: await storeCard(voided.customer, cards.approved), code: 'INVOICE_NOT_OPEN' });
  });
});
