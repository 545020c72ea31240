import { z } from 'zod';
import { conditional, whenField, without } from './conditions.ts';
import { medReasons } from './disputes.ts';
import { failures } from './errors.ts';
import { field, meta, named, objectName, pathId, timestamp, timestampOrNull } from './kernel.ts';
import { Mandate } from './mandates.ts';
import { PaymentIntent } from './payments.ts';
import { c, emptyBody, routerOptions, writeErrors } from './router.ts';
import { StoredPaymentMethod } from './stored-methods.ts';

const pixScenarios = ['paid', 'paid_twice', 'paid_late', 'confirmed_not_settled'] as const;
export type PixScenario = (typeof pixScenarios)[number];
const PixScenario = named('PixScenario', pixScenarios, 'What the buyer of the sandbox does with a QR code.');

const PayPixBody = z
  .strictObject({
    scenario: field(
      PixScenario,
      '`paid`: the buyer pays; `paid_twice`: pays the QR code again; `paid_late`: pays after its end, whatever the state; `confirmed_not_settled`: paid now, settled 60 s later.',
      'paid',
    ),
  })
  .meta({ id: 'PayPixBody', description: 'What the buyer does.' });

const disputeScenarios = [...medReasons, 'reversed'] as const;
export type DisputeScenario = (typeof disputeScenarios)[number];
const DisputeScenario = named('DisputeScenario', disputeScenarios, 'What the bank of the sandbox does with a payment.');

export const DisputeBody = z
  .strictObject({
    scenario: field(
      DisputeScenario,
      'The bank takes money back for this reason; `reversed`: it gives back what it took last.',
      'fraud',
    ),
    amount: field(
      z.int().min(1).optional(),
      'Cents that the bank takes: at most what is left of the payment, which is the default. Not with `reversed`.',
      9990,
    ),
  })
  .refine(({ scenario, amount }) => scenario !== 'reversed' || amount === undefined, {
    message: 'must not come with "reversed", which gives back all that was taken last',
    path: ['amount'],
  })
  .meta({
    id: 'DisputeBody',
    description: 'What the bank does with a payment.',
    ...conditional({ when: whenField('scenario', 'reversed'), so: without('amount') }),
  });

const cardScenarios = ['renewed', 'closed'] as const;
export type CardScenario = (typeof cardScenarios)[number];
const CardScenario = named('CardScenario', cardScenarios, 'What the issuer of the sandbox does with a stored card.');

const CardChangeBody = z
  .strictObject({
    scenario: field(
      CardScenario,
      '`renewed`: the card gets an expiry three years later, and is open; `closed`: its next charge is declined for good.',
      'renewed',
    ),
  })
  .meta({ id: 'CardChangeBody', description: 'What the issuer does with a stored card.' });

const debitScenarios = ['paid', 'insufficient', 'limit', 'account_closed', 'expired'] as const;
export type DebitScenario = (typeof debitScenarios)[number];
const DebitScenario = named('DebitScenario', debitScenarios, 'What the bank of the sandbox does with a debit.');

const DebitBody = z
  .strictObject({
    outcome: field(
      DebitScenario,
      'Of its next try: `paid`, which is the default; `insufficient`: too little money, another day may follow; `limit`, `account_closed`: refused for good; `expired`: nobody debits, and it lapses.',
      'insufficient',
    ),
  })
  .meta({ id: 'DebitBody', description: 'What becomes of a debit.' });

const mandatePayers = ['payer', 'payer_bank'] as const;
const MandatePayer = named('MandatePayer', mandatePayers, 'Who ends a mandate at the bank of the buyer.');

const MandateCancelBody = z
  .strictObject({ by: field(MandatePayer, '`payer`: the buyer; `payer_bank`: their bank by itself.', 'payer') })
  .meta({ id: 'MandateCancelBody', description: 'Who ends the mandate.' });

const mandateHelper = (what: string) => ({
  method: 'POST' as const,
  pathParams: pathId('mandate', 'mdt'),
  responses: { 200: Mandate, ...writeErrors },
  metadata: meta({ scope: 'write', idPrefix: 'mdt', sandboxOnly: true }),
  description: `Sandbox only. ${what}`,
});

/** Routes that exist in the sandbox alone (docs/product/sandbox.md#paying-a-qr-code). */
export const testHelpers = c.router(
  {
    paymentIntents: {
      payPix: {
        method: 'POST',
        path: '/test_helpers/payment_intents/:payment_intent_id/pay_pix',
        pathParams: pathId('payment_intent', 'pi'),
        summary: 'Pay a PIX QR code as the buyer would',
        description: "Sandbox only. Answers once the bank's notice has been handled.",
        body: PayPixBody,
        responses: { 200: PaymentIntent, ...writeErrors, ...failures(504) },
        metadata: meta({ scope: 'write', idPrefix: 'pi', sandboxOnly: true }),
      },
      debit: {
        method: 'POST',
        path: '/test_helpers/payment_intents/:payment_intent_id/debit',
        pathParams: pathId('payment_intent', 'pi'),
        summary: 'Say what becomes of a debit by mandate',
        description:
          'Sandbox only. Of the next try: money moves at 06:00 of its day, a refusal is known at 21:00. Until then it may be said anew.',
        body: DebitBody,
        responses: { 200: PaymentIntent, ...writeErrors },
        metadata: meta({ scope: 'write', idPrefix: 'pi', sandboxOnly: true }),
      },
      dispute: {
        method: 'POST',
        path: '/test_helpers/payment_intents/:payment_intent_id/dispute',
        pathParams: pathId('payment_intent', 'pi'),
        summary: 'Take money of a PIX back as its bank would',
        description:
          "Sandbox only. The bank takes back what is left of a paid PIX, or a part of it, as it does by the rules of MED; or it gives back what it took last. Answers the intent once the bank's notice has been handled: the disputes are found by its id.",
        body: DisputeBody,
        responses: { 200: PaymentIntent, ...writeErrors, ...failures(504) },
        metadata: meta({ scope: 'write', idPrefix: 'pi', sandboxOnly: true }),
      },
    },
    mandates: {
      approve: {
        ...mandateHelper('With the QR code of a first payment its buyer pays too. Answers once that is booked.'),
        path: '/test_helpers/mandates/:mandate_id/approve',
        summary: 'Authorise a mandate as the buyer would',
        body: emptyBody,
      },
      reject: {
        ...mandateHelper('The QR code of a first payment can still be paid.'),
        path: '/test_helpers/mandates/:mandate_id/reject',
        summary: 'Reject a mandate as the buyer would',
        body: emptyBody,
      },
      cancel: {
        ...mandateHelper('Debits whose day is not too near go with it.'),
        path: '/test_helpers/mandates/:mandate_id/cancel',
        summary: 'End a mandate at the bank of the buyer',
        body: MandateCancelBody,
      },
    },
    paymentMethods: {
      change: {
        method: 'POST',
        path: '/test_helpers/payment_methods/:payment_method_id/change',
        pathParams: pathId('payment_method', 'txn'),
        summary: 'Change a stored card as its issuer would',
        description: 'Sandbox only. Live, acquirers tell of such changes by themselves.',
        body: CardChangeBody,
        responses: { 200: StoredPaymentMethod, ...writeErrors },
        metadata: meta({ scope: 'write', idPrefix: 'txn', sandboxOnly: true }),
      },
    },
  },
  routerOptions,
);

/** How far ahead a test clock is advanced at once (docs/product/test-clock.md#advancing). */
export const ADVANCE_YEARS_MAX = 2;

const TestClockStatus = named('TestClockStatus', ['ready', 'advancing'], 'Whether the clock ticks or is moved.');

export const TestClock = z
  .object({
    object: objectName('test_clock'),
    now: timestamp('The instant of the sandbox: every `created`, due date and expiry of it is on this clock.'),
    status: field(
      TestClockStatus,
      '`ready`: ticks with real time; `advancing`: what falls due up to `target` is being done, each thing at its own instant.',
      'ready',
    ),
    target: timestampOrNull('While it is advancing, the instant it is advanced to.'),
  })
  .meta({ id: 'TestClock', description: "The clock of an account's sandbox." });

export type TestClock = z.output<typeof TestClock>;

export const TestClockAdvance = z
  .strictObject({
    to: timestamp(
      `The instant to advance to: after \`now\`, at most ${ADVANCE_YEARS_MAX} calendar years ahead of it (in America/Sao_Paulo).`,
    ),
  })
  .meta({ id: 'TestClockAdvance', description: 'Where the clock is advanced to.' });

const AdvanceBody = z
  .strictObject({ test_clock: TestClockAdvance })
  .meta({ id: 'TestClockAdvanceBody', description: 'An advance of the clock.' });

export const testClock = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/test_clock',
      summary: 'Retrieve the test clock',
      description: 'Sandbox only. Between advances the clock ticks with real time.',
      responses: { 200: TestClock },
      metadata: meta({ scope: 'read', sandboxOnly: true }),
    },
    advance: {
      method: 'POST',
      path: '/test_clock/advance',
      summary: 'Advance the test clock',
      description: `Sandbox only. Everything that falls due on the way happens in order, each thing at its own instant, as time would bring it: cycles, charges, collection, expiries, deliveries. Answers at once; retrieve the clock until it is \`ready\`. Until then reads work, and whatever would change the sandbox is refused with \`INVALID_STATE\`. At most ${ADVANCE_YEARS_MAX} calendar years at once; advance again for more.`,
      body: AdvanceBody,
      responses: { 202: TestClock, ...failures(400, 408, 409, 413, 415, 422) },
      metadata: meta({ scope: 'write', sandboxOnly: true }),
    },
    reset: {
      method: 'POST',
      path: '/test_clock/reset',
      summary: 'Reset the sandbox',
      description:
        "Sandbox only. Deletes all data of the account's sandbox, its webhook endpoints too, and returns its clock to real time. The account, its API keys and its live data stay. Let other requests end first: what one writes at the same moment may stay too. Refused with `INVALID_STATE` while the clock is advancing.",
      body: emptyBody,
      responses: { 200: TestClock, ...failures(400, 408, 409, 413, 415, 422) },
      metadata: meta({ scope: 'write', sandboxOnly: true }),
    },
  },
  routerOptions,
);
