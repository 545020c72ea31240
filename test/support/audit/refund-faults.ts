import { newId, newSuffix } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const DAY = 86_400;
const orphans = sql`DELETE FROM delivery WHERE event_id NOT IN (SELECT id FROM event)`;
const remove = (type: string, object: string) => sql`DELETE FROM event WHERE type = ${type} AND object_id = ${object}`;

/** The newest event of this kind once more. */
const again = (type: string, object: string) => [
  sql`INSERT INTO event SELECT day, ${newId('evt')}, account_id, live_mode, type, created, object_id, related, body, body_digest
    FROM event WHERE type = ${type} AND object_id = ${object} ORDER BY id DESC LIMIT 1`,
  sql`UPDATE event SET body = jsonb_set(body::jsonb, '{id}', to_jsonb(id))::text WHERE body::json ->> 'id' <> id`,
  sql`UPDATE event SET body_digest = md5(body)::uuid WHERE body_digest <> md5(body)::uuid`,
];

const bookFaults: readonly Fault[] = [
  fault('a card charge that is refunding', ['intent-refunded', 'intent-status-times'], ({ returning }) => [
    sql`UPDATE payment_intent SET status = 'refunding', refunding_at = NULL WHERE id = ${returning.intent}`,
  ]),
  fault('a card charge that was refunding', ['intent-status-times', 'payment-intent-events'], ({ returned }) => [
    sql`UPDATE payment_intent SET refunding_at = paid_at WHERE id = ${returned.intent}`,
  ]),
  fault('a PIX that is refunded and never was refunding', ['intent-status-times', 'payment-intent-events'], (shop) => [
    sql`UPDATE payment_intent SET refunding_at = NULL WHERE id = ${shop.surplus}`,
  ]),
  fault('a refund before its payment', ['refund-shown', 'refund-window'], ({ returned }) => [
    sql`UPDATE refund_part SET created = created - 1 WHERE intent_id = ${returned.intent} AND amount = 1500`,
  ]),
  fault('a refund by card that was refused after it was made', ['event-count', 'refund-part-status-times'], (shop) => [
    sql`UPDATE refund_part SET completed_at = created WHERE intent_id = ${shop.returning.intent} AND status = 'failed'`,
  ]),
  fault('a return that ended before it was asked for', ['refund-part-status-times'], ({ surplus }) => [
    sql`UPDATE refund_part SET created = completed_at + 1 WHERE intent_id = ${surplus}`,
  ]),
  fault('a PIX that is paid with a refund in process', ['intent-refunded'], ({ pixReturning }) => [
    sql`UPDATE payment_intent SET status = 'paid' WHERE id = ${pixReturning}`,
  ]),
  fault('a refund that ended at another instant', ['intent-refunded', 'payment-intent-events'], ({ returned }) => [
    sql`UPDATE payment_intent SET refunded_at = refunded_at + 1 WHERE id = ${returned.intent}`,
  ]),
  fault(
    'more on its way back than was paid',
    ['estorno-at-bank', 'intent-refunded', 'refund-shown'],
    ({ returning }) => [
      sql`UPDATE refund_part SET amount = 5000 WHERE intent_id = ${returning.intent} AND status = 'refunding'`,
    ],
  ),
  fault('a surplus that a merchant asked back', ['event-count', 'refund-reason', 'refund-shown'], ({ surplus }) => [
    sql`UPDATE refund_part SET reason = 'other' WHERE intent_id = ${surplus}`,
  ]),
  fault('a return of a card that the database calls a surplus', ['event-count', 'refund-reason'], ({ returned }) => [
    sql`UPDATE refund_part SET reason = 'surplus' WHERE intent_id = ${returned.intent}`,
    sql`UPDATE refund_part SET requests = 1 WHERE intent_id = ${returned.intent}`,
  ]),
  fault(
    'a PIX refunded after its window',
    ['event-count', 'refund-shown', 'refund-window'],
    ({ pixReturning, now }) => [
      sql`UPDATE refund_part SET created = ${now + 90 * DAY + 1} WHERE intent_id = ${pixReturning} AND status = 'refunding'`,
    ],
  ),
  fault('a refund that was asked for twice', ['refund-requests'], ({ returned }) => [
    sql`UPDATE refund_part SET requests = 2 WHERE intent_id = ${returned.intent}`,
  ]),
  fault('a refund that never ends', ['event-count', 'refund-shown', 'refund-stuck'], ({ returning, now }) => [
    sql`UPDATE refund_part SET id = ${`rp_01jaaaaaaa${'0'.repeat(16)}`}, created = ${now - 3_600}
      WHERE intent_id = ${returning.intent} AND status = 'refunding'`,
  ]),
];

const acquirerFaults: readonly Fault[] = [
  fault('a refund by card under another reference', ['estorno-at-bank', 'estorno-booked'], ({ returning }) => [
    sql`UPDATE refund_part SET reference = ${newSuffix()} WHERE intent_id = ${returning.intent} AND status = 'refunded'`,
  ]),
  fault('a refund by card that the bank refused', ['estorno-at-bank'], ({ returning }) => [
    sql`UPDATE sandbox_bank.estorno SET refused = true WHERE charge = ${returning.attempt} AND amount = 1000`,
  ]),
  fault('a refused refund by card that the bank made', ['estorno-at-bank'], ({ returning }) => [
    sql`UPDATE sandbox_bank.estorno SET refused = false WHERE charge = ${returning.attempt} AND amount = 2000`,
  ]),
  fault('a refund by card of another charge', ['estorno-at-bank'], ({ returning, charged }) => [
    sql`UPDATE sandbox_bank.estorno SET charge = ${charged.attempt} WHERE charge = ${returning.attempt} AND amount = 1000`,
  ]),
  fault('a refund by card that only the bank knows of', ['estorno-booked'], ({ charged }) => [
    sql`INSERT INTO sandbox_bank.estorno VALUES (${newSuffix()}, ${charged.attempt}, 1, true, 0)`,
  ]),
  fault('more returned by card than was captured', ['estorno-at-bank', 'estorno-at-most'], ({ returned }) => [
    sql`UPDATE sandbox_bank.estorno SET amount = amount + 1 WHERE charge = ${returned.attempt} AND amount = 1500`,
  ]),
  fault('a refund of a card that was declined', ['estorno-at-most', 'estorno-booked'], ({ declined }) => [
    sql`INSERT INTO sandbox_bank.estorno VALUES (${newSuffix()}, ${declined.attempt}, 1, false, 0)`,
  ]),
  fault('no fault: a refund by card of unknown outcome that never came to the bank', [], ({ returning }) => [
    sql`DELETE FROM sandbox_bank.estorno WHERE charge = ${returning.attempt} AND amount = 500`,
  ]),
  fault('no fault: a refund by card of unknown outcome that the bank refused', [], ({ returning }) => [
    sql`UPDATE sandbox_bank.estorno SET refused = true WHERE charge = ${returning.attempt} AND amount = 500`,
  ]),
  fault('a refused return of a PIX that the bank made', ['refund-at-bank'], ({ pixReturning }) => [
    sql`UPDATE sandbox_bank.devolucao SET refused = false
      WHERE id = (SELECT reference FROM refund_part WHERE intent_id = ${pixReturning} AND status = 'failed')`,
  ]),
  fault('a refused return of a PIX that the bank never heard of', ['refund-at-bank'], ({ pixReturning }) => [
    sql`DELETE FROM sandbox_bank.devolucao
      WHERE id = (SELECT reference FROM refund_part WHERE intent_id = ${pixReturning} AND status = 'failed')`,
  ]),
  fault('a return of a PIX that ended before the bank made it', ['refund-at-bank'], ({ pixReturning, now }) => [
    sql`UPDATE sandbox_bank.devolucao SET completes_at = ${now + 1}
      WHERE id = (SELECT reference FROM refund_part WHERE intent_id = ${pixReturning} AND status = 'refunded')`,
  ]),
  fault(
    'a refused return of a PIX that is not in our books',
    ['event-count', 'refund-shown', 'return-booked'],
    (shop) => [sql`DELETE FROM refund_part WHERE intent_id = ${shop.pixReturning} AND status = 'failed'`],
  ),
];

/** An event of each kind that repeats, missing or told too often. */
const tellingFaults: readonly Fault[] = [
  fault('a charge that was sent and not told of', ['event-count', 'payment-intent-events'], ({ charged }) => [
    remove('payment_intent.processing', charged.intent),
    orphans,
  ]),
  fault('a decline that was not told of', ['event-count', 'payment-intent-events'], ({ declined }) => [
    remove('payment_intent.failed', declined.intent),
    orphans,
  ]),
  fault('a decline that the invoice does not tell of', ['event-count'], ({ neverCharged }) => [
    remove('invoice.payment_failed', neverCharged.invoice),
    orphans,
  ]),
  fault('a refund that was asked for and not told of', ['event-count', 'refund-shown'], ({ returning }) => [
    remove('refund.created', returning.intent),
  ]),
  fault('a refund that was made and not told of', ['event-count', 'refund-shown'], ({ returned }) => [
    remove('refund.updated', returned.intent),
  ]),
  fault('a refund that the invoice does not tell of', ['event-count'], ({ pixReturning }) => [
    sql`DELETE FROM event WHERE type = 'invoice.refunded' AND related @> ARRAY[${pixReturning}::text]`,
    orphans,
  ]),
  fault('a refusal that was not told of', ['event-count'], ({ returning }) => [
    remove('payment_intent.refund_failed', returning.intent),
    orphans,
  ]),
  fault('a refund that was told of twice', ['event-count'], ({ returning }) =>
    again('refund.created', returning.intent),
  ),
  fault('a refusal that was told of twice', ['delivery-missing', 'event-count'], ({ returning }) =>
    again('payment_intent.refund_failed', returning.intent),
  ),
  fault('a return that was told of twice', ['delivery-missing', 'event-count'], ({ surplus }) =>
    again('payment_intent.refunding', surplus),
  ),
  fault('a refund that was told as another', ['refund-shown'], ({ returning }) => [
    sql`UPDATE refund_part SET reason = 'duplicate' WHERE intent_id = ${returning.intent} AND status = 'refunded'`,
  ]),
  fault(
    'a refund event of what was never paid',
    ['event-columns', 'event-count', 'event-object', 'refund-shown'],
    ({ pixReturning }) => [
      sql`UPDATE event SET object_id = ${newId('pi')} WHERE type = 'refund.created' AND object_id = ${pixReturning}`,
    ],
  ),
];

export const refundFaults: readonly Fault[] = [...bookFaults, ...acquirerFaults, ...tellingFaults];
