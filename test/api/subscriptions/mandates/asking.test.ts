import { describe, expect, test } from 'vitest';
import { refusal } from '../../payments/payment-scene.ts';
import { MandateScene } from './mandate-scene.ts';

const HOUR = 3_600;
const DAY = 86_400;
const alone = { journey: 'mandate_only' } as const;
const byMandate = { payment_method_type: 'pix_automatico' } as const;

const scene = new MandateScene();

describe('the first payment', () => {
  test('brings a mandate: one code pays and authorises, and nothing is authorised before', async () => {
    const { id, intent, mandate, code } = await scene.asked();
    expect(code).toContain('/v2/rec/');
    expect(await scene.mandates.retrieve(mandate)).toMatchObject({
      ...{ status: 'pending', journey: 'first_payment', amount_type: 'variable', subscription: id, activated_at: null },
      qr: { copy_paste: code, image_url: expect.stringMatching(/^data:image\/png;base64,/) },
    });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: null, mandate });
    await scene.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
    expect(await scene.mandates.retrieve(mandate)).toMatchObject({ status: 'active', qr: null, end_reason: null });
    const paid = await scene.subscriptions.retrieve(id);
    expect(paid).toMatchObject({ status: 'active', payment_method_type: 'pix_automatico', mandate });
    expect(await scene.intent(intent)).toMatchObject({ status: 'paid', payment_method_type: 'pix', mandate: null });
  });

  test('asked for again answers the same code of the same mandate', async () => {
    const { id, mandate, code } = await scene.asked();
    const again = await scene.subscriptions.checkout(id, byMandate);
    expect([again.mandate, again.payment_method?.pix?.pix_copy_paste]).toEqual([mandate, code]);
  });

  test('is still payable by plain PIX where the buyer rejects the mandate', async () => {
    const { id, intent, mandate } = await scene.asked();
    expect(await scene.fatura.testHelpers.mandates.reject(mandate)).toMatchObject({
      ...{ status: 'failed', end_reason: 'rejected' },
    });
    await scene.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ status: 'active', payment_method_type: 'pix', mandate: null },
    });
  });

  test('by the plain code authorises nothing: the mandate has failed an hour later', async () => {
    const { id, mandate, intent } = await scene.asked();
    // Whoever pays late scans the code that pays alone.
    await scene.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid_late' });
    expect(await scene.look(mandate)).toMatchObject({ done: false });
    scene.api.clock.advance(HOUR);
    expect(await scene.look(mandate)).toMatchObject({ done: true });
    expect(await scene.mandates.retrieve(mandate)).toMatchObject({ status: 'failed', end_reason: 'expired' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix', mandate: null });
  });

  test('that is not made in time fails with its QR code, and the next checkout brings another', async () => {
    const { id, mandate, code } = await scene.asked();
    scene.api.clock.advance(DAY + 1);
    const again = await scene.subscriptions.checkout(id, byMandate);
    expect(again.mandate).not.toBe(mandate);
    expect(again.payment_method?.pix?.pix_copy_paste).not.toBe(code);
    expect(await scene.mandates.retrieve(mandate)).toMatchObject({ status: 'failed', end_reason: 'expired' });
    await scene.look(mandate);
    expect(
      await scene.rows(`SELECT b.status FROM sandbox_bank.rec b JOIN mandate m USING (place) WHERE m.id = $1`, mandate),
    ).toEqual([{ status: 'CANCELADA' }]);
  });

  test.each([
    ['the place', 'placeMandate', 'request_lost'],
    ['the place, though it was made', 'placeMandate', 'answer_lost'],
    ['the mandate', 'createMandate', 'request_lost'],
    ['the mandate, though it was made', 'createMandate', 'answer_lost'],
  ] as const)('is finished by a repeat where the bank did not answer about %s', async (_, call, trouble) => {
    const { id } = await scene.subscribe();
    scene.bank.meets(call, trouble);
    await expect(scene.subscriptions.checkout(id, byMandate)).rejects.toMatchObject({ status: expect.any(Number) });
    scene.bank.recovers();
    const { mandate } = await scene.subscriptions.checkout(id, byMandate);
    expect(await scene.mandates.list({ subscription_id: id }).all({ max: 9 })).toMatchObject([{ id: mandate }]);
    expect(
      await scene.rows(
        `SELECT count(*)::int AS made FROM sandbox_bank.rec b JOIN mandate m USING (place) WHERE m.id = $1`,
        mandate,
      ),
    ).toEqual([{ made: 1 }]);
  });

  test('is for a bill of a cycle alone', async () => {
    const invoice = await scene.newInvoice();
    const charge = scene.fatura.invoices.checkout(invoice, byMandate);
    await expect(charge).rejects.toEqual(refusal('MANDATE_UNSUPPORTED', { param: 'payment_method_type' }));
    expect(await scene.statusesOf(invoice)).toEqual([]);
  });
});

describe('another way to pay', () => {
  test('is authorised alone, while the card goes on until then', async () => {
    const { id } = await scene.subscribeByCard();
    const asked = await scene.mandates.create(id, alone);
    expect(asked).toMatchObject({ status: 'pending', journey: 'mandate_only', qr: { copy_paste: expect.any(String) } });
    expect(asked.starts_on).toBe(dayOf((await scene.subscriptions.retrieve(id)).current_period_end));
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'card', mandate: asked.id });
    await scene.fatura.testHelpers.mandates.approve(asked.id);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ payment_method_type: 'pix_automatico', default_payment_method: null, mandate: asked.id },
    });
  });

  test('lapses after seven days, told once', async () => {
    const { id } = await scene.subscribeByCard();
    const { id: mandate } = await scene.mandates.create(id, alone);
    scene.api.clock.advance(7 * DAY - 1);
    expect(await scene.look(mandate)).toMatchObject({ done: false, dueInSeconds: 1 });
    scene.api.clock.advance(1);
    expect([await scene.look(mandate), await scene.look(mandate)]).toEqual([{ done: true }, { done: true }]);
    expect(await scene.mandates.retrieve(mandate)).toMatchObject({ status: 'failed', end_reason: 'expired' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'card', mandate: null });
  });

  test('is asked for once under a key, and finished by a repeat', async () => {
    const { id } = await scene.subscribeByCard();
    scene.bank.meets('createMandate', 'answer_lost');
    const idempotencyKey = crypto.randomUUID();
    const ask = () => scene.mandates.create(id, alone, { idempotencyKey, retries: 0 });
    await expect(ask()).rejects.toEqual(refusal('ACQUIRER_TIMEOUT'));
    scene.bank.recovers();
    const made = await ask();
    expect(await ask()).toEqual(made);
    await expect(scene.mandates.create(id, alone)).rejects.toEqual(refusal('MANDATE_EXISTS'));
  });

  test('is refused by state before rule', async () => {
    const daily = await scene.every('day');
    const { id } = await scene.subscribe({ price_id: daily.id });
    await expect(scene.mandates.create(id, alone)).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(scene.subscriptions.checkout(id, byMandate)).rejects.toEqual(refusal('MANDATE_INTERVAL_UNSUPPORTED'));
    const { id: other } = await scene.authorised();
    await expect(scene.mandates.create(other, alone)).rejects.toEqual(refusal('MANDATE_EXISTS'));
  });

  test.each([
    ['week', 1, true],
    ['week', 2, false],
    ['month', 1, true],
    ['month', 2, false],
    ['month', 3, true],
    ['month', 6, true],
    ['month', 12, true],
    ['day', 1, false],
  ] as const)('debits every %s × %i: %s', async (interval, count, isTaken) => {
    const price = await scene.every(interval, count);
    const { id } = await scene.subscribe({ price_id: price.id });
    const asked = scene.subscriptions.checkout(id, byMandate);
    if (isTaken) expect((await asked).mandate).toMatch(/^mdt_/);
    else await expect(asked).rejects.toEqual(refusal('MANDATE_INTERVAL_UNSUPPORTED'));
  });

  test('of a trial has its first bill debited two days after it', async () => {
    const { id } = await scene.subscribe({ trial: { days: 30, requires_payment_method: false } });
    const { id: mandate, starts_on: startsOn } = await scene.mandates.create(id, alone);
    await scene.fatura.testHelpers.mandates.approve(mandate);
    const { trial_end: end } = await scene.subscriptions.retrieve(id);
    expect(startsOn).toBe(dayOf(end));
    await scene.pass(id, 30 * DAY + 1);
    const { status, latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    const { due_at: due, payment_intent: intent } = await scene.invoice(invoice ?? '');
    expect([status, due - (end ?? 0)]).toEqual(['active', 2 * DAY]);
    expect(await scene.stateOf(intent ?? '')).toMatchObject({ status: 'scheduled', scheduled_for: dayOf(due) });
    await scene.to(id, dayOf(due), '06:00');
    expect((await scene.invoice(invoice ?? '')).status).toBe('paid');
  });
});

test('mandates are listed, newest first, by subscription, customer and status', async () => {
  const { id, customer, mandate } = await scene.authorised();
  const other = await scene.asked();
  const ids = async (query: Parameters<typeof scene.mandates.list>[0]) =>
    (await scene.mandates.list(query).all({ max: 100 })).map(({ id: of }) => of);
  expect((await ids({})).slice(0, 2)).toEqual([other.mandate, mandate]);
  expect(await ids({ subscription_id: id })).toEqual([mandate]);
  expect(await ids({ customer_id: customer, status: 'active' })).toEqual([mandate]);
  expect(await ids({ customer_id: customer, status: 'pending' })).toEqual([]);
  expect(await scene.mandates.list({ limit: 1 }).page()).toMatchObject({ data: [{ id: other.mandate, qr: null }] });
});

const dayOf = (instant: number | null): string =>
  Temporal.Instant.fromEpochMilliseconds((instant ?? 0) * 1_000)
    .toZonedDateTimeISO('America/Sao_Paulo')
    .toPlainDate()
    .toString();
