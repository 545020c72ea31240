import { PIX_REFUND_WINDOW } from '../../server/payments/rules.ts';
import { type Check, isAskedFor } from './check.ts';

/** A payment intent's returns by our own books (docs/product/refunds.md#the-refund). */
const inOurBooks: readonly Check[] = [
  {
    name: 'intent-refunded',
    sql: `SELECT p.id, p.status, p.payment_method_type, p.amount, p.amount_refunded, p.refunded_at, parts.completed, parts.asked, parts.waiting, parts.last
      FROM payment_intent p LEFT JOIN (
        SELECT intent_id, sum(amount) FILTER (WHERE status = 'refunded') AS completed, max(completed_at) FILTER (WHERE status = 'refunded') AS last,
          sum(amount) FILTER (WHERE status <> 'failed') AS asked, count(*) FILTER (WHERE status = 'refunding') AS waiting
        FROM refund_part GROUP BY intent_id) AS parts ON parts.intent_id = p.id
      WHERE p.amount_refunded <> coalesce(parts.completed, 0)
        OR coalesce(parts.asked, 0) > CASE WHEN p.status IN ('paid', 'refunding', 'refunded') THEN p.amount ELSE 0 END
        OR (p.status = 'refunded') <> (p.amount_refunded = p.amount)
        OR (p.status = 'refunded' AND p.refunded_at IS DISTINCT FROM parts.last)
        OR (p.status = 'refunding') <> (coalesce(parts.waiting, 0) > 0 AND p.payment_method_type IS NOT DISTINCT FROM 'pix')`,
    describe:
      '{id} ({payment_method_type}) is {status} with {amount_refunded} of {amount} refunded, all at {refunded_at}; of its parts {completed} are completed, the last at {last}, {asked} asked for in all, and {waiting} parts are in process',
  },
  {
    name: 'surplus-return',
    // What the bank took by itself is asked back until the bank refuses it.
    sql: `SELECT p.id, p.status, p.amount, p.amount_disputed, coalesce(sum(r.amount), 0) AS asked
      FROM payment_intent p LEFT JOIN refund_part r ON r.intent_id = p.id AND r.status <> 'failed'
      WHERE p.surplus GROUP BY p.id
      HAVING (p.status NOT IN ('refunding', 'refunded') AND p.amount_disputed = 0)
        OR coalesce(sum(r.amount), 0) NOT BETWEEN p.amount - p.amount_disputed AND p.amount OR p.payment_method_type IS DISTINCT FROM 'pix'`,
    describe:
      '{id} is a surplus of {amount}, {status}, {amount_disputed} of it disputed, and {asked} are asked back from the bank',
  },
  {
    name: 'refund-reason',
    sql: `SELECT r.id, r.intent_id, r.reason, p.surplus FROM refund_part r JOIN payment_intent p ON p.id = r.intent_id
      WHERE (r.reason = 'surplus') <> p.surplus`,
    describe: '{id} returns {intent_id} (surplus: {surplus}) as {reason}',
  },
  {
    name: 'refund-window',
    sql: `SELECT r.id, r.intent_id, r.created, p.paid_at FROM refund_part r JOIN payment_intent p ON p.id = r.intent_id
      WHERE r.created < p.paid_at
        OR (p.payment_method_type = 'pix' AND NOT p.surplus AND r.created > p.paid_at + ${PIX_REFUND_WINDOW})`,
    describe: '{id} of {intent_id} was asked for at {created}, what it returns was paid at {paid_at}',
  },
  {
    name: 'refund-part-status-times',
    // A PIX that the bank refuses after all keeps the instant of its former end.
    sql: `SELECT r.id, r.intent_id, r.status FROM refund_part r JOIN payment_intent p ON p.id = r.intent_id
      WHERE CASE r.status WHEN 'refunded' THEN r.completed_at IS NULL
          WHEN 'failed' THEN r.completed_at IS NOT NULL AND p.payment_method_type <> 'pix' ELSE r.completed_at IS NOT NULL END
        OR r.completed_at < r.created OR (r.retry_at IS NOT NULL AND r.status <> 'refunding')`,
    describe: '{id} of {intent_id} is {status}, its instants tell of another way',
  },
];

/** Returns of PIX, by our books and by the sandbox acquirer's. */
const ofPix: readonly Check[] = [
  {
    name: 'refund-at-bank',
    sql: `SELECT part.id, part.intent_id, part.reference, part.status, part.amount, d.amount AS bank_amount, d.refused, d.completes_at
      FROM refund_part part JOIN payment_intent p ON p.id = part.intent_id JOIN moment m ON m.account_id = part.account_id AND m.live_mode = part.live_mode
      LEFT JOIN pix_receipt r ON r.intent_id = p.id
      LEFT JOIN sandbox_bank.devolucao d ON d.id = part.reference
      WHERE NOT part.live_mode AND p.payment_method_type = 'pix' AND CASE
        WHEN d.id IS NULL THEN part.status <> 'refunding'
        ELSE d.amount <> part.amount OR d.end_to_end_id IS DISTINCT FROM r.id
          OR (part.status = 'refunded' AND (d.refused OR d.completes_at > m.now)) OR (part.status = 'failed' AND NOT d.refused)
        END`,
    describe:
      '{id} of {intent_id} ({reference}) is {status} with an amount of {amount}; the bank has {bank_amount}, refused {refused}, due {completes_at}',
  },
  {
    name: 'return-booked',
    sql: `SELECT d.id, d.end_to_end_id, d.amount, d.refused FROM sandbox_bank.devolucao d LEFT JOIN refund_part part ON part.reference = d.id
      LEFT JOIN pix_receipt r ON r.id = d.end_to_end_id LEFT JOIN payment_intent p ON p.id = r.intent_id
      WHERE part.id IS NULL AND NOT (d.refused AND p.surplus IS TRUE) AND d.natureza = 'ORIGINAL'
        AND NOT EXISTS (SELECT FROM dispute x WHERE x.return_id = d.id AND x.end_to_end_id = d.end_to_end_id)
        AND NOT ${isAskedFor('pix-settlement', 'r.txid')}`,
    describe:
      'the bank was asked for {amount} of {end_to_end_id} under {id} (refused: {refused}); none of our refunds has that reference',
  },
  {
    name: 'refund-requests',
    // A part of a surplus has another reference at each request, so all of its payment are counted together.
    sql: `SELECT parts.intent_id AS id, parts.requests, count(d.id) AS refused
      FROM (SELECT intent_id, bool_or(reason = 'surplus') AS surplus, count(*) AS parts, sum(requests) AS requests,
          count(*) FILTER (WHERE status = 'refunding') AS waiting, count(*) FILTER (WHERE status = 'refunded') AS returned
        FROM refund_part WHERE NOT live_mode GROUP BY intent_id) AS parts
      LEFT JOIN pix_receipt r ON r.intent_id = parts.intent_id
      LEFT JOIN sandbox_bank.devolucao d ON d.end_to_end_id = r.id AND d.refused AND NOT EXISTS (
        SELECT FROM dispute x WHERE x.return_id = d.id AND x.end_to_end_id = d.end_to_end_id)
      GROUP BY parts.intent_id, parts.surplus, parts.parts, parts.requests, parts.waiting, parts.returned
      HAVING CASE WHEN parts.surplus
        THEN count(d.id) NOT BETWEEN parts.requests - parts.returned - parts.waiting AND parts.requests - parts.returned
        ELSE parts.requests <> parts.parts END`,
    describe: 'the money of {id} was asked back {requests} times, and the bank refused it {refused} times',
  },
  {
    name: 'returned-at-most',
    sql: `SELECT b.end_to_end_id AS id, b.amount, sum(d.amount) AS returned
      FROM sandbox_bank.pix b JOIN sandbox_bank.devolucao d USING (end_to_end_id) WHERE NOT d.refused
      GROUP BY b.end_to_end_id HAVING sum(d.amount) > b.amount`,
    describe: 'the bank returned {returned} of {id}, which brought {amount}',
  },
];

/** Returns by card, by our books and by the sandbox acquirer's; there they end as they are asked for. */
const ofCards: readonly Check[] = [
  {
    name: 'estorno-at-bank',
    sql: `SELECT part.id, part.intent_id, part.reference, part.status, part.amount, c.id AS attempt, e.amount AS bank_amount, e.refused, e.charge
      FROM refund_part part JOIN payment_intent p ON p.id = part.intent_id
      LEFT JOIN charge_attempt c ON c.intent_id = p.id AND c.status = 'approved'
      LEFT JOIN sandbox_bank.estorno e ON e.reference = part.reference
      WHERE NOT part.live_mode AND p.payment_method_type = 'card' AND CASE
        WHEN e.reference IS NULL THEN part.status <> 'refunding'
        ELSE e.amount <> part.amount OR e.charge IS DISTINCT FROM c.id
          OR (part.status = 'refunded' AND e.refused) OR (part.status = 'failed' AND NOT e.refused)
        END`,
    describe:
      '{id} of {intent_id} ({reference}) is {status} with an amount of {amount} of {attempt}; the bank has {bank_amount} of {charge}, refused {refused}',
  },
  {
    name: 'estorno-booked',
    sql: `SELECT e.reference AS id, e.charge, e.amount, e.refused FROM sandbox_bank.estorno e LEFT JOIN refund_part part USING (reference)
      WHERE part.id IS NULL`,
    describe:
      'the bank was asked for {amount} of {charge} under {id} (refused: {refused}); none of our refunds has that reference',
  },
  {
    name: 'estorno-at-most',
    sql: `SELECT b.reference AS id, b.outcome, b.amount, sum(e.amount) AS returned
      FROM sandbox_bank.charge b JOIN sandbox_bank.estorno e ON e.charge = b.reference WHERE NOT e.refused
      GROUP BY b.reference HAVING sum(e.amount) > CASE b.outcome WHEN 'approved' THEN b.amount ELSE 0 END`,
    describe: 'the bank returned {returned} of {id}, which is {outcome} and brought {amount}',
  },
];

/** What goes back of a payment is asked for once, is in both books alike, and is never more than came in. */
export const refundChecks: readonly Check[] = [...inOurBooks, ...ofPix, ...ofCards];
