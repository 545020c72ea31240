import type { Invoice, PaymentIntent } from '@fatura/sdk';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { PixScenario } from '../../../contract/sandbox.ts';
import type { Deps } from '../../../server/deps.ts';
import type { CaseStep } from '../../../server/kernel/case-step.ts';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { type TestBank, troubleBank } from '../../support/bank.ts';
import { byCard, payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { refusalOf, send } from '../requests.ts';

/** A refusal as the SDK throws it; `param` is the service's own name of the parameter. */
export const refusal = (code: string, { param, ...more }: { param?: string | null; [field: string]: unknown } = {}) =>
  expect.objectContaining({ code, ...more, ...(param === undefined ? {} : { wireParam: param }) });

/** Events of a sale up to its end, by how it went; the lists of tests are made of these. */
export const CREATED = 'invoice.created';
export const SENT = ['payment_intent.created', 'payment_intent.processing'];
export const PAID = ['payment_intent.paid', 'invoice.paid'];
export const DECLINED = ['payment_intent.failed', 'invoice.payment_failed'];
export const SURPLUS = ['payment_intent.created', 'payment_intent.paid', 'payment_intent.refunding'];

/** A QR code of an invoice, by the ids of all three. */
export interface OpenPix {
  readonly invoice: string;
  readonly intent: string;
  readonly txid: string;
}

/** Long enough for a slow machine; the wait ends as soon as it may. */
const LOCKED_WITHIN_MS = 20_000;

/** An API with a bank that can be troubled and use cases that can be stopped, and one merchant who sells. */
export class PaymentScene {
  readonly failpoints = new Failpoints();
  #running: { api: TestApi; bank: TestBank; merchant: Merchant } | null = null;

  constructor(options: Pick<Parameters<typeof startApi>[0] & object, 'patienceSeconds'> = {}) {
    beforeAll(async () => {
      const api = await startApi({ failpoint: this.failpoints.hook, ...options });
      this.#running = { api, bank: troubleBank(api), merchant: await api.newMerchant() };
    });
    afterEach(() => this.bank.recovers());
    afterAll(() => this.api.stop());
  }

  get #started() {
    if (this.#running === null) throw new Error('the API starts before the first test');
    return this.#running;
  }
  get api(): TestApi {
    return this.#started.api;
  }
  get bank(): TestBank {
    return this.#started.bank;
  }
  get merchant(): Merchant {
    return this.#started.merchant;
  }
  get deps(): Deps {
    return this.api.composition.deps;
  }

  async rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.deps.pool.query(sql, values)).rows;
  }

  /** Types of all events of an invoice and its charges, in their order. */
  async events(invoice: string): Promise<unknown[]> {
    return (await this.facts(invoice)).map(({ type }) => type);
  }

  /** The events with the objects frozen in them; those of a refund name the charge alone. */
  async facts(invoice: string): Promise<{ type: unknown; object: unknown }[]> {
    const stored = await this.rows(
      `SELECT type, body FROM event WHERE related @> ARRAY[$1] OR object_id IN
         (SELECT id FROM payment_intent WHERE invoice_id = $1) ORDER BY id`,
      invoice,
    );
    return stored.map(({ type, body }) => ({ type, object: JSON.parse(String(body)).data.object }));
  }

  invoice(id: string): Promise<Invoice> {
    return this.merchant.fatura.invoices.retrieve(id);
  }

  intent(id: string): Promise<PaymentIntent> {
    return this.merchant.fatura.paymentIntents.retrieve(id);
  }

  /** Oldest first. */
  async intentsOf(invoice: string): Promise<PaymentIntent[]> {
    return (await this.merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 100 })).toReversed();
  }

  async statusesOf(invoice: string): Promise<string[]> {
    return (await this.intentsOf(invoice)).map(({ status }) => status);
  }

  async newInvoice(amount = 9990): Promise<string> {
    return (await newInvoice(this.merchant, { amount })).id;
  }

  payByCard(invoice: string, options: Parameters<typeof payByCard>[2] = {}) {
    return payByCard(this.merchant, invoice, options);
  }

  /** Charges by card where the answer is of no interest, or is a refusal that the caller expects; answers the intent. */
  async chargeCard(invoice: string, options: Parameters<typeof payByCard>[2] = {}): Promise<string> {
    await this.payByCard(invoice, options).catch(() => {});
    return (await this.invoice(invoice)).payment_intent ?? '';
  }

  /** The checkout by card as it goes over the wire: what came of it, in short, and the whole body. */
  async sendByCard(
    invoice: string,
    { key, number, at = this.api }: { key: string; number?: string; at?: Pick<TestApi, 'baseUrl'> },
  ): Promise<{ status: number; code: string | null; isReplayed: boolean; body: unknown }> {
    const request = { method: 'POST', path: `/invoices/${invoice}/checkout`, key: this.merchant.sandboxKey };
    const keyed = { body: byCard(number), headers: { 'Idempotency-Key': key } };
    const answer = await send(at, { ...request, ...keyed });
    const { status, body } = answer;
    const code = status === 201 ? null : refusalOf(answer).code;
    return { status, code, isReplayed: answer.headers.get('Idempotent-Replayed') === 'true', body };
  }

  async checkoutByPix(invoice: string, merchant = this.merchant): Promise<OpenPix> {
    const { payment_intent: intent } = await merchant.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
    const [qr] = await this.rows('SELECT id FROM pix_charge WHERE intent_id = $1', intent);
    return { invoice, intent: intent ?? '', txid: String(qr?.id) };
  }

  async openPix(amount = 9990): Promise<OpenPix> {
    return this.checkoutByPix(await this.newInvoice(amount));
  }

  payPix(intent: string, scenario: PixScenario = 'paid'): Promise<PaymentIntent> {
    return this.merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario });
  }

  /** The buyer pays and nobody hears of it but the bank. */
  async payPixUnheard(intent: string, scenario: PixScenario = 'paid'): Promise<void> {
    this.failpoints.crashAt('settlement.after-booking');
    await expect(this.payPix(intent, scenario)).rejects.toEqual(refusal('INTERNAL_ERROR'));
  }

  /** One look of the case `charge-reconciliation`. */
  reconcile(intent: string): Promise<CaseStep> {
    return chargeReconciliationStep(this.deps, intent);
  }

  /** The acquirer refuses by now whatever of this charge is still on its way to it. */
  async passDeadline(intent: string): Promise<void> {
    await this.rows(`UPDATE charge_attempt SET deadline_at = now() - interval '1 minute' WHERE intent_id = $1`, intent);
  }

  /** Attempts of an invoice in our books, oldest first. */
  attemptsOf(invoice: string) {
    return this.rows(
      `SELECT status, decline_reason, acquirer_code, is_reversible, amount, installments, brand, last4
       FROM charge_attempt WHERE invoice_id = $1 ORDER BY id`,
      invoice,
    );
  }

  /** Charges of an invoice in the acquirer's books, oldest first. */
  chargesAtBank(invoice: string) {
    return this.rows(
      `SELECT b.amount, b.installments, b.outcome FROM sandbox_bank.charge b JOIN charge_attempt c ON c.id = b.reference
       WHERE c.invoice_id = $1 ORDER BY c.id`,
      invoice,
    );
  }

  /** Returns once so many transactions wait for a lock. */
  async lockWaiters(count: number): Promise<void> {
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await expect.poll(async () => (await this.rows(waiting)).length, { timeout: LOCKED_WITHIN_MS }).toBe(count);
  }

  async qrState(txid: string): Promise<unknown> {
    return (await this.rows('SELECT state FROM pix_charge WHERE id = $1', txid))[0]?.state;
  }

  async cobStatus(txid: string): Promise<unknown> {
    return (await this.rows('SELECT status FROM sandbox_bank.cob WHERE txid = $1', txid))[0]?.status;
  }

  /** Cases that the outbox asks for, of an object. */
  async casesOf(key: string): Promise<unknown[]> {
    return (await this.rows('SELECT kind FROM outbox WHERE key = $1 ORDER BY kind', key)).map(({ kind }) => kind);
  }

  /** Everything our books have of an invoice, and what they told of it. */
  async books(invoice: string): Promise<Record<string, unknown[]>> {
    const of = async (table: string, column: string) =>
      (await this.rows(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${column} = $1 ORDER BY t.id`, invoice)).map(
        ({ row }) => row,
      );
    return {
      invoice: await of('invoice', 'id'),
      intents: await of('payment_intent', 'invoice_id'),
      qrCodes: await of('pix_charge', 'invoice_id'),
      receipts: await of('pix_receipt', 'invoice_id'),
      attempts: await of('charge_attempt', 'invoice_id'),
      refunds: await of('refund_part', 'invoice_id'),
      events: await this.facts(invoice),
      charges: await this.chargesAtBank(invoice),
    };
  }
}
