import type { Customer } from '../customers/entity.ts';
import { hangsOn } from '../db/months.ts';
import { mine, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Tx } from '../unit-of-work/tx.ts';

const findMoving = statement<{ id: string; isCharged: boolean }>(
  'find_money_on_its_way',
  `SELECT p.id, EXISTS(SELECT FROM charge_attempt c WHERE ${hangsOn('ca_', 'c.intent_id', 'p.id')} AND c.status = 'sent') AS "isCharged"
   FROM payment_intent p WHERE ${mine('p')} AND p.customer_id = :customerId
     AND (EXISTS(SELECT FROM charge_attempt c WHERE ${hangsOn('ca_', 'c.intent_id', 'p.id')} AND c.status = 'sent')
       OR EXISTS(SELECT FROM refund_part r WHERE r.intent_id = p.id AND r.status = 'refunding')) LIMIT 1`,
);

/** A customer whose money is on its way, either way, keeps its data (docs/product/customers.md#anonymization). */
export async function refuseWhileMoneyMoves(tx: Tx, customer: Customer): Promise<void> {
  const [moving] = await tx.query(findMoving, { customerId: customer.id });
  if (moving === undefined) return;
  const what = moving.isCharged ? 'charge' : 'refund';
  throw new BillingError('INVALID_STATE', {
    message: `${customer.id} has the ${what} of ${moving.id} in process: repeat when it has ended`,
  });
}

const eraseMethods = statement<{ id: string; hasToken: boolean }>(
  'erase_payment_methods',
  `UPDATE payment_method m SET brand = NULL, last4 = NULL, exp_month = NULL, exp_year = NULL, consent_ip = NULL, is_default = false,
     deleted_at = coalesce(m.deleted_at, :now), asked_at = CASE WHEN m.sealed_token IS NOT NULL THEN now() END
   WHERE ${mine('m')} AND m.customer_id = :customerId RETURNING m.id, m.sealed_token IS NOT NULL AS "hasToken"`,
);

const eraseAttempts = statement(
  'erase_cards_of_attempts',
  // The ids in an array: no month is chosen by a row (docs/design/sql.md#partitions).
  `UPDATE charge_attempt c SET brand = NULL, last4 = NULL
   WHERE ${mine('c')} AND c.intent_id = ANY (ARRAY(SELECT p.id FROM payment_intent p WHERE ${mine('p')} AND p.customer_id = :customerId))`,
);

/** The cards of an anonymized customer go with it, at the acquirer too; the money records stay (docs/product/customers.md#anonymization). */
export async function eraseCards(tx: Tx, customer: Customer): Promise<void> {
  const values = { customerId: customer.id };
  const [cards] = await Promise.all([
    tx.query(eraseMethods, { ...values, now: tx.now }),
    tx.query(eraseAttempts, values),
  ]);
  for (const { id, hasToken } of cards) if (hasToken) tx.enqueue({ kind: 'stored-card', key: id });
}
