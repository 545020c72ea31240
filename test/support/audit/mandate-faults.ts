import { newSuffix } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql, withoutMonthly } from './fault.ts';

const NOTHING = '0'.repeat(26);

/** Mandates, and what is debited by them. */
export const mandateFaults: readonly Fault[] = [
  fault('a subscription that is debited without a mandate', ['mandate-of-subscription'], ({ debited }) => [
    sql`ALTER TABLE subscription DROP CONSTRAINT subscription_mandate`,
    sql`UPDATE subscription SET mandate_id = NULL WHERE id = ${debited.id}`,
  ]),
  fault('a mandate that its bank has ended', ['mandate-at-bank'], ({ debited }) => [
    sql`UPDATE sandbox_bank.rec SET status = 'CANCELADA', ended_by = 'payer'
      WHERE place = (SELECT place FROM mandate WHERE id = ${debited.mandate})`,
    sql`DELETE FROM outbox WHERE key = ${debited.mandate}`,
  ]),
  fault('a debit of another day than the bank’s', ['debit-at-bank'], ({ debited }) => [
    sql`UPDATE pix_charge SET due_on = '2099-01-01' WHERE intent_id = ${debited.debit}`,
  ]),
  fault('a bill that is debited twice', ['debit-once', 'qr-code-once'], ({ debited }) => {
    const twin = newSuffix();
    return [
      withoutMonthly('one_of_intent'),
      sql`INSERT INTO sandbox_bank.cob SELECT (jsonb_populate_record(c, jsonb_build_object('txid', ${twin}::text))).*
      FROM sandbox_bank.cob c JOIN pix_charge q ON q.id = c.txid WHERE q.intent_id = ${debited.debit}`,
      sql`INSERT INTO sandbox_bank.cobr SELECT (jsonb_populate_record(d, jsonb_build_object('txid', ${twin}::text))).*
      FROM sandbox_bank.cobr d JOIN pix_charge q ON q.id = d.txid WHERE q.intent_id = ${debited.debit}`,
      sql`INSERT INTO pix_charge SELECT (jsonb_populate_record(q, jsonb_build_object('id', ${twin}::text))).* FROM pix_charge q WHERE q.intent_id = ${debited.debit}`,
    ];
  }),
  fault('a try that is not on record', ['debit-tries', 'event-count'], ({ debited }) => [
    sql`DELETE FROM debit_try WHERE intent_id = ${debited.debit}`,
  ]),
  fault('a mandate of no customer', ['mandate-customer-id', 'mandate-of-subscription'], ({ debited }) => [
    sql`UPDATE mandate SET customer_id = ${NOTHING} WHERE id = ${debited.mandate}`,
  ]),
  fault('a mandate of no subscription', ['mandate-subscription-id'], () => [
    sql`UPDATE mandate SET subscription_id = ${NOTHING} WHERE status = 'ended'`,
  ]),
  fault('a mandate of no QR code', ['mandate-first-txid'], ({ debited }) => [
    sql`UPDATE mandate SET first_txid = ${NOTHING} WHERE id = ${debited.mandate}`,
  ]),
  fault('a subscription of another mandate', ['mandate-of-subscription', 'subscription-mandate-id'], ({ debited }) => [
    sql`UPDATE subscription SET mandate_id = ${NOTHING} WHERE id = ${debited.id}`,
  ]),
  fault('a debit of no mandate', ['payment-intent-mandate-id'], ({ debited }) => [
    sql`UPDATE payment_intent SET mandate_id = ${NOTHING} WHERE id = ${debited.debit}`,
  ]),
  fault('a try of no intent', ['debit-tries', 'debit-try-intent-id', 'event-count'], ({ debited }) => [
    sql`UPDATE debit_try SET intent_id = ${NOTHING} WHERE intent_id = ${debited.debit}`,
  ]),
  fault('a try of no invoice', ['debit-try-invoice-id'], ({ debited }) => [
    sql`UPDATE debit_try SET invoice_id = ${NOTHING} WHERE intent_id = ${debited.debit}`,
  ]),
  fault('an event of a mandate that is missing', ['mandate-events'], ({ debited }) => [
    sql`DELETE FROM event WHERE type = 'mandate.activated' AND object_id = ${debited.mandate}`,
  ]),
];
