import type { PaymentIntent, Refund, RefundCreate } from '@fatura/sdk';
import { expect } from 'vitest';
import type { CaseStep } from '../../../../server/kernel/case-step.ts';
import { createSandboxAcquirer } from '../../../../server/payments/acquirer/sandbox/adapter.ts';
import {
  changeBehaviour,
  resetBehaviour,
  type Trouble,
} from '../../../../server/payments/acquirer/sandbox/behaviour.ts';
import { refundSettlementStep } from '../../../../server/payments/refunds/settlement.ts';
import { rolesOf } from '../../../support/roles.ts';
import { type RawAnswer, send } from '../../requests.ts';
import { PaymentScene } from '../payment-scene.ts';

/** A payment that was made, and how much had been told of it by then. */
export interface Sale {
  readonly invoice: string;
  readonly intent: string;
  readonly amount: number;
  readonly told: number;
}

type Part = Refund['parts'][number];

/** A part as the refund shows it: asked for by the customer and completed, unless overridden. */
export const part = (amount: number, created: number, overrides: Partial<Part> = {}): Part => ({
  amount,
  reason: 'requested_by_customer',
  status: 'refunded',
  created,
  ...overrides,
});

/** The refund of an intent as a whole, by its parts; the first of them stands. */
export function refundOf({ intent }: Pick<Sale, 'intent'>, parts: readonly Part[]): Refund {
  const standing = parts.filter(({ status }) => status !== 'failed');
  return {
    id: intent,
    object: 'refund',
    amount: standing.reduce((sum, { amount }) => sum + amount, 0),
    currency: 'brl',
    payment_intent: intent,
    status: standing.some(({ status }) => status === 'refunding') ? 'refunding' : 'refunded',
    live_mode: false,
    created: standing[0]?.created ?? 0,
    parts: [...parts],
  };
}

/** The refund in the answer of the request that asked for its newest part. */
export function answerOf(sale: Pick<Sale, 'intent'>, parts: readonly Part[]): Refund {
  const made = parts.at(-1) ?? expect.fail('a refund has a part');
  const status = made.status === 'refunding' ? 'refunding' : 'refunded';
  return { ...refundOf(sale, parts), amount: made.amount, status, created: made.created };
}

/** A payment scene whose sales are refunded. */
export class RefundScene extends PaymentScene {
  get now(): number {
    return this.api.clock.now();
  }

  async #saleOf(invoice: string, amount: number): Promise<Sale> {
    const intent = (await this.invoice(invoice)).payment_intent ?? '';
    return { invoice, intent, amount, told: (await this.facts(intent)).length };
  }

  async soldByCard(amount = 10_000): Promise<Sale> {
    const invoice = await this.newInvoice(amount);
    await this.payByCard(invoice);
    return this.#saleOf(invoice, amount);
  }

  async soldByPix(amount = 10_000): Promise<Sale> {
    const { invoice, intent } = await this.openPix(amount);
    await this.payPix(intent);
    return this.#saleOf(invoice, amount);
  }

  refund(
    { intent }: Pick<Sale, 'intent'>,
    asked: Omit<RefundCreate, 'payment_intent'> = {},
    options: { idempotencyKey?: string } = {},
  ): Promise<Refund> {
    return this.merchant.fatura.refunds.create({ payment_intent: intent, ...asked }, options);
  }

  /** Asks for a refund as no SDK would: any body, the answer with its headers. */
  sendRefund(refund: unknown, key?: string): Promise<RawAnswer> {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return send(this.api, {
      method: 'POST',
      path: '/refunds',
      key: this.merchant.sandboxKey,
      body: { refund },
      headers,
    });
  }

  /** The refund as a whole. */
  refunded({ intent }: Pick<Sale, 'intent'>): Promise<Refund> {
    return this.merchant.fatura.refunds.retrieve(intent);
  }

  /** One look of the case `refund-settlement`. */
  settle({ intent }: Pick<Sale, 'intent'>): Promise<CaseStep> {
    return refundSettlementStep(this.deps, intent);
  }

  /** The bank is asked for the returns of a PIX, and has made them 5 s later. */
  async settleAtBank(sale: Pick<Sale, 'intent'>): Promise<CaseStep> {
    await this.settle(sale);
    this.api.clock.advance(5);
    return this.settle(sale);
  }

  /** The payment itself, in short. */
  async standing({ intent }: Pick<Sale, 'intent'>): Promise<Pick<PaymentIntent, 'status' | 'amount_refunded'>> {
    const { status, amount_refunded } = await this.intent(intent);
    return { status, amount_refunded };
  }

  /** What was told of a payment since it was made, with the objects frozen in the events. */
  async factsSince({ intent, told }: Sale): Promise<{ type: unknown; object: unknown }[]> {
    return (await this.facts(intent)).slice(told);
  }

  async eventsSince(sale: Sale): Promise<unknown[]> {
    return (await this.factsSince(sale)).map(({ type }) => type);
  }

  /** Parts in our books, oldest first. */
  partsOf({ intent }: Pick<Sale, 'intent'>) {
    return this.rows('SELECT amount, status, requests FROM refund_part WHERE intent_id = $1 ORDER BY id', intent);
  }

  /** Refunds of a card in the acquirer's books, in the order of our parts. */
  estornosOf({ intent }: Pick<Sale, 'intent'>) {
    return this.rows(
      `SELECT e.amount, e.refused FROM sandbox_bank.estorno e JOIN refund_part p USING (reference) WHERE p.intent_id = $1 ORDER BY p.id`,
      intent,
    );
  }

  /** Returns of a PIX in the acquirer's books, in the order of our parts. */
  returnsOf({ intent }: Pick<Sale, 'intent'>) {
    return this.rows(
      `SELECT d.amount, d.refused FROM sandbox_bank.devolucao d JOIN refund_part p ON p.reference = d.id WHERE p.intent_id = $1 ORDER BY p.id`,
      intent,
    );
  }

  /** Takes the lock of an invoice, under which its charges are booked; answers how to let go of it. */
  async lockInvoice(invoice: string): Promise<() => Promise<void>> {
    const client = await rolesOf(this.deps.pool).superuser.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM invoice WHERE id = $1 FOR UPDATE', [invoice]);
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  }

  /** The acquirer refuses every refund by card meanwhile, in trouble or not. */
  async whileRefusing<T>(work: () => Promise<T>, trouble?: Trouble): Promise<T> {
    const { acquirers, pool } = this.deps;
    const { accountId } = this.merchant;
    const usual = acquirers.sandbox;
    await changeBehaviour(pool, { accountId, call: 'refundCard', changes: { refuse: 1 } });
    // Another adapter remembers no settings from before.
    const refusing = createSandboxAcquirer(pool, { before: (call) => (call === 'refundCard' ? trouble : undefined) });
    Object.assign(acquirers, { sandbox: refusing });
    try {
      return await work();
    } finally {
      Object.assign(acquirers, { sandbox: usual });
      await resetBehaviour(pool, accountId);
    }
  }
}
