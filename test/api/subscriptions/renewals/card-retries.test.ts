import { describe, expect, test } from 'vitest';
import { TIME_ZONE } from '../../../../server/kernel/brazil.ts';
import { cards } from '../../../support/cards.ts';
import { DECLINED, PAID, refusal, SENT } from '../../payments/payment-scene.ts';
import { CardRetryScene, OVERDUE, RENEWED, RETRIED, type Renewal } from './card-retry-scene.ts';

const DAY = 86_400;
const scene = new CardRetryScene();

describe('a reversible decline of a renewal', () => {
  test('is tried again on the same charge a day and three days after the period began, and paid then', async () => {
    const renewed = await scene.renewal(cards.renewals_delayed);
    const { id, invoice: billed, intent } = renewed;
    expect((await scene.types(id)).slice(-6)).toEqual([...RENEWED, ...DECLINED]);
    expect(await scene.intent(intent)).toMatchObject({
      status: 'failed',
      attempts: 1,
      max_attempts: 4,
      next_attempt: renewed.at + DAY,
      decline_reason: 'insufficient_funds',
    });
    expect(await scene.toldUntil(renewed, 1)).toEqual([RETRIED, ...DECLINED, ...OVERDUE]);
    expect(await scene.intent(renewed.intent)).toMatchObject({ attempts: 2, next_attempt: renewed.at + 3 * DAY });
    expect(await scene.toldUntil(renewed, 3)).toEqual([RETRIED, ...PAID]);
    const now = renewed.at + 3 * DAY;
    expect(await scene.intentsOf(billed)).toMatchObject([
      {
        id: intent,
        status: 'paid',
        attempts: 3,
        max_attempts: 4,
        next_attempt: null,
        decline_reason: null,
        status_transitions: { processing_at: now, failed_at: now - 2 * DAY, paid_at: now },
      },
    ]);
    expect(await scene.invoice(billed)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await scene.outcomesOf(billed)).toEqual(['declined', 'declined', 'approved']);
    expect(await scene.toldUntil(renewed, 27)).toEqual([]);
  });

  test('has no reason from the new attempt on, until that is declined as well', async () => {
    const renewed = await scene.renewal();
    const { invoice, intent } = renewed;
    await scene.issuerAnswers(renewed, 'suspected_fraud');
    scene.api.clock.advance(DAY);
    scene.failpoints.meanwhile('card.after-attempt', async () => {
      expect(await scene.intent(intent)).toMatchObject({ status: 'processing', decline_reason: null, attempts: 2 });
      await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    });
    expect(await scene.perform(invoice)).toBe('charge');
    expect(await scene.intent(intent)).toMatchObject({
      status: 'failed',
      decline_reason: 'suspected_fraud',
      attempts: 2,
    });
    expect(await scene.events(invoice)).toEqual(['invoice.created', ...SENT, ...DECLINED, RETRIED, ...DECLINED]);
  });

  test('is tried as often as the schedule has it, and not once more', async () => {
    const renewed = await scene.renewal();
    const { invoice, intent } = renewed;
    expect(await scene.toldUntil(renewed, 1)).toEqual([RETRIED, ...DECLINED, ...OVERDUE]);
    expect(await scene.toldUntil(renewed, 3)).toEqual([RETRIED, ...DECLINED]);
    expect(await scene.toldUntil(renewed, 7)).toEqual([RETRIED, ...DECLINED]);
    expect(await scene.intentsOf(invoice)).toMatchObject([
      { id: intent, status: 'failed', attempts: 4, max_attempts: 4, next_attempt: null },
    ]);
    expect(await scene.toldUntil(renewed, 10)).toEqual(['subscription.suspended']);
    expect(await scene.outcomesOf(invoice)).toEqual(['declined', 'declined', 'declined', 'declined']);
  });

  test('is tried at the days that its account had as it was opened', async () => {
    const { accountId } = scene.merchant;
    await scene.rows(`UPDATE collection_settings SET retry_days = '{2,0.5}' WHERE account_id = $1`, accountId);
    const renewed = await scene.renewal();
    const { invoice, intent, at } = renewed;
    expect(await scene.nextChargeOf(invoice)).toBe(at + DAY / 2);
    expect(await scene.intent(intent)).toMatchObject({ attempts: 1, max_attempts: 3, next_attempt: at + DAY / 2 });
    await scene.toldUntil(renewed, 0.5);
    expect(await scene.nextChargeOf(invoice)).toBe(at + 2 * DAY);
    await scene.rows(`UPDATE collection_settings SET retry_days = DEFAULT WHERE account_id = $1`, accountId);
    await scene.toldUntil(renewed, 9);
    expect(await scene.intent(intent)).toMatchObject({ attempts: 3, max_attempts: 3, next_attempt: null });
    await scene.subscriptions.cancel(renewed.id);
  });

  test('whose account had no days then is not tried again, whatever days there are now and whichever card', async () => {
    const { accountId } = scene.merchant;
    await scene.rows(`UPDATE collection_settings SET retry_days = '{}' WHERE account_id = $1`, accountId);
    const renewed = await scene.renewal();
    const { id, intent } = renewed;
    await scene.rows(`UPDATE collection_settings SET retry_days = DEFAULT WHERE account_id = $1`, accountId);
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', max_attempts: 1, next_attempt: null });
    await scene.replaceCard(id, cards.approved);
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', max_attempts: 1, next_attempt: null });
    expect(await scene.toldUntil(renewed, 1)).not.toContain(RETRIED);
  });

  test('is tried once, however many ask at once', async () => {
    const { invoice } = await scene.renewal();
    scene.api.clock.advance(DAY);
    const done = await Promise.all(Array.from({ length: 10 }, () => scene.perform(invoice)));
    expect(done.filter((one) => one === 'charge')).toHaveLength(1);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(2);
    expect((await scene.events(invoice)).filter((type) => type === RETRIED)).toHaveLength(2);
  });

  test('whose new attempt has no answer is unknown, and nothing is done by itself until the acquirer tells', async () => {
    const renewed = await scene.renewal();
    const { invoice, intent, at } = renewed;
    await scene.issuerAnswers(renewed, 'answer_lost');
    scene.api.clock.advance(DAY);
    expect(await scene.perform(invoice)).toBe('charge');
    expect(await scene.intent(intent)).toMatchObject({ status: 'processing', attempts: 2 });
    expect(
      await scene.rows(`SELECT kind, due_at < now() + interval '3 s' AS soon FROM outbox WHERE key = $1`, intent),
    ).toEqual([{ kind: 'charge-reconciliation', soon: true }]);
    expect(await scene.perform(invoice)).toBe('not_due');
    expect(await scene.rows('SELECT step, step_at FROM invoice WHERE id = $1', invoice)).toEqual([
      { step: null, step_at: null },
    ]);
    expect(await scene.pass(renewed.id, 20 * DAY)).toEqual([]);
    expect(await scene.told(renewed.id, () => scene.reconcile(intent))).toEqual(PAID);
    expect(await scene.intent(intent)).toMatchObject({ status: 'paid', attempts: 2 });
    expect(await scene.casesOf(intent)).toEqual([]);
    expect(await scene.subscriptions.retrieve(renewed.id)).toMatchObject({ status: 'active' });
    expect(scene.now()).toBe(at + 21 * DAY);
  });

  test('whose new attempt never got there failed: what fell due meanwhile is done, and it is tried again', async () => {
    const renewed = await scene.renewal();
    const { invoice, intent, at } = renewed;
    scene.bank.meets('chargeCard', 'request_lost');
    scene.api.clock.advance(DAY);
    expect(await scene.perform(invoice)).toBe('charge');
    expect(await scene.perform(invoice)).toBe('not_due');
    scene.bank.recovers();
    await scene.issuerAnswers(renewed, 'approved');
    await scene.passDeadline(intent);
    scene.api.clock.advance(DAY);
    expect(await scene.told(renewed.id, () => scene.reconcile(intent))).toEqual(DECLINED);
    expect(await scene.intent(intent)).toMatchObject({
      status: 'failed',
      decline_reason: 'processing_error',
      next_attempt: at + 3 * DAY,
    });
    expect(await scene.toldUntil(renewed, 3)).toEqual([...OVERDUE, RETRIED, ...PAID]);
    expect(await scene.intent(intent)).toMatchObject({ status: 'paid', attempts: 3 });
    expect(await scene.outcomesOf(invoice)).toEqual(['declined', 'approved']);
  });

  test('that an outage left out is tried at the next instant of the schedule alone', async () => {
    const renewed = await scene.renewal();
    scene.api.clock.advance(5 * DAY);
    const told = await scene.toldUntil(renewed, 5);
    expect(told).toEqual([RETRIED, ...DECLINED, ...OVERDUE]);
    expect(await scene.nextChargeOf(renewed.invoice)).toBe(renewed.at + 7 * DAY);
  });
});

describe('a renewal is not charged again by itself', () => {
  /** Whatever time brings, the card is left alone. */
  async function staysUncharged(renewed: Renewal): Promise<void> {
    const before = await scene.chargesAtBank(renewed.invoice);
    await scene.toldUntil(renewed, 9);
    expect(await scene.chargesAtBank(renewed.invoice)).toEqual(before);
  }

  for (const reason of ['expired_card', 'invalid_card_data'] as const) {
    test(`after a decline for ${reason}, which is irreversible`, async () => {
      const renewed = await scene.renewal(cards.approved, reason);
      expect(await scene.intent(renewed.intent)).toMatchObject({
        status: 'failed',
        decline_reason: reason,
        next_attempt: null,
      });
      await staysUncharged(renewed);
    });
  }

  test('regression-68-after the expiry of its stored card, which is declined by the clock of the account', async () => {
    const today = Temporal.Instant.fromEpochMilliseconds(scene.now() * 1_000).toZonedDateTimeISO(TIME_ZONE);
    const { id } = await scene.subscribeByCard(cards.approved, {
      card: { exp_month: today.month, exp_year: today.year },
    });
    const { id: invoice, payment_intent: intent } = await scene.renew(id);
    expect(await scene.intent(intent ?? '')).toMatchObject({
      status: 'failed',
      decline_reason: 'expired_card',
      next_attempt: null,
    });
    await staysUncharged({ id, invoice, intent: intent ?? '', at: scene.now() });
  });

  test('after the irreversible decline of the card whose renewals are refused', async () => {
    const renewed = await scene.renewal(cards.renewals_refused);
    expect(await scene.intent(renewed.intent)).toMatchObject({ decline_reason: 'issuer_declined', next_attempt: null });
    await staysUncharged(renewed);
  });

  test('after an irreversible decline that followed a reversible one', async () => {
    const renewed = await scene.renewal();
    await scene.issuerAnswers(renewed, 'expired_card');
    expect(await scene.toldUntil(renewed, 1)).toEqual([RETRIED, ...DECLINED, ...OVERDUE]);
    await staysUncharged(renewed);
  });

  test('when its card was erased', async () => {
    const renewed = await scene.renewal();
    const [card] = await scene.rows(
      'SELECT m.* FROM payment_method m JOIN subscription s ON s.payment_method_id = m.id WHERE s.id = $1',
      renewed.id,
    );
    await scene.rows(
      'UPDATE payment_method SET sealed_token = NULL, brand = NULL, last4 = NULL WHERE id = $1',
      card?.id,
    );
    await staysUncharged(renewed);
    // Only the data of a customer are erased, and this one's are not.
    const { sealed_token: token, brand, last4 } = card ?? {};
    await scene.rows(
      'UPDATE payment_method SET sealed_token = $2, brand = $3, last4 = $4 WHERE id = $1',
      ...[card?.id, token, brand, last4],
    );
  });

  test('once its buyer paid it by card, by PIX, or it was voided', async () => {
    const byCard = await scene.renewal();
    await scene.payByCard(byCard.invoice);
    await staysUncharged(byCard);
    const byPix = await scene.renewal();
    await scene.payPix((await scene.checkoutByPix(byPix.invoice)).intent);
    await staysUncharged(byPix);
    const voided = await scene.renewal();
    await scene.fatura.invoices.void(voided.invoice);
    await staysUncharged(voided);
  });

  test('once its subscription has ended, and a first bill never is', async () => {
    const ended = await scene.renewal();
    await scene.subscriptions.cancel(ended.id);
    await staysUncharged(ended);
    const { id, latest_invoice: first } = await scene.subscribe();
    const intent = await scene.chargeCard(first ?? '', { number: cards.insufficient_funds });
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', max_attempts: 1, next_attempt: null });
    expect(await scene.pass(id, 6 * DAY)).toEqual([]);
    expect(await scene.outcomesOf(first ?? '')).toEqual(['declined']);
  });
});
