import { describe, expect, test } from 'vitest';
import type { FailpointName } from '../../../support/failpoints.ts';
import { MandateScene } from './mandate-scene.ts';

const byMandate = { payment_method_type: 'pix_automatico' } as const;
const alone = { journey: 'mandate_only' } as const;
const HOUR = 3_600;

const scene = new MandateScene();

/** Does what ends at a step as if the process had; false: it never came there. */
async function killedAt(step: FailpointName, work: () => Promise<unknown>): Promise<boolean> {
  scene.failpoints.crashAt(step);
  try {
    await work();
    return false;
  } catch {
    return true;
  }
}

const bankMandates = async (id: string): Promise<unknown[]> =>
  (
    await scene.rows(
      `SELECT b.status FROM sandbox_bank.rec b JOIN mandate m USING (place) WHERE m.subscription_id = $1 ORDER BY b.status`,
      id,
    )
  ).map(({ status }) => status);

const bankDebits = async (invoice: string): Promise<unknown[]> =>
  (
    await scene.rows(
      `SELECT d.status FROM sandbox_bank.cobr d JOIN pix_charge c ON c.id = d.txid WHERE c.invoice_id = $1 ORDER BY d.status`,
      invoice,
    )
  ).map(({ status }) => status);

const makings = [
  'mandate.before-placing',
  'mandate.after-placing',
  'mandate.before-making',
  'mandate.after-making',
] as const satisfies readonly FailpointName[];

describe('a process that dies while it makes a mandate', () => {
  test.each([...makings, 'pix.after-intent', 'pix.after-acquirer'] as const)(
    'of a first payment, at %s, leaves one, which the next checkout answers',
    async (step) => {
      const { id } = await scene.subscribe();
      expect(await killedAt(step, () => scene.subscriptions.checkout(id, byMandate))).toBe(true);
      const { mandate, latest_invoice: invoice } = await scene.subscriptions.checkout(id, byMandate);
      expect(await bankMandates(id)).toEqual(['CRIADA']);
      const { payment_intent: intent } = await scene.invoice(invoice ?? '');
      await scene.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
      expect(await scene.mandates.retrieve(mandate ?? '')).toMatchObject({ status: 'active' });
      expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', mandate });
    },
  );

  test.each(makings)('alone, at %s, leaves one, which the next request answers', async (step) => {
    const { id } = await scene.subscribePaidByPix();
    expect(await killedAt(step, () => scene.mandates.create(id, alone))).toBe(true);
    const mandate = await scene.mandates.create(id, alone);
    expect(mandate.qr?.copy_paste).toContain('/v2/rec/');
    expect(await bankMandates(id)).toEqual(['CRIADA']);
    await scene.fatura.testHelpers.mandates.approve(mandate.id);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ payment_method_type: 'pix_automatico', mandate: mandate.id },
    });
  });
});

test('a process that dies when it has heard of an authorisation hears of it again', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { id: mandate } = await scene.mandates.create(id, alone);
  const approve = () => scene.fatura.testHelpers.mandates.approve(mandate);
  expect(await killedAt('mandate.after-looking', approve)).toBe(true);
  expect(await scene.look(mandate)).toMatchObject({ done: true });
  expect(await scene.mandates.retrieve(mandate)).toMatchObject({ status: 'active' });
});

test('a process that dies while it tells the bank of an end tells it again', async () => {
  const { mandate } = await scene.authorised();
  await scene.mandates.cancel(mandate ?? '');
  expect(await killedAt('mandate.after-telling', () => scene.look(mandate ?? ''))).toBe(true);
  expect(await scene.look(mandate ?? '')).toMatchObject({ done: true });
  expect(
    await scene.rows('SELECT b.status FROM sandbox_bank.rec b JOIN mandate m USING (place) WHERE m.id = $1', mandate),
  ).toEqual([{ status: 'CANCELADA' }]);
});

describe('a process that dies while it debits', () => {
  test.each(['debit.before-instructing', 'debit.after-instructing'] as const)('at %s instructs once', async (step) => {
    const { id } = await scene.authorised();
    const { id: invoice, payment_intent: intent } = await scene.renew(id);
    expect(await killedAt(step, () => scene.pass(id, HOUR))).toBe(true);
    await scene.pass(id, HOUR);
    expect(await scene.stateOf(intent ?? '')).toMatchObject({ status: 'scheduled', attempts: 1 });
    expect(await bankDebits(invoice)).toEqual(['ATIVA']);
    const { scheduled_for: day } = await scene.stateOf(intent ?? '');
    await scene.to(id, day ?? '', '06:00');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(await bankDebits(invoice)).toEqual(['CONCLUIDA']);
  });

  test.each(['debit.before-asking', 'debit.after-asking'] as const)('at %s asks for one more day', async (step) => {
    const { id, invoice, intent, day } = await scene.scheduled();
    await scene.decide(intent, 'insufficient');
    expect(await killedAt(step, () => scene.to(id, day, '21:30'))).toBe(true);
    await scene.to(id, day, '21:45');
    expect(await scene.stateOf(intent)).toMatchObject({ status: 'scheduled', attempts: 2 });
    await scene.to(id, day, '06:00', 1);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(await bankDebits(invoice)).toEqual(['CONCLUIDA']);
  });

  test.each(['settlement.before-settle', 'settlement.after-settle'] as const)(
    'at %s books what was debited once',
    async (step) => {
      const { id, invoice, intent, day } = await scene.scheduled();
      await killedAt(step, () => scene.to(id, day, '06:00'));
      await scene.to(id, day, '08:00');
      expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
      expect(await scene.stateOf(intent)).toMatchObject({ status: 'paid', attempts: 1 });
    },
  );

  test('at the cancelling of one pays by what its buyer chose, and debits nothing', async () => {
    const { id, invoice, day } = await scene.scheduled();
    const pay = () => scene.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
    expect(await killedAt('debit.after-cancelling', pay)).toBe(true);
    const { payment_intent: intent } = await pay();
    await scene.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    await scene.to(id, day, '23:00');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(await bankDebits(invoice)).toEqual(['CANCELADA']);
  });
});
