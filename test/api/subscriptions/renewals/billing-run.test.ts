import { afterEach, describe, expect, test } from 'vitest';
import { permitsFor } from '../../../../server/jobs/due-run.ts';
import { performDue, runBilling } from '../../../../server/subscriptions/billing/due.ts';
import { performStep } from '../../../../server/subscriptions/collection/step.ts';
import { cards } from '../../../support/cards.ts';
import { DECLINED, PAID, SENT } from '../../payments/payment-scene.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

/** What one run does is told by its counts: nothing of another test may be due in it. */
afterEach(async () => {
  for await (const { id, status } of scene.subscriptions.list())
    if (status !== 'inactive') await scene.subscriptions.cancel(id);
});

const run = () => runBilling(scene.deps, { mode: 'sandbox', told: () => {} });
const RENEWED = ['subscription.period_started', 'invoice.created', ...SENT];

describe('a run', () => {
  test('renews what is due and nothing else, and finds nothing to do a moment later', async () => {
    const monthly = await scene.subscribeByCard();
    const { current_period_end: end } = await scene.subscriptions.retrieve(monthly.id);
    scene.api.clock.advance((end ?? 0) - scene.now() - 1);
    expect(await run()).toEqual({ due: 0 });
    scene.api.clock.advance(1);
    expect(await run()).toEqual({ due: 1, approved: 1 });
    expect(await run()).toEqual({ due: 0 });
    expect((await scene.types(monthly.id)).slice(-6)).toEqual([...RENEWED, ...PAID]);
  });

  test('does all that time brings: renewals, bills, ends, periods and what is overdue', async () => {
    const unpaid = await scene.subscribe();
    const sale = await scene.newInvoice();
    const [byCard, byPix] = [await scene.subscribeByCard(), await scene.subscribePaidByPix()];
    scene.api.clock.advance(27 * DAY);
    expect(await run()).toMatchObject({ ended: 1, mark_overdue: 1 });
    scene.api.clock.advance(5 * DAY);
    expect(await run()).toMatchObject({ approved: 1, billed: 1, period_started: 1 });
    expect(await scene.status(unpaid.id)).toBe('inactive');
    expect((await scene.cycles(byCard.id)).cycle).toBe(2);
    expect((await scene.cycles(byPix.id)).cycle).toBe(2);
    await scene.merchant.fatura.invoices.void(sale);
  });

  test('tells as it goes, and leaves what fails to the next one without stopping', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push((await scene.subscribeByCard()).id);
    scene.api.clock.advance(31 * DAY);
    scene.failpoints.crashAt('card.after-attempt');
    let told = 0;
    const counts = await runBilling(scene.deps, { mode: 'sandbox', told: () => (told += 1), permits: permitsFor(2) });
    expect(counts).toMatchObject({ due: 5, approved: 4, failed: 1 });
    expect(told).toBe(5);
    for (const id of ids) {
      expect((await scene.cycles(id)).cycle).toBe(2);
      const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
      const { status, payment_intent: intent } = await scene.invoice(invoice ?? '');
      if (status === 'paid') continue;
      await scene.passDeadline(intent ?? '');
      await scene.reconcile(intent ?? '');
    }
  });

  test('leaves an invoice in collection to its case', async () => {
    const { id } = await scene.subscribeByCard(cards.renewals_declined);
    scene.api.clock.advance(31 * DAY);
    expect(await run()).toEqual({ due: 1, declined: 1 });
    expect(await scene.casesOf(id)).toEqual(['collection']);
    scene.api.clock.advance(20 * DAY);
    expect(await run()).toEqual({ due: 0 });
    expect(await scene.status(id)).toBe('active');
  });

  test('charges each renewal once beside another run', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await scene.subscribeByCard()).id);
    scene.api.clock.advance(31 * DAY);
    const counts = await Promise.all([run(), run(), run()]);
    expect(counts.reduce((sum, { approved = 0 }) => sum + approved, 0)).toBe(20);
    for (const id of ids) {
      const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
      expect(await scene.chargesAtBank(invoice ?? '')).toHaveLength(1);
      expect((await scene.cycles(id)).cycle).toBe(2);
    }
  });
});

describe('after an outage of months', () => {
  test('each cycle that was left out is billed and charged once, one after the other', async () => {
    const { id, current_period_end: end } = await scene.subscribeByCard();
    scene.api.clock.advance((end ?? 0) - scene.now() + 70 * DAY);
    const told = await scene.told(id, async () => expect(await run()).toEqual({ due: 3, approved: 3 }));
    expect(told).toEqual([...RENEWED, ...PAID, ...RENEWED, ...PAID, ...RENEWED, ...PAID]);
    const { cycle, invoices } = await scene.cycles(id);
    expect([cycle, invoices.map(([number, status]) => [number, status])]).toEqual([
      4,
      [1, 2, 3, 4].map((number) => [number, 'paid']),
    ]);
    for (const [index, invoice] of invoices.slice(1).entries()) expect(invoice[2]).toBe(invoices[index]?.[3]);
    const { current_period_start: start, current_period_end: next } = await scene.subscriptions.retrieve(id);
    expect(start).toBeLessThanOrEqual(scene.now());
    expect(next).toBeGreaterThan(scene.now());
  });

  test('a card that is declined is charged once, and its subscription suspended before another cycle', async () => {
    const { id, current_period_end: end } = await scene.subscribeByCard(cards.renewals_declined);
    scene.api.clock.advance((end ?? 0) - scene.now() + 35 * DAY);
    const told = await scene.told(id, async () => expect(await run()).toMatchObject({ due: 1, declined: 1 }));
    expect(told).toEqual([
      ...RENEWED,
      ...DECLINED,
      'invoice.overdue',
      'subscription.overdue',
      'subscription.suspended',
    ]);
    expect(await scene.openInvoices(id)).toHaveLength(1);
  });

  test('a bill by PIX is made with a QR code that can be paid for a day, and its period has begun', async () => {
    scene.api.clock.advanceToHour(12);
    const { id, current_period_end: end } = await scene.subscribePaidByPix();
    scene.api.clock.advance((end ?? 0) - scene.now() + 35 * DAY);
    const told = await scene.told(id, async () =>
      expect(await run()).toMatchObject({ billed: 1, period_started: 1, mark_overdue: 1 }),
    );
    expect(told.slice(-3)).toEqual(['invoice.overdue', 'subscription.overdue', 'subscription.suspended']);
    const [open] = await scene.openInvoices(id);
    expect(await scene.rows('SELECT expires_at FROM pix_charge WHERE invoice_id = $1', open?.id)).toEqual([
      { expires_at: scene.now() + DAY },
    ]);
    expect((await scene.cycles(id)).cycle).toBe(2);
  });
});

describe('while the clock of an account is held', () => {
  const hold = (held: number | null) =>
    scene.rows(
      'UPDATE account SET clock_held_at = $2::bigint, clock_target = $2::bigint + 1, clock_moved_at = now() WHERE id = $1',
      ...[scene.merchant.accountId, held],
    );

  test('a run does nothing of it, and the test clock does', async () => {
    const { id } = await scene.subscribeByCard(cards.renewals_declined);
    const sale = await scene.newInvoice();
    scene.api.clock.advance(31 * DAY);
    await hold(scene.now());
    const before = [await scene.types(id), await scene.events(sale)];
    expect(await run()).toEqual({ due: 0, not_due: 2 });
    expect([await scene.types(id), await scene.events(sale)]).toEqual(before);
    expect(await performDue(scene.deps, id, { by: 'test_clock' })).toBe('declined');
    expect(await performStep(scene.deps, sale, { by: 'test_clock' })).toBe('remind');
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    // Nothing of it has an instant in real time meanwhile.
    expect(await scene.rows('SELECT step, wake_at FROM invoice WHERE id = $1', invoice)).toEqual([
      { step: 'charge', wake_at: null },
    ]);
    await hold(null);
    await scene.rows('UPDATE invoice SET wake_at = step_at WHERE wake_at IS NULL AND step_at IS NOT NULL');
    await scene.rows('UPDATE subscription SET wake_at = due_at WHERE wake_at IS NULL AND due_at IS NOT NULL');
    await scene.merchant.fatura.invoices.void(sale);
  });

  test('other accounts are billed all the same', async () => {
    const other = await scene.api.newMerchant();
    const { id } = await scene.subscribeByCard();
    scene.api.clock.advance(31 * DAY);
    await scene.rows(
      'UPDATE account SET clock_held_at = $2::bigint, clock_target = $2::bigint, clock_moved_at = now() WHERE id = $1',
      ...[other.accountId, scene.now()],
    );
    expect(await run()).toEqual({ due: 1, approved: 1 });
    expect((await scene.cycles(id)).cycle).toBe(2);
  });
});
