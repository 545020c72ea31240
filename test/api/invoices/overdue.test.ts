import { beforeAll, describe, expect, test } from 'vitest';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { DECLINED, PAID, PaymentScene, SENT } from '../payments/payment-scene.ts';

const DAY = 86_400;
const scene = new PaymentScene();

// Reminders come between (test/api/invoices/reminders.test.ts).
beforeAll(() => scene.rows(`UPDATE collection_settings SET reminder_days = '{}'`));

const perform = (invoice: string) => performStep(scene.deps, invoice);
const CREATED = 'invoice.created';
const OVERDUE = 'invoice.overdue';

/** An open invoice on the eve of the instant at which it is overdue. */
async function almostOverdue(): Promise<string> {
  const invoice = await scene.newInvoice();
  scene.api.clock.advance(4 * DAY - 1);
  return invoice;
}

describe('an invoice that is not paid', () => {
  test('is told overdue a day after it was due, once, and stays open', async () => {
    const invoice = await almostOverdue();
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('mark_overdue');
    const facts = await scene.facts(invoice);
    expect(facts.map(({ type }) => type)).toEqual([CREATED, OVERDUE]);
    expect(facts[1]?.object).toEqual(await scene.invoice(invoice));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open', paid: false });
    scene.api.clock.advance(100 * DAY);
    expect(await perform(invoice)).toBe('not_due');
    await scene.payByCard(invoice);
    expect(await scene.events(invoice)).toEqual([CREATED, OVERDUE, ...SENT, ...PAID]);
  });

  test('is told so once, however many ask at once', async () => {
    const invoice = await almostOverdue();
    scene.api.clock.advance(1);
    await Promise.all(Array.from({ length: 10 }, () => perform(invoice)));
    expect(await scene.events(invoice)).toEqual([CREATED, OVERDUE]);
  });

  test('is told so by the days of its account', async () => {
    const { accountId } = scene.merchant;
    await scene.rows('UPDATE collection_settings SET overdue_days = 2.5 WHERE account_id = $1', accountId);
    const { id } = await newInvoice(scene.merchant, { due_at: scene.api.clock.now() });
    await scene.rows('UPDATE collection_settings SET overdue_days = DEFAULT WHERE account_id = $1', accountId);
    scene.api.clock.advance(2.5 * DAY - 1);
    expect(await perform(id)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(id)).toBe('mark_overdue');
  });

  test('is told so in live mode too', async () => {
    const { id } = await newInvoice({ ...scene.merchant, fatura: scene.merchant.live });
    scene.api.clock.advance(4 * DAY);
    expect(await perform(id)).toBe('mark_overdue');
    expect(await scene.events(id)).toEqual([CREATED, OVERDUE]);
  });
});

describe('a draft', () => {
  const draft = async () =>
    (await newInvoice(scene.merchant, { draft: true, due_at: scene.api.clock.now() + 2 * DAY })).id;

  test('is never overdue', async () => {
    const invoice = await draft();
    scene.api.clock.advance(30 * DAY);
    expect(await perform(invoice)).toBe('not_due');
    expect(await scene.events(invoice)).toEqual([CREATED]);
  });

  test('that was finalized is overdue a day after it was due', async () => {
    const invoice = await draft();
    await scene.merchant.fatura.invoices.finalize(invoice);
    scene.api.clock.advance(3 * DAY - 1);
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('mark_overdue');
    expect(await scene.events(invoice)).toEqual([CREATED, 'invoice.finalized', OVERDUE]);
  });

  test('regression-59-that is finalized after its due date is due then, and overdue a day later', async () => {
    const invoice = await draft();
    scene.api.clock.advance(30 * DAY);
    const finalized = await scene.merchant.fatura.invoices.finalize(invoice);
    expect(finalized.due_at).toBe(scene.api.clock.now());
    expect(await scene.invoice(invoice)).toEqual(finalized);
    scene.api.clock.advance(DAY - 1);
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('mark_overdue');
    expect(await scene.events(invoice)).toEqual([CREATED, 'invoice.finalized', OVERDUE]);
  });

  test('whose due date was changed is overdue by the new one', async () => {
    const invoice = await draft();
    await scene.merchant.fatura.invoices.update(invoice, { due_at: scene.api.clock.now() + 5 * DAY });
    await scene.merchant.fatura.invoices.finalize(invoice);
    scene.api.clock.advance(6 * DAY - 1);
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('mark_overdue');
  });
});

test.each<[string, (invoice: string) => Promise<unknown>]>([
  ['paid', (invoice) => scene.payByCard(invoice)],
  ['voided', (invoice) => scene.merchant.fatura.invoices.void(invoice)],
  ['given up', (invoice) => scene.merchant.fatura.invoices.markUncollectible(invoice)],
])('an invoice that was %s in time is never overdue', async (_, close) => {
  const invoice = await almostOverdue();
  await close(invoice);
  const told = await scene.events(invoice);
  scene.api.clock.advance(DAY);
  expect(await perform(invoice)).toBe('not_due');
  expect(await scene.events(invoice)).toEqual(told);
});

describe('a payment on its way as an invoice falls overdue', () => {
  test('by card holds that up, and the invoice is paid and never overdue once it is known to be approved', async () => {
    const invoice = await almostOverdue();
    const intent = await scene.chargeCard(invoice, { number: cards.answer_lost });
    scene.api.clock.advance(DAY);
    expect(await perform(invoice)).toBe('postponed');
    expect(await perform(invoice)).toBe('not_due');
    await scene.reconcile(intent);
    expect(await perform(invoice)).toBe('not_due');
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });

  test('by card that never got there leaves it overdue once that is known', async () => {
    const invoice = await almostOverdue();
    scene.bank.meets('chargeCard', 'request_lost');
    const intent = await scene.chargeCard(invoice);
    scene.bank.recovers();
    scene.api.clock.advance(DAY);
    expect(await perform(invoice)).toBe('postponed');
    await scene.passDeadline(intent);
    await scene.reconcile(intent);
    expect(await perform(invoice)).toBe('mark_overdue');
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED, OVERDUE]);
  });

  test('by PIX that is confirmed holds that up until it settles', async () => {
    const invoice = await almostOverdue();
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.payPix(intent, 'confirmed_not_settled');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('postponed');
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(60);
    expect(await perform(invoice)).toBe('not_due');
    expect(await scene.events(invoice)).toEqual([CREATED, 'payment_intent.created', ...PAID]);
  });
});
