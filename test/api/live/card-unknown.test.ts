import { expect, test } from 'vitest';
import type { Trouble } from '../../../dev/fake-pagarme/pagarme.ts';
import { run } from '../../../server/db/statement.ts';
import type { CardAcquirer } from '../../../server/payments/acquirer/port.ts';
import { newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { isUnknown, withCalls } from './answers.ts';
import { type CardShop, cardScene } from './card-shop.ts';

/** SOAK=1 has ten thousand; a run of every change has a hundred. */
const UNKNOWN = process.env.SOAK === undefined ? 100 : 10_000;
const TIMEOUT_MS = process.env.SOAK === undefined ? 120_000 : 3_600_000;
const AT_ONCE = 6;

const scene = cardScene();

/** What befalls calls and webhooks at random. */
const mixed: readonly Trouble[] = [
  { kind: 'request_lost', share: 0.15 },
  { kind: 'answer_lost', share: 0.2 },
  { kind: 'fault', share: 0.1 },
  { kind: 'html_fault', share: 0.05 },
  { kind: 'unavailable', share: 0.05 },
  { kind: 'too_many', share: 0.02 },
  { kind: 'lagging', operation: 'listOrders', share: 0.1, milliseconds: 50 },
  { kind: 'stays_processing', share: 0.05 },
  { kind: 'refund_stays', share: 0.1 },
  { kind: 'refund_fails', share: 0.05 },
  { kind: 'hook_none', share: 0.2 },
  { kind: 'hook_twice', share: 0.1 },
  { kind: 'hook_late', share: 0.1, milliseconds: 30 },
];

/** What an acquirer that fails leads to is refused with a code; anything else is a fault of ours. */
const EXPECTED = new Set([
  'ACQUIRER_TIMEOUT',
  'ACQUIRER_UNAVAILABLE',
  'CARD_TOKEN_EXPIRED',
  'CARD_DECLINED',
  'CARD_ATTEMPTS_EXHAUSTED',
  'PAYMENT_IN_PROGRESS',
  'INVOICE_NOT_OPEN',
  'INVALID_STATE',
  'REFUND_EXCEEDS_BALANCE',
  'REFUND_REFUSED',
]);

async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (EXPECTED.has(code)) return false;
    throw error;
  }
}

/** Counts answers of the acquirer from which nobody learns what happened. */
function countUnknown({ accountId }: CardShop): () => number {
  let unknown = 0;
  const { live } = scene.deps().acquirers;
  const { card } = live;
  Object.assign(live, {
    card: async (id: string): Promise<CardAcquirer | null> => {
      const acquirer = await card(id);
      if (acquirer === null || id !== accountId) return acquirer;
      return withCalls(acquirer, async (call) => {
        const answer = await call();
        if (isUnknown(answer)) unknown += 1;
        return answer;
      });
    },
  });
  return () => unknown;
}

const letQuietPass = ownStatement(
  'card_unknown_quiet',
  `UPDATE charge_attempt SET deadline_at = deadline_at - interval '10 minutes'
   WHERE account_id = $1 AND status = 'sent' AND unknown_at IS NOT NULL`,
);

/** A card whose token the browser got: only what follows it is of interest here. */
async function token(shop: CardShop, number: string) {
  for (;;) {
    const made = await shop.byToken(number).catch(() => null);
    if (made !== null) return made;
  }
}

const GOOD = '4000000000000010';
const DECLINED = '4000000000009995';

/** One sale as it may go: tried again, declined, of unknown outcome, refunded in parts. */
async function tradeOnce(shop: CardShop): Promise<void> {
  const { id } = await newInvoice(shop, { amount: 1_000 + Math.floor(Math.random() * 9_000) });
  for (let tries = 0; tries < 4; tries += 1) {
    const card = await token(shop, Math.random() < 0.15 ? DECLINED : GOOD);
    if (await attempt(() => shop.fatura.invoices.checkout(id, card))) break;
  }
  const { payment_intent: intent, status } = await shop.fatura.invoices.retrieve(id);
  if (status !== 'paid' || intent === null) return;
  for (let part = 0; part < 2; part += 1)
    if (Math.random() < 0.5)
      await attempt(() =>
        shop.fatura.refunds.create({ payment_intent: intent, amount: 1 + Math.floor(Math.random() * 400) }),
      );
}

/** Once the acquirer answers again, and long enough has passed. */
async function recover(shop: CardShop): Promise<void> {
  const fake = scene.fake();
  fake.troubles.clear();
  for (const { id, status } of shop.own.charges.values())
    if (status === 'processing') fake.settleCharge(shop.own, id, Math.random() < 0.5);
  for (const { transactions } of shop.own.charges.values())
    for (const { id, status } of transactions) if (status === 'pending_refund') fake.settleRefund(shop.own, id, true);
  await run(scene.deps().pool, letQuietPass, [shop.accountId]);
  await shop.rest();
}

/** Each paid charge of the acquirer is of an invoice that is paid, and the other way around, with all that went back. */
async function compareBooks(shop: CardShop): Promise<void> {
  const atAcquirer = new Map<string, { paid: number; returned: number }>();
  for (const { order, paidMs, amount, canceledAmount } of shop.own.charges.values()) {
    if (paidMs === null) continue;
    const invoice = shop.own.orders.get(order)?.metadata.order ?? '';
    expect(atAcquirer.has(invoice), `${invoice} is charged once`).toBe(false);
    atAcquirer.set(invoice, { paid: amount, returned: canceledAmount });
  }
  const invoices = await shop.fatura.invoices.list().all({ max: 100_000 });
  expect(invoices.filter(({ status }) => status !== 'paid' && status !== 'open')).toEqual([]);
  const ours = invoices
    .filter(({ status }) => status === 'paid')
    .map(({ id, amount_paid: paid, amount_refunded: returned }) => [id, { paid, returned }] as const);
  expect(new Map(ours)).toEqual(atAcquirer);
}

test(
  `${UNKNOWN} answers of Pagar.me that tell nothing charge nobody twice, and lose no cent`,
  async () => {
    const shop = await scene.openShop();
    const unknown = countUnknown(shop);
    scene.fake().troubles.set(...mixed);
    const trade = async (): Promise<void> => {
      while (unknown() < UNKNOWN) await tradeOnce(shop);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, trade));
    await recover(shop);
    await compareBooks(shop);
    const sent = `SELECT count(*)::int AS rows FROM charge_attempt WHERE account_id = $1 AND status = 'sent'`;
    const { rows } = await scene.deps().pool.query(sent, [shop.accountId]);
    expect(rows).toEqual([{ rows: 0 }]);
  },
  TIMEOUT_MS,
);
