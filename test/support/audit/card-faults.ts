import { newId } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const NOTHING = '0'.repeat(26);
/** Of no account. */
const NOBODY = newId('acct');

const acquirerFaults: readonly Fault[] = [
  fault(
    'a capture that we hold declined',
    ['charge-at-bank', 'event-count', 'intent-attempts', 'intent-last-attempt'],
    ({ charged }) => [
      sql`UPDATE charge_attempt SET status = 'declined', decline_reason = 'issuer_declined', is_reversible = true WHERE id = ${charged.attempt}`,
    ],
  ),
  fault('a capture of a charge that we hold never charged', ['charge-at-bank'], ({ neverCharged, unknown }) => [
    sql`INSERT INTO sandbox_bank.charge
        (reference, account_id, order_id, initiator, token, amount, installments, received_at, deadline_at, completes_at, outcome)
      SELECT ${neverCharged.attempt}, account_id, ${neverCharged.invoice}, initiator, (SELECT min(token) FROM sandbox_bank.card WHERE last4 = '4242'),
        amount, installments, received_at, deadline_at, completes_at, 'approved'
      FROM sandbox_bank.charge WHERE reference = ${unknown.attempt}`,
  ]),
  fault('a capture that no attempt of ours asked for', ['charge-at-bank'], ({ unknown }) => [
    sql`UPDATE sandbox_bank.charge SET reference = ${newId('ca')} WHERE reference = ${unknown.attempt}`,
  ]),
  fault('an approval that the bank knows nothing of', ['charge-at-bank'], ({ charged }) => [
    sql`DELETE FROM sandbox_bank.charge WHERE reference = ${charged.attempt}`,
  ]),
  fault('an approval of what the bank declined', ['charge-at-bank'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET outcome = 'declined', decline_reason = 'issuer_declined', code = '05' WHERE reference = ${charged.attempt}`,
  ]),
  fault('an approval of what is still at the acquirer', ['charge-at-bank'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET completes_at = now() + interval '1 hour' WHERE reference = ${charged.attempt}`,
  ]),
  fault('a decline that the bank knows nothing of', ['charge-at-bank'], ({ declined }) => [
    sql`DELETE FROM sandbox_bank.charge WHERE reference = ${declined.attempt}`,
  ]),
  fault('a decline by another code', ['charge-at-bank'], ({ declined }) => [
    sql`UPDATE charge_attempt SET acquirer_code = '51' WHERE id = ${declined.attempt}`,
  ]),
  fault('a decline for another reason', ['charge-at-bank', 'intent-last-attempt'], ({ declined }) => [
    sql`UPDATE charge_attempt SET decline_reason = 'insufficient_funds' WHERE id = ${declined.attempt}`,
  ]),
  fault('a capture that is off by a cent', ['charge-at-bank'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET amount = amount + 1 WHERE reference = ${charged.attempt}`,
  ]),
  fault('a capture for another invoice', ['charge-at-bank'], ({ charged, declined }) => [
    sql`UPDATE sandbox_bank.charge SET order_id = ${declined.invoice} WHERE reference = ${charged.attempt}`,
  ]),
  fault('a capture of which the bank was told that the buyer was not there', ['charge-at-bank'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET initiator = 'merchant' WHERE reference = ${charged.attempt}`,
  ]),
  fault('a sale that its buyer was not there for', ['merchant-initiated'], ({ charged }) => [
    sql`UPDATE charge_attempt SET initiator = 'merchant' WHERE id = ${charged.attempt}`,
    sql`UPDATE sandbox_bank.charge SET initiator = 'merchant' WHERE reference = ${charged.attempt}`,
  ]),
  fault('a capture in more installments', ['charge-at-bank'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET installments = 4 WHERE reference = ${charged.attempt}`,
  ]),
  fault('a capture for another merchant', ['charge-at-bank', 'charge-card'], ({ charged, stranger }) => [
    sql`UPDATE sandbox_bank.charge SET account_id = ${stranger.accountId} WHERE reference = ${charged.attempt}`,
  ]),
  fault('a capture for nobody', ['account', 'charge-at-bank', 'charge-card'], ({ charged }) => [
    sql`UPDATE sandbox_bank.charge SET account_id = ${NOBODY} WHERE reference = ${charged.attempt}`,
  ]),
  fault('an invoice captured twice', ['captured-twice', 'charge-at-bank'], ({ replaced }) => [
    sql`UPDATE sandbox_bank.charge SET outcome = 'approved', decline_reason = NULL, code = NULL WHERE reference = ${replaced.attempt}`,
  ]),
  fault('no fault: a charge of unknown outcome that never came to the bank', [], ({ unknown }) => [
    sql`DELETE FROM sandbox_bank.charge WHERE reference = ${unknown.attempt}`,
  ]),
  fault('no fault: a charge of unknown outcome that the bank declined', [], ({ unknown }) => [
    sql`UPDATE sandbox_bank.charge SET outcome = 'declined', decline_reason = 'issuer_declined', code = '05' WHERE reference = ${unknown.attempt}`,
  ]),
  fault('a charge of unknown outcome that nobody asks about', ['charge-stuck'], ({ unknown }) => [
    sql`UPDATE charge_attempt SET deadline_at = now() - interval '1 hour' WHERE id = ${unknown.attempt}`,
    sql`DELETE FROM outbox WHERE kind = 'charge-reconciliation' AND key = ${unknown.intent}`,
  ]),
  fault('no fault: a charge of unknown outcome that is to be asked about', [], ({ unknown }) => [
    sql`UPDATE charge_attempt SET deadline_at = now() - interval '1 hour' WHERE id = ${unknown.attempt}`,
  ]),
];

const cardFaults: readonly Fault[] = [
  fault('an attempt that shows another card', ['charge-card'], ({ charged }) => [
    sql`UPDATE charge_attempt SET last4 = '0000' WHERE id = ${charged.attempt}`,
  ]),
  fault('a charge of a card that the bank does not have', ['charge-card', 'stored-card'], ({ stored }) => [
    sql`DELETE FROM sandbox_bank.card k USING payment_method m
      WHERE m.id = ${stored} AND (k.account_id, k.brand, k.last4) = (m.account_id, m.brand, m.last4)`,
  ]),
  fault('a stored card that shows another', ['stored-card'], ({ stored }) => [
    sql`UPDATE payment_method SET brand = 'amex' WHERE id = ${stored}`,
  ]),
  fault('a card that outlives the data of its customer', ['card-erased'], ({ erased }) => [
    sql`UPDATE payment_method m SET brand = k.brand, last4 = k.last4 FROM sandbox_bank.charge b JOIN sandbox_bank.card k USING (token)
      WHERE b.reference = ${erased.attempt} AND m.id = (SELECT payment_method_id FROM charge_attempt WHERE id = ${erased.attempt})`,
  ]),
  fault('an attempt that outlives the data of its customer', ['card-erased'], ({ erased }) => [
    sql`UPDATE charge_attempt c SET brand = k.brand, last4 = k.last4 FROM sandbox_bank.charge b JOIN sandbox_bank.card k USING (token)
      WHERE b.reference = c.id AND c.id = ${erased.attempt}`,
  ]),
  fault('a card that nobody erased', ['card-erased'], ({ charged }) => [
    sql`UPDATE charge_attempt SET brand = NULL, last4 = NULL WHERE id = ${charged.attempt}`,
  ]),
  fault(
    'a customer charged with another customer’s card',
    ['attempt-of-customer', 'stored-card-use', 'subscription-method'],
    ({ stored, declined }) => [
      sql`UPDATE payment_method SET customer_id = (SELECT customer_id FROM payment_intent WHERE id = ${declined.intent})
      WHERE id = ${stored}`,
    ],
  ),
  fault(
    'a stored card of no customer',
    ['attempt-of-customer', 'payment-method-customer-id', 'stored-card-use', 'subscription-method'],
    ({ stored }) => [sql`UPDATE payment_method SET customer_id = ${NOTHING} WHERE id = ${stored}`],
  ),
];

const attemptFaults: readonly Fault[] = [
  fault('a paid charge whose attempt is at the acquirer', ['intent-attempts'], ({ charged }) => [
    sql`UPDATE charge_attempt SET status = 'sent', completed_at = NULL WHERE id = ${charged.attempt}`,
  ]),
  fault('an attempt that is not counted', ['intent-attempts'], ({ charged }) => [
    sql`UPDATE payment_intent SET attempts = 0 WHERE id = ${charged.intent}`,
  ]),
  fault('more attempts than are allowed', ['intent-attempts'], ({ charged }) => [
    sql`ALTER TABLE payment_intent DROP CONSTRAINT payment_intent_max_attempts_check`,
    sql`UPDATE payment_intent SET max_attempts = 0 WHERE id = ${charged.intent}`,
  ]),
  fault('a PIX that counts an attempt before its payment', ['intent-attempts'], ({ waiting }) => [
    sql`UPDATE payment_intent SET attempts = 1 WHERE id = ${waiting.intent}`,
  ]),
  fault('an attempt of no intent', ['charge-attempt-intent-id', 'event-count', 'intent-attempts'], ({ charged }) => [
    sql`UPDATE charge_attempt SET intent_id = ${NOTHING} WHERE id = ${charged.attempt}`,
  ]),
  fault(
    'an attempt of no invoice',
    ['attempt-of-intent', 'charge-at-bank', 'charge-attempt-invoice-id'],
    ({ charged }) => [sql`UPDATE charge_attempt SET invoice_id = ${NOTHING} WHERE id = ${charged.attempt}`],
  ),
  fault('an attempt of another amount than its charge', ['attempt-of-intent', 'charge-at-bank'], ({ charged }) => [
    sql`UPDATE charge_attempt SET amount = amount + 1 WHERE id = ${charged.attempt}`,
  ]),
  fault('an attempt in other installments than its charge', ['attempt-of-intent', 'charge-at-bank'], ({ charged }) => [
    sql`UPDATE charge_attempt SET installments = 1 WHERE id = ${charged.attempt}`,
  ]),
  fault('an attempt at another instant than its charge', ['intent-last-attempt'], ({ charged }) => [
    sql`UPDATE charge_attempt SET completed_at = completed_at + 1 WHERE id = ${charged.attempt}`,
  ]),
  fault('a decline at another instant than its events', ['event-count', 'intent-last-attempt'], ({ declined }) => [
    sql`UPDATE charge_attempt SET completed_at = completed_at + 1 WHERE id = ${declined.attempt}`,
  ]),
  fault('a charge that forgot why it was declined', ['intent-last-attempt', 'intent-status-times'], ({ declined }) => [
    sql`UPDATE payment_intent SET decline_reason = NULL WHERE id = ${declined.intent}`,
  ]),
];

export const chargeFaults: readonly Fault[] = [...acquirerFaults, ...cardFaults, ...attemptFaults];
