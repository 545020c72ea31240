import { describe, expect, test } from 'vitest';
import type {
  Absence,
  Acquirer,
  AcquirerAnswer,
  ChargeFinding,
  ChargeRequest,
} from '../../../../server/payments/acquirer/port.ts';
import { refundSettlementStep } from '../../../../server/payments/refunds/settlement.ts';
import { cards, payByCard } from '../../../support/cards.ts';
import { PaymentScene, refusal } from '../payment-scene.ts';

const scene = new PaymentScene();

const TIMEOUT = refusal('ACQUIRER_TIMEOUT', { status: 504 });
const MINUTE = 60;

/** The sandbox bank with what another acquirer does otherwise, until the work is done. */
async function withBank<T>(changes: (bank: Acquirer) => Partial<Acquirer>, work: () => Promise<T>): Promise<T> {
  const { acquirers } = scene.deps;
  const { sandbox } = acquirers;
  Object.assign(acquirers, { sandbox: { ...sandbox, ...changes(sandbox) } });
  try {
    return await work();
  } finally {
    Object.assign(acquirers, { sandbox });
  }
}

async function lostCharge(
  trouble: 'request_lost' | 'answer_lost' = 'request_lost',
): Promise<{ invoice: string; intent: string }> {
  const invoice = await scene.newInvoice();
  scene.bank.meets('chargeCard', trouble);
  await expect(scene.payByCard(invoice)).rejects.toEqual(TIMEOUT);
  scene.bank.recovers();
  return { invoice, intent: (await scene.invoice(invoice)).payment_intent ?? '' };
}

const pastDeadlineBy = (intent: string, seconds: number) =>
  scene.rows(
    `UPDATE charge_attempt SET deadline_at = now() - make_interval(secs => $2) WHERE intent_id = $1`,
    intent,
    seconds,
  );

const reconcileBy = (absence: Absence, intent: string) =>
  withBank(
    () => ({ absence }),
    () => scene.reconcile(intent),
  );

const statusOf = async (invoice: string) => (await scene.attemptsOf(invoice))[0];

describe('a charge that is not found', () => {
  test('where no deadline binds the acquirer, was never made once it has been quiet for long', async () => {
    const { invoice, intent } = await lostCharge();
    const quiet = { proof: 'quiet', seconds: 10 * MINUTE } as const;
    await pastDeadlineBy(intent, 9 * MINUTE);
    expect(await reconcileBy(quiet, intent)).toMatchObject({ done: false, status: 'not found' });
    expect(await statusOf(invoice)).toMatchObject({ status: 'sent' });
    await pastDeadlineBy(intent, 11 * MINUTE);
    expect(await reconcileBy(quiet, intent)).toEqual({ done: true });
    expect(await statusOf(invoice)).toMatchObject({ status: 'never_charged' });
  });

  test('is cancelled by its reference first, where that alone proves it', async () => {
    const { invoice, intent } = await lostCharge();
    const answers: AcquirerAnswer<ChargeFinding>[] = [
      { known: false, why: 'timeout' },
      { known: true, value: { status: 'processing' } },
      { known: true, value: { status: 'not_found' } },
    ];
    const asked: string[] = [];
    const absence: Absence = {
      proof: 'cancel',
      cancel: async (_, reference) => {
        asked.push(reference);
        return answers.shift() ?? { known: false, why: 'fault' };
      },
    };
    // Before its deadline it may still be on its way: nothing is cancelled.
    expect(await reconcileBy(absence, intent)).toMatchObject({ done: false });
    expect(asked).toEqual([]);
    await pastDeadlineBy(intent, MINUTE);
    expect(await reconcileBy(absence, intent)).toMatchObject({ done: false, status: 'acquirer silent' });
    expect(await reconcileBy(absence, intent)).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await reconcileBy(absence, intent)).toEqual({ done: true });
    expect(new Set(asked).size).toBe(1);
    expect(await statusOf(invoice)).toMatchObject({ status: 'never_charged' });
  });

  test('and turns out to be approved as it is cancelled is approved', async () => {
    const { invoice, intent } = await lostCharge('answer_lost');
    await pastDeadlineBy(intent, MINUTE);
    const findCharge = async () => ({ known: true, value: { status: 'not_found' } }) as const;
    const cancel = async () => ({ known: true, value: { status: 'approved' } }) as const;
    const late = () => ({ findCharge, absence: { proof: 'cancel', cancel } }) as const;
    expect(await withBank(late, () => scene.reconcile(intent))).toEqual({ done: true });
    expect(await statusOf(invoice)).toMatchObject({ status: 'approved' });
  });
});

test('a charge that the acquirer takes in and decides later is unknown until it is decided', async () => {
  const invoice = await scene.newInvoice();
  const takesIn = (bank: Acquirer) => ({
    chargeCard: async (...given: Parameters<Acquirer['chargeCard']>) => {
      await bank.chargeCard(...given);
      return { known: true, value: { status: 'processing' } } as const;
    },
  });
  await expect(withBank(takesIn, () => payByCard(scene.merchant, invoice))).rejects.toEqual(TIMEOUT);
  const { payment_intent: intent } = await scene.invoice(invoice);
  expect(await scene.reconcile(intent ?? '')).toEqual({ done: true });
  expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
});

test('the security code goes with the charge of a buyer who is there', async () => {
  const asked: ChargeRequest[] = [];
  const watched = (bank: Acquirer) => ({
    chargeCard: (...given: Parameters<Acquirer['chargeCard']>) => {
      asked.push(given[1]);
      return bank.chargeCard(...given);
    },
  });
  const invoice = await scene.newInvoice();
  await withBank(watched, () => payByCard(scene.merchant, invoice, { number: cards.approved }));
  expect(asked).toMatchObject([{ initiator: 'customer', cvc: expect.stringMatching(/^\d{3}$/) }]);
});

test('a refund is asked for again under its reference only as long as the acquirer remembers that', async () => {
  const invoice = await scene.newInvoice();
  await scene.payByCard(invoice);
  const { payment_intent: intent } = await scene.invoice(invoice);
  scene.bank.meets('refundCard', 'request_lost');
  await expect(scene.merchant.fatura.refunds.create({ payment_intent: intent ?? '' })).rejects.toEqual(TIMEOUT);
  scene.bank.recovers();
  const settle = (repeatableForMs: number) =>
    withBank(
      () => ({ repeatableForMs }),
      () => refundSettlementStep(scene.deps, intent ?? ''),
    );
  expect(await settle(0)).toMatchObject({ done: false });
  expect(scene.bank.calls).toEqual(['findRefund']);
  expect(await settle(Number.POSITIVE_INFINITY)).toEqual({ done: true });
  expect(await scene.invoice(invoice)).toMatchObject({ amount_refunded: 9_990 });
});
