import type pg from 'pg';
import { expect, test } from 'vitest';
import { pixExpiryStep } from '../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { byCard, cards } from '../../support/cards.ts';
import { rolesOf } from '../../support/roles.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const pix = { payment_method_type: 'pix' } as const;

const LOOKS_MAX = 200;
const LOOK_MS = 20;

/** Waits until another transaction waits for what this connection holds. */
async function untilWaitedFor(holder: pg.PoolClient): Promise<void> {
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const waiting = await scene.rows(
      'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
      rows[0]?.pid,
    );
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('nobody waits for the subscription');
}

interface Locked {
  readonly id: string;
  readonly invoice: string;
  readonly work: () => Promise<unknown>;
}

/** Everything that locks an invoice of a subscription, each on one of its own. */
const paths: Record<string, () => Promise<Locked>> = {
  'a checkout by card': async () => {
    const { id, invoice } = await scene.make('pending');
    return { id, invoice, work: () => scene.subscriptions.checkout(id, byCard()) };
  },
  'a checkout by card that ends a QR code': async () => {
    const { id, invoice } = await scene.subscribeByPix();
    return { id, invoice, work: () => scene.subscriptions.checkout(id, byCard()) };
  },
  'a checkout by PIX': async () => {
    const { id, invoice } = await scene.make('suspended');
    return { id, invoice, work: () => scene.subscriptions.checkout(id, pix) };
  },
  'a checkout of the invoice by card': async () => {
    const { id, invoice } = await scene.make('active');
    return { id, invoice, work: () => scene.fatura.invoices.checkout(invoice, byCard()) };
  },
  'a checkout of the invoice by PIX': async () => {
    const { id, invoice } = await scene.make('active');
    return { id, invoice, work: () => scene.fatura.invoices.checkout(invoice, pix) };
  },
  'the outcome of a charge': async () => {
    const { id, invoice } = await scene.make('pending');
    await expect(scene.subscriptions.checkout(id, byCard(cards.answer_lost))).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT'),
    );
    const { payment_intent: intent } = await scene.invoice(invoice);
    return { id, invoice, work: () => scene.reconcile(intent ?? '') };
  },
  'a payment that the bank tells of': async () => {
    const { id, invoice, intent } = await scene.subscribeByPix();
    return { id, invoice, work: () => scene.payPix(intent) };
  },
  'a payment that the case finds': async () => {
    const { id, invoice, intent, txid } = await scene.subscribeByPix();
    await scene.payPixUnheard(intent);
    return { id, invoice, work: () => pixSettlementStep(scene.deps, txid) };
  },
  'the end of a QR code': async () => {
    const { id, invoice, txid } = await scene.subscribeByPix();
    scene.bank.meets('expirePix', 'unreachable');
    await scene.subscriptions.cancel(id);
    scene.bank.recovers();
    return { id, invoice, work: () => pixExpiryStep(scene.deps, txid) };
  },
  'another card': async () => {
    const { id, invoice } = await scene.make('active');
    return { id, invoice, work: () => scene.subscriptions.updatePaymentMethod(id, byCard()) };
  },
  DELETE: async () => {
    const { id, invoice } = await scene.subscribeByPix();
    return { id, invoice, work: () => scene.subscriptions.cancel(id) };
  },
  void: async () => {
    const { id, invoice } = await scene.make('active');
    return { id, invoice, work: () => scene.fatura.invoices.void(invoice) };
  },
  mark_uncollectible: async () => {
    const { id, invoice } = await scene.make('active');
    return { id, invoice, work: () => scene.fatura.invoices.markUncollectible(invoice) };
  },
  'a refund by card': async () => {
    const { id, latest_invoice: invoice } = await scene.subscribeByCard();
    const { payment_intent } = await scene.invoice(invoice ?? '');
    const refund = { payment_intent: payment_intent ?? '' };
    return { id, invoice: invoice ?? '', work: () => scene.fatura.refunds.create(refund) };
  },
  'the return of a surplus': async () => {
    const { id, invoice, intent } = await scene.subscribeByPix();
    await scene.payPix(intent, 'paid_twice');
    const [surplus] = await scene.rows('SELECT id FROM payment_intent WHERE invoice_id = $1 AND surplus', invoice);
    await refundSettlementStep(scene.deps, String(surplus?.id));
    scene.api.clock.advance(5);
    return { id, invoice, work: () => refundSettlementStep(scene.deps, String(surplus?.id)) };
  },
};

test.each(Object.entries(paths))('%s waits for the subscription before it locks the invoice', async (_, prepare) => {
  const { id, invoice, work } = await prepare();
  const holder = await rolesOf(scene.deps.pool).superuser.connect();
  let done: Promise<unknown> = Promise.resolve();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM subscription WHERE id = $1 FOR UPDATE', [id]);
    done = work();
    // Its refusal, if any, is looked at below.
    done.catch(() => {});
    await untilWaitedFor(holder);
    const free = await holder.query('SELECT FROM invoice WHERE id = $1 FOR UPDATE SKIP LOCKED', [invoice]);
    expect(free.rowCount).toBe(1);
  } finally {
    await holder.query('COMMIT');
    holder.release();
  }
  await done;
});
