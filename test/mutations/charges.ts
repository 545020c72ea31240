import { newId } from '../../server/kernel/ids.ts';
import { cardDeclined } from '../../server/payments/acquirer/ask.ts';
import type { ChargeFinding } from '../../server/payments/acquirer/port.ts';
import { NEVER_CHARGED, readRecord } from '../../server/payments/card/attempts.ts';
import { settleIntent } from '../../server/payments/intents/book.ts';
import { askingOtherwise, forgetful, leavingOut, unlocked } from './bugs.ts';
import { api, attempts, bank, book, checkouts, life, money, sandboxCards } from './functions.ts';
import type { Mutation } from './mutation.ts';

/** What no acquirer answers: it would prove at once what only time proves. */
const NEVER_FOUND = NEVER_CHARGED as unknown as ChargeFinding;

/** Bugs of charges by card. */
export const charges: readonly Mutation[] = [
  {
    name: 'the lock of an invoice is dropped',
    ...life('lockInvoice', (lockInvoice) => (tx, id) => lockInvoice(unlocked(tx), id)),
    caughtBy: api('payments/refunds/card', 'never comes to more than was paid'),
  },
  {
    name: 'the acquirer gets a new reference with each call',
    ...bank(
      'createAsk',
      askingOtherwise(({ chargeCard }) => ({
        chargeCard: (merchant, request) => chargeCard(merchant, { ...request, reference: newId('ca') }),
      })),
    ),
    caughtBy: api('payments/card/charge-crashes', 'leaves a charge that is found approved'),
  },
  {
    name: 'an unknown outcome is taken for a decline',
    ...bank(
      'createAsk',
      askingOtherwise(({ chargeCard }) => ({
        chargeCard: async (...asked) => {
          const answer = await chargeCard(...asked);
          if (answer.known) return answer;
          const value = { status: 'declined', reason: 'processing_error', code: '96', isReversible: true } as const;
          return { known: true, value };
        },
      })),
    ),
    caughtBy: api('payments/card/charge-unknown', 'of the card whose answer is lost is unknown at once'),
  },
  {
    name: '"not found" counts as never charged before the deadline',
    ...bank(
      'createAsk',
      askingOtherwise(({ findCharge }) => ({
        findCharge: async (...asked) => {
          const answer = await findCharge(...asked);
          const isMissing = answer.known && answer.value.status === 'not_found';
          return isMissing ? { known: true, value: NEVER_FOUND } : answer;
        },
      })),
    ),
    caughtBy: api('payments/card/charge-unknown', 'is waited for until its deadline and 5 s more'),
  },
  {
    name: 'a decline is thrown inside the transaction that books it',
    ...attempts('applyOutcome', (applyOutcome) => async (tx, ref, outcome) => {
      const record = await applyOutcome(tx, ref, outcome);
      if (outcome.status === 'declined') throw cardDeclined(outcome.reason);
      return record;
    }),
    caughtBy: api('payments/card/declines', 'is refused with the reason, and the invoice stays open'),
  },
  {
    name: 'a repeat under the same key charges anew',
    ...checkouts(
      'checkoutByCard',
      (checkoutByCard) => (deps, scope, checkout) => checkoutByCard(deps, forgetful(scope), checkout),
    ),
    caughtBy: api('payments/card/charge-idempotency', 'that was declined is declined alike, and charges once'),
  },
  {
    name: 'the key does not remember the attempt',
    ...attempts(
      'openAttempt',
      (openAttempt) => (tx, intent, charge) => openAttempt(leavingOut(tx, 'lease'), intent, charge),
    ),
    caughtBy: api('payments/card/charge-idempotency', 'of unknown outcome answers 504 until it is known'),
  },
  {
    name: 'a paid invoice is charged again',
    ...book('refuseUnlessPayable', (refuseUnlessPayable) => (invoice, now) => {
      if (invoice.status !== 'paid') refuseUnlessPayable(invoice, now);
    }),
    caughtBy: api('payments/card/refusals', 'is paid is refused before the acquirer sees the card'),
  },
  {
    name: 'a card is charged beside another that is at the acquirer',
    ...book(
      'refuseUnlessChargeable',
      (refuseUnlessChargeable) => (chargeable, now) => refuseUnlessChargeable({ ...chargeable, intent: null }, now),
    ),
    caughtBy: api('payments/card/charge-unknown', 'while nobody knows what became of a charge'),
  },
  {
    name: 'each installment is charged as the whole',
    ...bank(
      'createAsk',
      askingOtherwise(({ chargeCard }) => ({
        chargeCard: (merchant, request) =>
          chargeCard(merchant, { ...request, amount: request.amount * request.installments }),
      })),
    ),
    caughtBy: api('payments/card/checkout', 'is charged in as many installments as were asked for'),
  },
  {
    name: 'nobody is asked to look at an attempt that nobody answered',
    ...attempts(
      'openAttempt',
      (openAttempt) => (tx, intent, charge) => openAttempt(leavingOut(tx, 'enqueue'), intent, charge),
    ),
    caughtBy: api('payments/card/charge-crashes', 'a crash between the attempt and its call'),
  },
  {
    name: 'an outcome is booked again by who learns it second',
    ...attempts('applyOutcome', (applyOutcome) => async (tx, ref, outcome) => {
      const { attempt } = await readRecord(tx, ref);
      const record = await applyOutcome(tx, ref, outcome);
      if (attempt.status !== 'sent') settleIntent(tx, record.intent);
      return record;
    }),
    caughtBy: api('payments/card/charge-crashes', 'books it, and the checkout answers the same'),
  },
  {
    name: 'a payment is not told',
    ...life(
      'payInvoice',
      (payInvoice) => (tx, invoice, payment) => payInvoice(leavingOut(tx, 'record'), invoice, payment),
    ),
    caughtBy: api('payments/card/checkout', 'tells each step with the object as it stood then'),
  },
  {
    name: 'the sandbox charges after the deadline',
    ...sandboxCards(
      'charge',
      (charge) => (pool, merchant, request) =>
        charge(pool, merchant, { ...request, deadlineMs: Number.MAX_SAFE_INTEGER }),
    ),
    caughtBy: money('charges nothing that comes after its deadline'),
  },
];
