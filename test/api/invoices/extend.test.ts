import { beforeAll, describe, expect, test } from 'vitest';
import type { InvoiceStatus } from '../../../contract/invoices.ts';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { cards } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { PAID, PaymentScene, refusal, SENT } from '../payments/payment-scene.ts';
import { send, violationsOf } from '../requests.ts';

const DAY = 86_400;
const CREATED = 'invoice.created';
const UPDATED = 'invoice.updated';
const OVERDUE = 'invoice.overdue';
const scene = new PaymentScene();

// Reminders come between (test/api/invoices/reminders.test.ts).
beforeAll(() => scene.rows(`UPDATE collection_settings SET reminder_days = '{}'`));

const now = () => scene.api.clock.now();
const extend = (id: string, due_at: number) => scene.merchant.fatura.invoices.extend(id, { due_at });
const perform = (id: string) => performStep(scene.deps, id);

describe('an open invoice', () => {
  test('gets a later due date, told by one event, and nothing else of it changes', async () => {
    const before = await newInvoice(scene.merchant);
    const after = await extend(before.id, before.due_at + 10 * DAY);
    expect(after).toEqual({ ...before, due_at: before.due_at + 10 * DAY });
    expect(await scene.invoice(before.id)).toEqual(after);
    const facts = await scene.facts(before.id);
    expect(facts.map(({ type }) => type)).toEqual([CREATED, UPDATED]);
    expect(facts[1]?.object).toEqual(after);
  });

  test('is overdue by the new date, and not by the former one', async () => {
    const { id, due_at } = await newInvoice(scene.merchant);
    await extend(id, due_at + 5 * DAY);
    scene.api.clock.advance(9 * DAY - 1);
    expect(await perform(id)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(id)).toBe('mark_overdue');
    expect(await scene.events(id)).toEqual([CREATED, UPDATED, OVERDUE]);
  });

  test('that is overdue is so no more, until a day after the new date, when it is told again', async () => {
    const { id } = await newInvoice(scene.merchant);
    scene.api.clock.advance(4 * DAY);
    expect(await perform(id)).toBe('mark_overdue');
    await extend(id, now() + 2 * DAY);
    scene.api.clock.advance(3 * DAY - 1);
    expect(await perform(id)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(id)).toBe('mark_overdue');
    expect(await scene.events(id)).toEqual([CREATED, OVERDUE, UPDATED, OVERDUE]);
  });

  test('stays overdue, and is not told so again, by a later date that has long passed', async () => {
    const { id, due_at } = await newInvoice(scene.merchant);
    scene.api.clock.advance(10 * DAY);
    expect(await perform(id)).toBe('mark_overdue');
    expect(await extend(id, due_at + DAY)).toMatchObject({ due_at: due_at + DAY });
    expect(await perform(id)).toBe('not_due');
    expect(await scene.events(id)).toEqual([CREATED, OVERDUE, UPDATED]);
  });

  test('keeps its QR code, which is paid as before, and its charge shows the new date', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    const due_at = now() + 20 * DAY;
    expect(await extend(invoice, due_at)).toMatchObject({ payment_intent: intent });
    expect(await scene.cobStatus(txid)).toBe('ATIVA');
    const again = await scene.merchant.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
    expect(again).toMatchObject({ payment_intent: intent, due_at });
    expect(await scene.intent(intent)).toMatchObject({ status: 'pending', due_at });
    await scene.payPix(intent);
    expect(await scene.events(invoice)).toEqual([CREATED, 'payment_intent.created', UPDATED, ...PAID]);
  });

  test('is extended while a charge is at the acquirer, which pays it all the same', async () => {
    const invoice = await scene.newInvoice();
    const intent = await scene.chargeCard(invoice, { number: cards.answer_lost });
    scene.api.clock.advance(4 * DAY);
    expect(await perform(invoice)).toBe('postponed');
    await extend(invoice, now() + DAY);
    expect(await perform(invoice)).toBe('not_due');
    await scene.reconcile(intent);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, UPDATED, ...PAID]);
  });

  test('whose charge at the acquirer comes to nothing is overdue by the new date', async () => {
    const invoice = await scene.newInvoice();
    scene.bank.meets('chargeCard', 'request_lost');
    const intent = await scene.chargeCard(invoice);
    scene.bank.recovers();
    scene.api.clock.advance(4 * DAY);
    expect(await perform(invoice)).toBe('postponed');
    await extend(invoice, now() + DAY);
    await scene.passDeadline(intent);
    await scene.reconcile(intent);
    scene.api.clock.advance(2 * DAY - 1);
    expect(await perform(invoice)).toBe('not_due');
    scene.api.clock.advance(1);
    expect(await perform(invoice)).toBe('mark_overdue');
  });
});

const makers: Record<Exclude<InvoiceStatus, 'open'>, () => Promise<string>> = {
  draft: async () => (await newInvoice(scene.merchant, { draft: true })).id,
  paid: async () => {
    const id = await scene.newInvoice();
    await scene.payByCard(id);
    return id;
  },
  uncollectible: async () => (await scene.merchant.fatura.invoices.markUncollectible(await scene.newInvoice())).id,
  void: async () => (await scene.merchant.fatura.invoices.void(await scene.newInvoice())).id,
};

describe('a later due date is refused', () => {
  test.each(['draft', 'paid', 'uncollectible', 'void'] as const)('of an invoice that is %s', async (status) => {
    const id = await makers[status]();
    const before = { invoice: await scene.invoice(id), events: await scene.events(id) };
    await expect(extend(id, now() + 30 * DAY)).rejects.toEqual(
      refusal('INVOICE_NOT_OPEN', { status: 409, message: expect.stringContaining(`is ${status}`) }),
    );
    expect({ invoice: await scene.invoice(id), events: await scene.events(id) }).toEqual(before);
  });

  test('where it is not later than the present one, or more than 365 days ahead', async () => {
    const { id, due_at } = await newInvoice(scene.merchant);
    const latest = now() + 365 * DAY;
    for (const bad of [due_at, due_at - 1, 0, latest + 1]) {
      const message = `invoice.due_at must lie after the present one (${due_at}) and at most 365 days from now (${latest}), got ${bad}`;
      await expect(extend(id, bad)).rejects.toEqual(
        refusal('PARAMETER_INVALID', { status: 400, param: 'invoice.due_at', message }),
      );
    }
    expect(await scene.events(id)).toEqual([CREATED]);
    expect(await extend(id, latest)).toMatchObject({ due_at: latest });
  });

  test('without a date, with no instant, or with more than a date', async () => {
    const { id } = await newInvoice(scene.merchant);
    const post = (invoice: unknown) =>
      send(scene.api, {
        method: 'POST',
        path: `/invoices/${id}/extend`,
        key: scene.merchant.sandboxKey,
        body: { invoice },
      });
    expect(violationsOf(await post({}))).toEqual([400, 'invoice.due_at PARAMETER_MISSING']);
    expect(violationsOf(await post({ due_at: '2027-01-01' }))).toEqual([400, 'invoice.due_at PARAMETER_INVALID']);
    const more = { due_at: now() + 10 * DAY, total: 1 };
    expect(violationsOf(await post(more))).toEqual([400, 'invoice.total PARAMETER_UNKNOWN']);
    expect(await scene.events(id)).toEqual([CREATED]);
  });

  test('of an invoice that a checkout session waits for', async () => {
    const { fatura } = scene.merchant;
    const session = await fatura.checkoutSessions.create({
      mode: 'payment',
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      customer_id: (await newCustomer(scene.merchant)).id,
      line_items: [{ price_id: (await newPrice(scene.merchant)).id, quantity: 1 }],
    });
    await expect(extend(session.invoice ?? '', now() + 30 * DAY)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining('checkout session') }),
    );
  });

  test('of an invoice of another account, or of the other mode', async () => {
    const { id } = await newInvoice(scene.merchant);
    const other = await scene.api.newMerchant();
    for (const client of [other.fatura, scene.merchant.live])
      await expect(client.invoices.extend(id, { due_at: now() + 30 * DAY })).rejects.toEqual(
        refusal('RESOURCE_MISSING', { status: 404 }),
      );
    expect(await scene.events(id)).toEqual([CREATED]);
  });
});

describe('at once', () => {
  test('the same date asked for ten times is set by one, and told once', async () => {
    const { id, due_at } = await newInvoice(scene.merchant);
    const asked = await Promise.allSettled(Array.from({ length: 10 }, () => extend(id, due_at + DAY)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await scene.events(id)).toEqual([CREATED, UPDATED]);
  });

  test('a repeat under the same key answers the same and tells nothing anew', async () => {
    const { id, due_at } = await newInvoice(scene.merchant);
    const asked = () =>
      scene.merchant.fatura.invoices.extend(id, { due_at: due_at + DAY }, { idempotencyKey: `later-${id}` });
    expect(await asked()).toEqual(await asked());
    expect(await scene.events(id)).toEqual([CREATED, UPDATED]);
  });

  test('a void, a payment and a later date leave an invoice that is closed once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { invoice, intent } = await scene.openPix();
      const due_at = now() + 30 * DAY;
      await Promise.allSettled([
        scene.merchant.fatura.invoices.void(invoice),
        extend(invoice, due_at),
        scene.payPix(intent),
      ]);
      const events = await scene.events(invoice);
      const closed = events.filter((type) => type === 'invoice.paid' || type === 'invoice.voided');
      expect(closed).toHaveLength(1);
      if (events.includes(UPDATED)) expect(events.indexOf(UPDATED)).toBeLessThan(events.indexOf(closed[0]));
      expect((await scene.invoice(invoice)).due_at === due_at).toBe(events.includes(UPDATED));
      expect(await perform(invoice)).toBe('not_due');
    }
  });

  test('an invoice that falls overdue as its date moves is overdue once before that, or not at all', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await newInvoice(scene.merchant);
      scene.api.clock.advance(4 * DAY);
      await Promise.all([perform(id), extend(id, now() + DAY)]);
      expect([
        [CREATED, UPDATED],
        [CREATED, OVERDUE, UPDATED],
      ]).toContainEqual(await scene.events(id));
      const [row] = await scene.rows('SELECT overdue_at, step FROM invoice WHERE id = $1', id);
      expect(row).toEqual({ overdue_at: null, step: 'mark_overdue' });
    }
  });
});
