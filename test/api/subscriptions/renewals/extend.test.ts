import { describe, expect, test } from 'vitest';
import { collectionStatus } from '../../../../server/subscriptions/collection/case.ts';
import { cards } from '../../../support/cards.ts';
import { mailsOf } from '../../../support/mails.ts';
import { DECLINED, PAID, refusal, SENT } from '../../payments/payment-scene.ts';
import { RESUMED } from '../subscription-scene.ts';
import { CardRetryScene, OVERDUE, RETRIED } from './card-retry-scene.ts';

const DAY = 86_400;
const UPDATED = 'invoice.updated';
const scene = new CardRetryScene();

const extend = (id: string, due_at: number) => scene.fatura.invoices.extend(id, { due_at });
const on = (day: number, types: readonly string[]) => types.map((type) => [day, type]);
const inCase = async (invoice: string) =>
  (await scene.rows('SELECT in_case FROM invoice WHERE id = $1', invoice))[0]?.in_case;
const asked = async (id: string) =>
  (await scene.rows(`SELECT FROM outbox WHERE kind = 'collection' AND key = $1`, id)).length;

/** The days that the buyer was reminded of. */
const remindedOf = async (invoice: string) =>
  (await mailsOf(scene.api, invoice)).flatMap(({ step }) => (step === null ? [] : [step]));

/** A bill by PIX that is due now. */
async function pixBill(): Promise<{ id: string; invoice: string; at: number }> {
  const { id } = await scene.subscribePaidByPix();
  const { id: invoice, due_at: at } = await scene.renew(id);
  return { id, invoice, at };
}

describe('a renewal by card with a later due date', () => {
  test('is charged, overdue, suspends and ends by the days of that date', async () => {
    const { id, invoice, at } = await scene.renewal();
    await extend(invoice, at + 20 * DAY);
    await scene.toldUntil({ id, at }, 31 - 1 / DAY);
    expect(await scene.story(id, at)).toEqual([
      ...on(0, ['subscription.period_started', 'invoice.created', ...SENT, ...DECLINED, UPDATED]),
      ...on(20, [RETRIED, ...DECLINED]),
      ...on(21, [RETRIED, ...DECLINED, ...OVERDUE]),
      ...on(23, [RETRIED, ...DECLINED]),
      ...on(30, ['subscription.suspended']),
    ]);
    await scene.toldUntil({ id, at }, 50);
    expect((await scene.story(id, at)).slice(-2)).toEqual(
      on(50, ['invoice.marked_uncollectible', 'subscription.canceled']),
    );
  });

  test('shows the next charge on its payment, and stays in the case, which looks anew', async () => {
    const { id, invoice, intent, at } = await scene.renewal();
    await scene.rows(`DELETE FROM outbox WHERE kind = 'collection'`);
    await extend(invoice, at + 5 * DAY);
    expect(await scene.intent(intent)).toMatchObject({ next_attempt: at + 5 * DAY, due_at: at + 5 * DAY });
    expect([await inCase(invoice), await asked(id)]).toEqual([true, 1]);
    expect(await collectionStatus(scene.deps, id)).toMatchObject({
      kind: 'charge',
      invoiceId: invoice,
      dueInSeconds: 5 * DAY,
      status: 'charge declined',
    });
  });

  test('whose card was refused for good is not charged; its buyer is reminded of the new date', async () => {
    const { id, invoice, at } = await scene.renewal(cards.renewals_refused);
    expect(await scene.nextChargeOf(invoice)).toBeNull();
    await extend(invoice, at + 10 * DAY);
    await scene.toldUntil({ id, at }, 12);
    expect(await remindedOf(invoice)).toEqual([-3, 0, 1]);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('that is charged at this moment is scheduled by the new date when that is declined', async () => {
    const { id, invoice, at } = await scene.renewal();
    await scene.toldUntil({ id, at }, 1 - 1 / DAY);
    scene.bank.meets('chargeCard', 'request_lost');
    scene.api.clock.advance(1);
    await scene.perform(invoice);
    scene.bank.recovers();
    const { payment_intent: intent } = await extend(invoice, at + 20 * DAY);
    expect(await scene.perform(invoice)).toBe('not_due');
    await scene.passDeadline(intent ?? '');
    await scene.reconcile(intent ?? '');
    expect(await scene.nextChargeOf(invoice)).toBe(at + 20 * DAY);
    expect(await scene.told(id, () => scene.toldUntil({ id, at }, 19))).toEqual([]);
  });
});

describe('a bill by PIX with a later due date', () => {
  test('is reminded of by that date anew, also on days it was reminded of before', async () => {
    const { id, invoice, at } = await pixBill();
    await scene.toldUntil({ id, at }, 0);
    expect(await remindedOf(invoice)).toEqual([-3, 0]);
    await extend(invoice, at + 10 * DAY);
    await scene.toldUntil({ id, at }, 12);
    expect(await remindedOf(invoice)).toEqual([-3, -3, 0, 0, 1]);
  });

  test('that is overdue ends the episode and leaves the case; the next one is told anew', async () => {
    const { id, invoice, at } = await pixBill();
    await scene.toldUntil({ id, at }, 2);
    expect(await inCase(invoice)).toBe(true);
    await extend(invoice, at + 10 * DAY);
    expect(await inCase(invoice)).toBe(false);
    expect(await collectionStatus(scene.deps, id)).toEqual({ kind: 'over', note: 'Regular again.' });
    await scene.toldUntil({ id, at }, 20);
    const told = (await scene.story(id, at)).filter(([, type]) => OVERDUE.includes(String(type)) || type === UPDATED);
    expect(told).toEqual([...on(1, OVERDUE), ...on(2, [UPDATED]), ...on(11, OVERDUE)]);
    expect(await scene.status(id)).toBe('suspended');
  });

  test('leaves the episode to another invoice that is overdue', async () => {
    const { id, older, younger, at } = await scene.twoOpen();
    await scene.toldUntil({ id, at }, 8);
    await extend(older, scene.now() + 30 * DAY);
    expect(await collectionStatus(scene.deps, id)).toMatchObject({ invoiceId: younger, status: 'overdue' });
    const overdue = (await scene.types(id)).filter((type) => type === 'subscription.overdue');
    expect(overdue).toHaveLength(1);
  });
});

describe('what a subscription waits for', () => {
  test.each(['pending', 'reactivated'] as const)('keeps its date while it is %s', async (standing) => {
    const { id, invoice } = await scene.make(standing);
    await expect(extend(invoice, scene.now() + 60 * DAY)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(`pending subscription ${id}`) }),
    );
  });

  test('leaves it suspended with a later date, ends it by that, and resumes it when paid', async () => {
    const { id, invoice } = await scene.make('suspended');
    const due = scene.now() + 40 * DAY;
    await extend(invoice, due);
    expect(await scene.status(id)).toBe('suspended');
    await scene.pass(id, 40 * DAY);
    expect(await scene.status(id)).toBe('suspended');
    expect(await scene.told(id, () => scene.payByCard(invoice))).toEqual([
      ...['payment_intent.discarded', ...SENT, ...PAID],
      ...RESUMED,
    ]);
  });

  test('ends a suspended one thirty days after the new date', async () => {
    const { id, invoice } = await scene.make('suspended');
    const due = scene.now() + 40 * DAY;
    await extend(invoice, due);
    await scene.pass(id, 70 * DAY - 1);
    expect(await scene.status(id)).toBe('suspended');
    await scene.pass(id, 1);
    expect(await scene.status(id)).toBe('inactive');
  });
});

test('a step of collection and a later date at once leave the invoice with the steps of that date', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id, invoice, at } = await scene.renewal();
    await scene.toldUntil({ id, at }, 1 - 1 / DAY);
    scene.api.clock.advance(1);
    await Promise.all([scene.perform(invoice), extend(invoice, at + 20 * DAY)]);
    const [row] = await scene.rows(
      'SELECT step, step_at, next_charge_at, overdue_at FROM invoice WHERE id = $1',
      invoice,
    );
    expect(row).toEqual({ step: 'charge', step_at: at + 20 * DAY, next_charge_at: at + 20 * DAY, overdue_at: null });
    await scene.subscriptions.cancel(id);
  }
});
