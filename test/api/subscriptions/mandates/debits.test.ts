import { describe, expect, test } from 'vitest';
import { byCard } from '../../../support/cards.ts';
import { refusal } from '../../payments/payment-scene.ts';
import { MandateScene } from './mandate-scene.ts';

const byPix = { payment_method_type: 'pix' } as const;

const scene = new MandateScene();

const bankOf = async (invoice: string) =>
  (
    await scene.rows(
      `SELECT d.status FROM sandbox_bank.cobr d JOIN pix_charge c ON c.id = d.txid WHERE c.invoice_id = $1 ORDER BY c.id`,
      invoice,
    )
  ).map(({ status }) => status);

describe('a debit', () => {
  test('is billed on the fifth day before, scheduled at once, and pays on its day', async () => {
    const { id, invoice, intent, day } = await scene.scheduled();
    const [billed] = await scene.rows('SELECT created, due_at FROM invoice WHERE id = $1', invoice);
    expect(civil(Number(billed?.created))).toBe(`${Temporal.PlainDate.from(day).subtract({ days: 5 })} 09:00`);
    expect(civil(Number(billed?.due_at)).slice(0, 10)).toBe(day);
    expect(await scene.intent(intent)).toMatchObject({
      ...{ status: 'scheduled', payment_method_type: 'pix_automatico', attempts: 1, max_attempts: 4 },
    });
    await scene.to(id, day, '05:59');
    expect((await scene.invoice(invoice)).status).toBe('open');
    await scene.to(id, day, '06:00');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'paid', attempts: 1 });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix_automatico' });
  });

  test('is found by its method, and not among those by PIX', async () => {
    const { invoice, intent } = await scene.scheduled();
    const found = async (method: 'pix' | 'pix_automatico') =>
      (
        await scene.fatura.paymentIntents.list({ invoice_id: invoice, payment_method_type: method }).all({ max: 9 })
      ).map(({ id }) => id);
    expect([await found('pix_automatico'), await found('pix')]).toEqual([[intent], []]);
  });

  test('that fails is tried three times more, and then a QR code is there by itself', async () => {
    const { id, invoice, intent, day } = await scene.scheduled();
    for (const [later, status] of [
      [0, 'scheduled'],
      [1, 'failed'],
      [3, 'failed'],
      [7, 'discarded'],
    ] as const) {
      await scene.decide(intent, 'insufficient');
      await scene.to(id, day, '20:59', later);
      expect(await scene.stateOf(intent)).toMatchObject({ status: 'scheduled' });
      await scene.to(id, day, '21:00', later);
      expect(await scene.stateOf(intent), `${later} days later`).toMatchObject({ status });
      if (later === 1 || later === 3) await scene.to(id, day, '12:00', later === 1 ? 2 : 6);
    }
    expect(await scene.stateOf(intent)).toMatchObject({ attempts: 4 });
    expect(await bankOf(invoice)).toEqual(['EXPIRADA']);
    const { payment_intent: open } = await scene.invoice(invoice);
    expect(await scene.intent(open ?? '')).toMatchObject({ status: 'pending', payment_method_type: 'pix' });
    await scene.fatura.testHelpers.paymentIntents.payPix(open ?? '', { scenario: 'paid' });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    // The mandate stays the method, and the next bill is debited.
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix_automatico' });
    const next = await scene.renew(id);
    await scene.pass(id, 1);
    expect(await scene.stateOf(next.payment_intent ?? '')).toMatchObject({ status: 'scheduled' });
  });

  test.each(['limit', 'account_closed', 'expired'] as const)('that ends by %s is not tried again', async (outcome) => {
    const { id, invoice, intent, day } = await scene.scheduled();
    await scene.decide(intent, outcome);
    await scene.to(id, day, '21:00');
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'discarded', attempts: 1 });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
  });

  test('that was to fail can be said to be paid until 21:00', async () => {
    const { id, invoice, intent, day } = await scene.scheduled();
    await scene.decide(intent, 'insufficient');
    await scene.to(id, day, '20:00');
    await scene.decide(intent, 'paid');
    await scene.to(id, day, '21:00');
    expect((await scene.invoice(invoice)).status).toBe('paid');
    await expect(scene.decide(intent, 'paid')).rejects.toEqual(refusal('INVALID_STATE'));
  });

  test.each([
    ['cannot be reached', 'unreachable'],
    ['hears nothing', 'request_lost'],
    ['is not heard', 'answer_lost'],
    ['fails', 'fault'],
  ] as const)('is instructed once by a bank that %s at first', async (_, trouble) => {
    const { id } = await scene.authorised();
    scene.bank.meets('instruct', trouble);
    const { id: invoice, payment_intent: intent } = await scene.renew(id);
    await scene.pass(id, 1_800);
    expect(await scene.stateOf(intent ?? '')).toMatchObject({ status: 'pending' });
    scene.bank.recovers();
    await scene.pass(id, 1_800);
    expect(await scene.stateOf(intent ?? '')).toMatchObject({ status: 'scheduled', attempts: 1 });
    expect(await bankOf(invoice)).toEqual(['ATIVA']);
  });

  test('whose bank was away until its window closed is a QR code', async () => {
    const { id } = await scene.authorised();
    scene.bank.meets('instruct', 'request_lost');
    const { id: invoice, due_at: due } = await scene.renew(id);
    await scene.pass(id, due - scene.now() - 86_400);
    scene.bank.recovers();
    await scene.pass(id, 3_600);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
    expect(await bankOf(invoice)).toEqual([]);
  });

  test('is asked about until the bank answers on its day', async () => {
    const { id, invoice, day } = await scene.scheduled();
    scene.bank.meets('findDebit', 'request_lost');
    await scene.to(id, day, '20:00');
    expect((await scene.invoice(invoice)).status).toBe('open');
    scene.bank.recovers();
    await scene.to(id, day, '21:00');
    expect((await scene.invoice(invoice)).status).toBe('paid');
  });

  test('asks for another day once, though the answer is lost', async () => {
    const { id, invoice, intent, day } = await scene.scheduled();
    await scene.decide(intent, 'insufficient');
    scene.bank.meets('retryDebit', 'answer_lost');
    await scene.to(id, day, '21:00');
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'failed', attempts: 1 });
    await expect(scene.fatura.invoices.checkout(invoice, byPix)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    scene.bank.recovers();
    await scene.to(id, day, '23:00');
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'scheduled', attempts: 2 });
    const [debit] = await scene.rows(
      `SELECT json_array_length(d.tries) AS tries FROM sandbox_bank.cobr d JOIN pix_charge c ON c.id = d.txid WHERE c.invoice_id = $1`,
      invoice,
    );
    expect(debit).toEqual({ tries: 2 });
  });
});

describe('a bill that is to be debited', () => {
  const ways: readonly (readonly [string, (invoice: string) => Promise<unknown>])[] = [
    ['by PIX', payPix],
    ['by card', (invoice) => scene.fatura.invoices.checkout(invoice, byCard())],
  ];

  test.each(ways)('is paid otherwise %s: the debit is cancelled first, and the mandate stays', async (_, pay) => {
    const { id, invoice, intent } = await scene.scheduled();
    await pay(invoice);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'discarded' });
    expect(await bankOf(invoice)).toEqual(['CANCELADA']);
    await scene.pass(id, 6 * 86_400);
    expect((await scene.invoice(invoice)).amount_refunded).toBe(0);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix_automatico' });
  });

  const attempts: readonly (readonly [
    string,
    (of: { id: string; invoice: string; mandate: string }) => Promise<unknown>,
  ])[] = [
    ['its checkout by PIX', ({ invoice }) => scene.fatura.invoices.checkout(invoice, byPix)],
    ['its checkout by card', ({ invoice }) => scene.fatura.invoices.checkout(invoice, byCard())],
    ['its void', ({ invoice }) => scene.fatura.invoices.void(invoice)],
    ['giving it up', ({ invoice }) => scene.fatura.invoices.markUncollectible(invoice)],
    ['the end of the subscription', ({ id }) => scene.subscriptions.cancel(id)],
    ['a pause', ({ id }) => scene.subscriptions.pause(id, { at: 'now' })],
    ['the end of the mandate', ({ mandate }) => scene.mandates.cancel(mandate)],
    ['another card', ({ id }) => scene.subscriptions.updatePaymentMethod(id, byCard())],
  ];

  test.each(attempts)('refuses %s from 22:00 of the day before, and nothing has changed', async (_, attempt) => {
    const { id, invoice, mandate, intent, day } = await scene.scheduled();
    await scene.to(id, day, '22:00', -1);
    const before = await scene.events(invoice);
    await expect(attempt({ id, invoice, mandate })).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await scene.events(invoice)).toEqual(before);
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'scheduled' });
    await scene.to(id, day, '06:00');
    expect((await scene.invoice(invoice)).status).toBe('paid');
  });

  test.each(attempts)('allows %s a second before', async (_, attempt) => {
    const { id, invoice, mandate, intent, day } = await scene.scheduled();
    await scene.to(id, day, '21:59', -1);
    scene.api.clock.advance(59);
    await attempt({ id, invoice, mandate });
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'discarded' });
    expect(await bankOf(invoice)).toEqual(['CANCELADA']);
  });

  test.each(['request_lost', 'answer_lost'] as const)(
    'refuses what needs its cancellation while the bank says nothing of it (%s), and is debited or paid by QR code',
    async (trouble) => {
      const { id, invoice, intent, day } = await scene.scheduled();
      scene.bank.meets('cancelDebit', trouble);
      await expect(scene.fatura.invoices.void(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      scene.bank.recovers();
      await scene.to(id, day, '06:00');
      if (trouble === 'request_lost') expect((await scene.invoice(invoice)).status).toBe('paid');
      else expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
      expect(await scene.stateOf(intent)).toMatchObject({ attempts: 1 });
    },
  );

  test('between two tries is paid at once, and no further day is asked for', async () => {
    const { id, invoice, intent, day } = await scene.scheduled();
    await scene.decide(intent, 'insufficient');
    await scene.to(id, day, '22:00');
    await scene.decide(intent, 'insufficient');
    await scene.to(id, day, '22:00', 1);
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'failed', attempts: 2 });
    await payPix(invoice);
    await scene.to(id, day, '22:00', 8);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_refunded: 0 });
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'discarded', attempts: 2 });
  });
});

async function payPix(invoice: string): Promise<void> {
  const { payment_intent: intent } = await scene.fatura.invoices.checkout(invoice, byPix);
  await scene.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
}

const civil = (instant: number): string => {
  const at = Temporal.Instant.fromEpochMilliseconds(instant * 1_000).toZonedDateTimeISO('America/Sao_Paulo');
  return `${at.toPlainDate()} ${at.toPlainTime().toString({ smallestUnit: 'minute' })}`;
};
