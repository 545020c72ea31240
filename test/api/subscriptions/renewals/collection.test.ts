import { describe, expect, test } from 'vitest';
import { performStep } from '../../../../server/subscriptions/collection/step.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { DECLINED, PAID, refusal, SENT } from '../../payments/payment-scene.ts';
import { ACTIVATED, RESUMED, SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const RETRIED = ['payment_intent.processing', ...DECLINED];
const OVERDUE = ['invoice.overdue', 'subscription.overdue'];
const DISCARDED = 'payment_intent.discarded';

const perform = (invoice: string) => performStep(scene.deps, invoice);
const on = (day: number, types: readonly string[]) => types.map((type) => [day, type]);

/** A renewal whose card is declined, as its period begins. */
async function unpaid(recurring: Parameters<typeof scene.subscribeUnfunded>[0] = { interval: 'month' }) {
  const { id } = await scene.subscribeUnfunded(recurring);
  const { id: invoice } = await scene.renew(id);
  return { id, invoice, at: scene.now() };
}

/** Lets time pass to so many days after an instant; answers what was told meanwhile. */
const toldUntil = ({ id, at }: { id: string; at: number }, days: number) =>
  scene.told(id, () => scene.pass(id, at + days * DAY - scene.now()));

describe('a renewal that is never paid', () => {
  test('by card is charged four times, overdue, suspends its subscription and ends it', async () => {
    const renewed = await unpaid();
    const { id, invoice, at } = renewed;
    await toldUntil(renewed, 60);
    expect(await scene.story(id, at)).toEqual([
      ...on(0, ['subscription.period_started', 'invoice.created', ...SENT, ...DECLINED]),
      ...on(1, [...RETRIED, ...OVERDUE]),
      ...on(3, RETRIED),
      ...on(7, RETRIED),
      ...on(10, ['subscription.suspended']),
      ...on(30, [DISCARDED, 'invoice.marked_uncollectible', 'subscription.canceled']),
    ]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'uncollectible', amount_remaining: 9_990 });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive', ended: at + 30 * DAY });
  });

  test('by PIX is billed ahead, overdue, suspends its subscription and ends it', async () => {
    const { id, current_period_end: at } = await scene.subscribePaidByPix();
    const begun = (at ?? 0) - 3 * DAY;
    await scene.pass(id, 90 * DAY);
    expect(await scene.story(id, begun)).toEqual([
      ...on(0, ['invoice.created', 'payment_intent.created']),
      ...on(3, ['subscription.period_started']),
      ...on(4, OVERDUE),
      ...on(13, ['subscription.suspended']),
      ...on(33, [DISCARDED, 'invoice.marked_uncollectible', 'subscription.canceled']),
    ]);
  });

  test('follows the days of its account', async () => {
    const days = `overdue_days = 2, suspend_days = 2.5, cancel_days = 4, retry_days = '{0.5,2}'`;
    await scene.withDays(days, async () => {
      const renewed = await unpaid();
      await toldUntil(renewed, 10);
      expect(await scene.story(renewed.id, renewed.at)).toEqual([
        ...on(0, ['subscription.period_started', 'invoice.created', ...SENT, ...DECLINED]),
        ...on(0.5, RETRIED),
        ...on(2, [...RETRIED, ...OVERDUE]),
        ...on(2.5, ['subscription.suspended']),
        ...on(4, [DISCARDED, 'invoice.marked_uncollectible', 'subscription.canceled']),
      ]);
    });
  });

  test('has what falls at one instant done in order', async () => {
    await scene.withDays(`overdue_days = 3, suspend_days = 3, retry_days = '{3}'`, async () => {
      const renewed = await unpaid();
      expect(await toldUntil(renewed, 3)).toEqual([...RETRIED, ...OVERDUE, 'subscription.suspended']);
      await scene.subscriptions.cancel(renewed.id);
    });
  });

  test('is overdue and suspends once, however many ask at once', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 1 - 1 / DAY);
    scene.api.clock.advance(1);
    await perform(renewed.invoice);
    const at = async () => Promise.all(Array.from({ length: 10 }, () => perform(renewed.invoice)));
    expect(await scene.told(renewed.id, at)).toEqual(OVERDUE);
    await toldUntil(renewed, 10 - 1 / DAY);
    scene.api.clock.advance(1);
    expect(await scene.told(renewed.id, at)).toEqual(['subscription.suspended']);
    await toldUntil(renewed, 30 - 1 / DAY);
    scene.api.clock.advance(1);
    expect(await scene.told(renewed.id, at)).toEqual([
      DISCARDED,
      'invoice.marked_uncollectible',
      'subscription.canceled',
    ]);
  });
});

describe('an overdue episode', () => {
  test('is told once while a second invoice falls overdue, and anew after both were paid', async () => {
    const { id } = await scene.subscribeUnfunded({ interval: 'week' });
    const older = await scene.renew(id);
    const at = scene.now();
    await toldUntil({ id, at }, 8);
    const overdue = async () => (await scene.types(id)).filter((type) => type === 'subscription.overdue').length;
    expect([await overdue(), (await scene.openInvoices(id)).length]).toEqual([1, 2]);
    await scene.payByCard(older.id, { number: cards.renewals_declined });
    await toldUntil({ id, at }, 15);
    // The one from day 7 is still overdue: the episode goes on.
    expect([await overdue(), (await scene.openInvoices(id)).length]).toEqual([1, 2]);
    for (const { id: open } of await scene.openInvoices(id))
      await scene.payByCard(open, { number: cards.renewals_declined });
    await toldUntil({ id, at }, 22);
    expect(await overdue()).toBe(2);
  });

  test.each([
    ['voided', 'void'],
    ['given up', 'markUncollectible'],
  ] as const)(
    'ends with its invoice %s by hand: nothing more is done with that, and the next one is told',
    async (_, close) => {
      const renewed = await unpaid({ interval: 'week' });
      const { id, invoice } = renewed;
      await toldUntil(renewed, 2);
      await scene.fatura.invoices[close](invoice);
      const charged = await scene.chargesAtBank(invoice);
      expect(await toldUntil(renewed, 7 - 1 / DAY)).toEqual([]);
      expect(await toldUntil(renewed, 8)).toEqual([
        ...['subscription.period_started', 'invoice.created', ...SENT, ...DECLINED],
        ...[...RETRIED, ...OVERDUE],
      ]);
      expect(await scene.chargesAtBank(invoice)).toEqual(charged);
      expect(await scene.status(id)).toBe('active');
    },
  );
});

describe('a suspension', () => {
  test('voids the younger invoices, oldest first, and ends their QR codes at the bank before', async () => {
    const { id, current_period_end: end } = await scene.subscribePaidByPix({ interval: 'day' });
    const at = end ?? 0;
    await toldUntil({ id, at }, 10 - 1 / DAY);
    const [own, ...younger] = await scene.openInvoices(id);
    expect(younger).toHaveLength(10);
    scene.api.clock.advance(1);
    const told = await scene.told(id, async () => expect(await perform(own?.id ?? '')).toBe('suspend'));
    expect(told).toEqual(['subscription.suspended', ...younger.flatMap(() => [DISCARDED, 'invoice.voided'])]);
    const voided = (await scene.facts(id)).filter(({ type }) => type === 'invoice.voided');
    expect(voided.map(({ object }) => (object as { id: string }).id)).toEqual(younger.map((invoice) => invoice.id));
    for (const { id: invoice } of younger) {
      const [qr] = await scene.rows('SELECT id, state FROM pix_charge WHERE invoice_id = $1', invoice);
      expect([qr?.state, await scene.cobStatus(String(qr?.id))]).toEqual(['ended', REMOVED]);
    }
    // No cycle begins in a suspension, and what was to begin at its very instant does not.
    expect(await toldUntil({ id, at }, 20)).toEqual([]);
    const resumed = await scene.subscriptions.checkout(id, byCard());
    expect(resumed).toMatchObject({ status: 'active', current_period_start: scene.now() });
    expect((await scene.cycles(id)).cycle).toBe(13);
  });

  test('waits for a younger invoice whose QR code only the bank knows to be paid, and leaves that one paid', async () => {
    const { id, current_period_end: end } = await scene.subscribePaidByPix({ interval: 'week' });
    const at = end ?? 0;
    await toldUntil({ id, at }, 10 - 1 / DAY);
    const [own, younger] = await scene.openInvoices(id);
    await scene.payPixUnheard(younger?.payment_intent ?? '');
    scene.api.clock.advance(1);
    expect(await scene.told(id, () => perform(own?.id ?? ''))).toEqual(PAID);
    expect(await scene.status(id)).toBe('active');
    expect(await toldUntil({ id, at }, 11)).toEqual(['subscription.suspended']);
    // The payment that is waited for begins a cycle at once, in the midst of the one that was paid for.
    await scene.payPix((await scene.checkoutByPix(own?.id ?? '')).intent);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      current_period_start: scene.now(),
    });
  });

  test('waits for a charge of the buyer, which may pay the invoice or not', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 10 - 1 / DAY);
    const intent = await scene.chargeCard(renewed.invoice, { number: cards.answer_lost });
    expect(await toldUntil(renewed, 11)).toEqual([]);
    expect(await scene.told(renewed.id, () => scene.reconcile(intent))).toEqual(PAID);
    expect(await toldUntil(renewed, 20)).toEqual([]);
    expect(await scene.status(renewed.id)).toBe('active');
  });

  test('comes at once after a charge of the buyer that held it up was declined', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 10 - 1 / DAY);
    scene.bank.meets('chargeCard', 'request_lost');
    const intent = await scene.chargeCard(renewed.invoice);
    scene.bank.recovers();
    await toldUntil(renewed, 11);
    await scene.passDeadline(intent);
    await scene.reconcile(intent);
    expect(await toldUntil(renewed, 11)).toEqual(['subscription.suspended']);
  });

  test('ends its QR code at the bank before the subscription ends on day 30', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 29.5);
    const { txid } = await scene.checkoutByPix(renewed.invoice);
    expect(await toldUntil(renewed, 30)).toEqual([DISCARDED, 'invoice.marked_uncollectible', 'subscription.canceled']);
    expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['ended', REMOVED]);
  });
});

describe('a reactivated subscription', () => {
  test('is not collected any more: after seven days it ends with its invoice void', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 28);
    await scene.subscriptions.reactivate(renewed.id);
    expect(await toldUntil(renewed, 35 - 1 / DAY)).toEqual([]);
    expect(await toldUntil(renewed, 40)).toEqual([DISCARDED, 'invoice.voided', 'subscription.canceled']);
  });

  test('that is paid and left unpaid again is collected anew, in an episode of its own', async () => {
    const renewed = await unpaid();
    const { id } = renewed;
    await toldUntil(renewed, 12);
    await scene.subscriptions.reactivate(id);
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    const { id: invoice } = await scene.renew(id);
    const again = { id, invoice, at: scene.now() };
    expect(await toldUntil(again, 10)).toEqual([
      ...RETRIED,
      ...OVERDUE,
      ...RETRIED,
      ...RETRIED,
      'subscription.suspended',
    ]);
    const { cycle, invoices } = await scene.cycles(id);
    expect([cycle, invoices.map(([number, status]) => [number, status])]).toEqual([
      4,
      [
        [1, 'paid'],
        [3, 'paid'],
        [4, 'open'],
      ],
    ]);
  });
});

describe('the buyer pays', () => {
  const PAYS = [DISCARDED, ...SENT, ...PAID];

  test.each<[string, number, readonly string[], string]>([
    ['between the charges: the next one is left out', 0.5, PAYS, 'active'],
    ['while it is overdue', 5, PAYS, 'active'],
    ['while it is suspended: a new cycle begins', 15, [...PAYS, ...RESUMED], 'active'],
    ['after it was cancelled: the money is kept, and it stays so', 31, [...SENT, ...PAID], 'inactive'],
  ])('%s', async (_, day, told, status) => {
    const renewed = await unpaid();
    await toldUntil(renewed, day);
    const { id, invoice } = renewed;
    expect(await scene.told(id, () => scene.payByCard(invoice, { number: cards.elo }))).toEqual(told);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.status(id)).toBe(status);
    expect(await scene.pass(id, 9 * DAY)).toEqual([]);
  });

  test('after it was reactivated', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 15);
    await scene.subscriptions.reactivate(renewed.id);
    expect(await scene.told(renewed.id, () => scene.payByCard(renewed.invoice))).toEqual([...PAYS, ...ACTIVATED]);
    expect(await scene.pass(renewed.id, 9 * DAY)).toEqual([]);
  });

  test('by PIX while it is overdue: renewals are paid so from then on', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 2);
    const { intent } = await scene.checkoutByPix(renewed.invoice);
    expect(await scene.told(renewed.id, () => scene.payPix(intent))).toEqual(PAID);
    const next = await scene.renew(renewed.id);
    expect([next.due_at, (next.due_at ?? 0) - scene.now()]).toEqual([next.period_start, 3 * DAY]);
    expect(await scene.intentsOf(next.id)).toMatchObject([{ status: 'pending', payment_method_type: 'pix' }]);
  });

  test('by PIX after the subscription was cancelled, in time for nothing: an open invoice takes nothing twice', async () => {
    const renewed = await unpaid();
    await toldUntil(renewed, 31);
    await scene.payPix((await scene.checkoutByPix(renewed.invoice)).intent);
    await expect(scene.payByCard(renewed.invoice)).rejects.toEqual(refusal('INVOICE_NOT_OPEN'));
    expect(await scene.status(renewed.id)).toBe('inactive');
  });
});
