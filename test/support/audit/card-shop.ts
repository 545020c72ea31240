import { changeBehaviour, resetBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import type { Merchant, TestApi } from '../api.ts';
import { troubleBank } from '../bank.ts';
import { cards, payByCard } from '../cards.ts';
import { newInvoice, newPrice } from '../factories.ts';
import { subscribeByCard } from '../subscriptions.ts';

export interface CardSale {
  readonly invoice: string;
  readonly intent: string;
  /** Its newest attempt. */
  readonly attempt: string;
}

/** Charges by card and refunds, as the API and the worker leave them. */
export interface CardShop {
  /** In three installments. */
  readonly charged: CardSale;
  readonly declined: CardSale;
  /** Declined first, then paid with another card; this is the declined charge. */
  readonly replaced: CardSale;
  /** Captured, and nobody told us. */
  readonly unknown: CardSale;
  /** It never reached the acquirer. */
  readonly neverCharged: CardSale;
  /** Refunded whole, in two parts. */
  readonly returned: CardSale;
  /** Of 5000: 1000 returned, 2000 refused, 500 of unknown outcome. */
  readonly returning: CardSale;
  /** The first payment of a subscription that is cancelled; its customer is anonymized. */
  readonly erased: CardSale;
}

/** What the sales of a shop are made with. */
interface Counter {
  readonly api: TestApi;
  readonly merchant: Merchant;
}

export async function sellByCard(api: TestApi, merchant: Merchant): Promise<CardShop> {
  const counter = { api, merchant };
  const charged = await chargeInInstallments(counter);
  const replaced = await charge(counter, cards.insufficient_funds);
  await payByCard(merchant, replaced.invoice, { number: cards.mastercard });
  const found = await charge(counter, cards.answer_lost);
  await chargeReconciliationStep(api.composition.deps, found.intent);
  return {
    charged,
    declined: await charge(counter, cards.issuer_declined),
    replaced,
    unknown: await charge(counter, cards.answer_lost),
    neverCharged: await loseCharge(counter),
    returned: await returnWhole(counter),
    returning: await returnInEveryWay(counter),
    erased: await eraseBuyer(counter),
  };
}

async function saleOf({ api, merchant }: Counter, invoice: string): Promise<CardSale> {
  const { payment_intent: intent } = await merchant.fatura.invoices.retrieve(invoice);
  const newest = 'SELECT max(id) AS id FROM charge_attempt WHERE intent_id = $1';
  const { rows } = await api.composition.deps.pool.query<{ id: string }>(newest, [intent]);
  return { invoice, intent: intent ?? '', attempt: rows[0]?.id ?? '' };
}

/** Charges a new invoice; what the card is told is of no interest here. */
async function charge(counter: Counter, number: string, amount = 5000): Promise<CardSale> {
  const { id } = await newInvoice(counter.merchant, { amount });
  await payByCard(counter.merchant, id, { number }).catch(() => {});
  return saleOf(counter, id);
}

async function chargeInInstallments(counter: Counter): Promise<CardSale> {
  const { merchant } = counter;
  const price = await newPrice(merchant, { unit_amount: 6000, card_installments_enabled: true });
  const { id } = await newInvoice(merchant, { line_items: [{ price_id: price.id, quantity: 1 }] });
  await payByCard(merchant, id, { installments: 3 });
  return saleOf(counter, id);
}

async function loseCharge(counter: Counter): Promise<CardSale> {
  const { deps } = counter.api.composition;
  const bank = troubleBank(counter.api);
  bank.meets('chargeCard', 'request_lost');
  const sale = await charge(counter, cards.approved);
  bank.recovers();
  await deps.pool.query(`UPDATE charge_attempt SET deadline_at = now() - interval '1 minute' WHERE id = $1`, [
    sale.attempt,
  ]);
  await chargeReconciliationStep(deps, sale.intent);
  return sale;
}

async function returnWhole(counter: Counter): Promise<CardSale> {
  const { refunds } = counter.merchant.fatura;
  const sale = await charge(counter, cards.approved);
  await refunds.create({ payment_intent: sale.intent, amount: 1500 });
  await refunds.create({ payment_intent: sale.intent, reason: 'duplicate' });
  return sale;
}

async function returnInEveryWay(counter: Counter): Promise<CardSale> {
  const { api, merchant } = counter;
  const sale = await charge(counter, cards.elo);
  const refund = (amount: number) => merchant.fatura.refunds.create({ payment_intent: sale.intent, amount });
  await refund(1000);
  await whileRefusing(counter, () => refund(2000).catch(() => {}));
  const bank = troubleBank(api);
  bank.meets('refundCard', 'answer_lost');
  await refund(500).catch(() => {});
  bank.recovers();
  return sale;
}

/** The bank refuses every refund by card meanwhile; a new adapter has read no older settings. */
async function whileRefusing({ api, merchant }: Counter, work: () => Promise<unknown>): Promise<void> {
  const { accountId } = merchant;
  const { pool } = api.composition.deps;
  await changeBehaviour(pool, { accountId, call: 'refundCard', changes: { refuse: 1 } });
  troubleBank(api);
  await work();
  await resetBehaviour(pool, accountId);
  troubleBank(api);
}

async function eraseBuyer(counter: Counter): Promise<CardSale> {
  const { subscriptions, customers } = counter.merchant.fatura;
  const { id, customer, latest_invoice: invoice } = await subscribeByCard(counter.merchant, cards.hipercard);
  await subscriptions.cancel(id);
  await customers.anonymize(customer);
  return saleOf(counter, invoice ?? '');
}

/** Of a PIX of 5000: 1000 returned, 1099 refused and 500 on their way; answers its intent. */
export async function returnPixInEveryWay(api: TestApi, merchant: Merchant, intent: string): Promise<string> {
  const { deps } = api.composition;
  const refund = (amount: number) => merchant.fatura.refunds.create({ payment_intent: intent, amount });
  const settle = () => refundSettlementStep(deps, intent);
  await refund(1000);
  await refund(1099);
  await settle();
  api.clock.advance(5);
  await settle();
  await refund(500);
  await settle();
  return intent;
}
