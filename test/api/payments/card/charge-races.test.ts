import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pixExpiryStep } from '../../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { refundSettlementStep } from '../../../../server/payments/refunds/settlement.ts';
import { type Merchant, sdkFor } from '../../../support/api.ts';
import { cards, payByCard } from '../../../support/cards.ts';
import { type AnotherProcess, startAnother } from '../../another-process.ts';
import { CREATED, PAID, PaymentScene, refusal, SENT } from '../payment-scene.ts';

const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const PIX_MADE = 'payment_intent.created';
const DISCARDED = 'payment_intent.discarded';

const scene = new PaymentScene();
let another: AnotherProcess;

beforeAll(async () => {
  another = await startAnother(scene.api);
});
afterAll(() => another.stop());

describe('an invoice that is voided', () => {
  for (const way of ['void', 'markUncollectible'] as const) {
    test(`(${way}) while its card is at the acquirer is not, and is paid`, async () => {
      const invoice = await scene.newInvoice();
      scene.bank.meets('chargeCard', async () => {
        await expect(scene.merchant.fatura.invoices[way](invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
      });
      expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
      expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
    });
  }

  test('between the end of its QR code and the charge is not charged', async () => {
    const { invoice, txid } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () => scene.merchant.fatura.invoices.void(invoice));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('INVOICE_NOT_OPEN'));
    expect(await scene.events(invoice)).toEqual([CREATED, PIX_MADE, DISCARDED, 'invoice.voided']);
    expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['ended', REMOVED]);
    expect(await scene.attemptsOf(invoice)).toEqual([]);
  });

  test('after it was given up, between the end of its QR code and the charge, is charged all the same', async () => {
    const { invoice } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () =>
      scene.merchant.fatura.invoices.markUncollectible(invoice),
    );
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
  });

  test('while its QR code is ended for that, and was paid by card meanwhile, stays paid', async () => {
    const { invoice } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () => scene.payByCard(invoice));
    await expect(scene.merchant.fatura.invoices.void(invoice)).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.events(invoice)).toEqual([CREATED, PIX_MADE, DISCARDED, ...SENT, ...PAID]);
  });
});

describe('a QR code that is made', () => {
  for (const step of ['pix.after-intent', 'pix.after-acquirer'] as const) {
    test(`while a card pays (${step}) is handed to nobody and ended at the bank`, async () => {
      const invoice = await scene.newInvoice();
      scene.failpoints.meanwhile(step, () => scene.payByCard(invoice));
      await expect(scene.checkoutByPix(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      const [qr] = await scene.rows('SELECT id, copy_paste FROM pix_charge WHERE invoice_id = $1', invoice);
      const txid = String(qr?.id);
      expect(qr).toMatchObject({ copy_paste: null });
      expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
      expect(await scene.cobStatus(txid)).toBe(REMOVED);
      expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
    });
  }

  test('and paid while the card checkout is about to end it settles, and the card is not charged', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-retiring', () => scene.payPix(intent));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await scene.attemptsOf(invoice)).toEqual([]);
  });

  test('and confirmed while the card checkout is about to end it is waited for', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-retiring', () => scene.payPix(intent, 'confirmed_not_settled'));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.attemptsOf(invoice)).toEqual([]);
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
  });

  test('and whose invoice was given up while the bank was away: confirmed late, no card is charged', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.markUncollectible(invoice);
    scene.bank.recovers();
    await scene.payPix(intent, 'confirmed_not_settled');
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    await scene.payPix(intent);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.attemptsOf(invoice)).toEqual([]);
  });
});

describe('a QR code that was given up and is confirmed while the card is taken in', () => {
  test('is waited for, and the card is not charged', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.merchant.fatura.invoices.markUncollectible(invoice);
    scene.bank.recovers();
    scene.failpoints.meanwhile('card.after-tokenize', () => scene.payPix(intent, 'confirmed_not_settled'));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.attemptsOf(invoice)).toEqual([]);
    await scene.payPix(intent);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
  });
});

/** What buyers and merchants do at once, in two processes; whoever comes too late is refused. */
const rivals = (invoice: string, intent: string): (() => Promise<unknown>)[] => {
  const elsewhere: Merchant = { ...scene.merchant, fatura: sdkFor(another.baseUrl, scene.merchant.sandboxKey) };
  return [
    () => scene.payByCard(invoice),
    () => payByCard(elsewhere, invoice, { number: cards.mastercard }),
    () => payByCard(elsewhere, invoice, { number: cards.insufficient_funds }),
    () => scene.payByCard(invoice, { number: cards.answer_lost }),
    () => scene.checkoutByPix(invoice),
    () => elsewhere.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' }),
    () => scene.payPix(intent),
    () => scene.payPix(intent, 'paid_late'),
    () => elsewhere.fatura.invoices.markUncollectible(invoice),
    () => scene.merchant.fatura.invoices.void(invoice),
  ];
};

/** Ends every case of an invoice. */
async function comeToRest(invoice: string): Promise<void> {
  for (const { id, status } of await scene.intentsOf(invoice)) {
    if (status !== 'processing') continue;
    await scene.passDeadline(id);
    await scene.reconcile(id);
  }
  for (const { id } of await scene.rows('SELECT id FROM pix_charge WHERE invoice_id = $1', invoice)) {
    expect(await pixSettlementStep(scene.deps, String(id))).toEqual({ done: true });
    expect(await pixExpiryStep(scene.deps, String(id))).toEqual({ done: true });
  }
  const returning = (await scene.intentsOf(invoice)).filter(({ status }) => status === 'refunding');
  for (const { id } of returning) await refundSettlementStep(scene.deps, id);
  scene.api.clock.advance(5);
  for (const { id } of returning) expect(await refundSettlementStep(scene.deps, id)).toEqual({ done: true });
}

/** What the acquirer keeps of all that buyers paid for an invoice. */
async function keptAtBank(invoice: string): Promise<number> {
  const [kept] = await scene.rows(
    `SELECT (SELECT coalesce(sum(b.amount), 0) FROM sandbox_bank.charge b JOIN charge_attempt c ON c.id = b.reference
         WHERE c.invoice_id = $1 AND b.outcome = 'approved')
       + (SELECT coalesce(sum(p.amount), 0) FROM sandbox_bank.pix p JOIN pix_charge q ON q.id = p.txid WHERE q.invoice_id = $1)
       - (SELECT coalesce(sum(d.amount), 0) FROM sandbox_bank.devolucao d JOIN sandbox_bank.pix p USING (end_to_end_id)
         JOIN pix_charge q ON q.id = p.txid WHERE q.invoice_id = $1 AND NOT d.refused) AS amount`,
    invoice,
  );
  return Number(kept?.amount);
}

const EXPECTED_REFUSALS = [
  'ACQUIRER_TIMEOUT',
  'CARD_DECLINED',
  'INVALID_STATE',
  'INVOICE_NOT_OPEN',
  'PAYMENT_IN_PROGRESS',
  'PIX_PAYMENT_CONFIRMED',
];

describe('everything at once, in two processes', () => {
  test('ends with the price paid once or not at all, and every other cent returned', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { invoice, intent } = await scene.openPix();
      const inSomeOrder = rivals(invoice, intent).toSorted(() => Math.random() - 0.5);
      const results = await Promise.allSettled(inSomeOrder.map((act) => act()));
      const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      for (const reason of refusals) expect(EXPECTED_REFUSALS).toContain(reason.code);
      await comeToRest(invoice);
      const { status, amount_paid: paid } = await scene.invoice(invoice);
      expect(await keptAtBank(invoice)).toBe(status === 'paid' ? 9990 : 0);
      expect(paid).toBe(status === 'paid' ? 9990 : 0);
      expect((await scene.statusesOf(invoice)).filter((other) => other === 'paid')).toHaveLength(paid === 0 ? 0 : 1);
    }
  });
});
