import type { Catcher, Mutation } from './mutation.ts';

const money = (test: string): Catcher => ({ file: 'test/api/payments/money.test.ts', test });
const api = (file: string, test: string): Catcher => ({ file: `test/api/${file}.test.ts`, test });

/** Bugs of charges by card. */
const charges: readonly Mutation[] = [
  {
    name: 'the lock of an invoice is dropped',
    file: 'server/payments/intents/book.ts',
    find: 'AND i.live_mode = $3 FOR UPDATE`',
    replace: 'AND i.live_mode = $3`',
    caughtBy: api('payments/refunds/card', 'never comes to more than was paid'),
  },
  {
    name: 'the acquirer gets a new reference with each call',
    file: 'server/payments/card/attempts.ts',
    find: 'const { id: reference, invoiceId: orderId, initiator, amount, installments, deadlineAt } = attempt;',
    replace: `const { invoiceId: orderId, initiator, amount, installments, deadlineAt } = attempt;\n  const reference = newId('ca');`,
    caughtBy: api('payments/card/charge-crashes', 'leaves a charge that is found approved'),
  },
  {
    name: 'an unknown outcome is taken for a decline',
    file: 'server/payments/card/attempts.ts',
    find: '  return answer;\n}\n\n/** A proof',
    replace: `  if (answer.known) return answer;
  return { known: true, value: { status: 'declined', reason: 'processing_error', code: '96', isReversible: true } };
}\n\n/** A proof`,
    caughtBy: api('payments/card/charge-unknown', 'of the card whose answer is lost is unknown at once'),
  },
  {
    name: '"not found" counts as never charged before the deadline',
    file: 'server/payments/card/reconciliation.ts',
    find: 'return isPastDeadline ? NEVER_CHARGED : null;',
    replace: 'return NEVER_CHARGED;',
    caughtBy: api('payments/card/charge-unknown', 'is waited for until its deadline and 5 s more'),
  },
  {
    name: 'a decline is thrown inside the transaction that books it',
    file: 'server/payments/card/charge.ts',
    find: `return { ...(await answerRecord(tx, record, show)), record };`,
    replace: `const answered = await answerRecord(tx, record, show);
    if (answered.kind === 'refused') throw answered.refusal;
    return { ...answered, record };`,
    caughtBy: api('payments/card/declines', 'is refused with the reason, and the invoice stays open'),
  },
  {
    name: 'a repeat under the same key charges anew',
    file: 'server/payments/card/checkout.ts',
    find: 'if (former !== null) return answerFormerCharge(deps, scope, { attemptId: former, show });',
    replace: '',
    caughtBy: api('payments/card/charge-idempotency', 'that was declined is declined alike, and charges once'),
  },
  {
    name: 'the key does not remember the attempt',
    file: 'server/payments/card/attempts.ts',
    find: 'tx.lease(attempt.id);',
    replace: '',
    caughtBy: api('payments/card/charge-idempotency', 'of unknown outcome answers 504 until it is known'),
  },
  {
    name: 'a paid invoice is charged again',
    file: 'server/payments/intents/book.ts',
    find: 'if (acceptsPayment(status)) return;',
    replace: `if (acceptsPayment(status) || status === 'paid') return;`,
    caughtBy: api('payments/card/refusals', 'is paid is refused before the acquirer sees the card'),
  },
  {
    name: 'a card is charged beside another that is at the acquirer',
    file: 'server/payments/intents/book.ts',
    find: `if (intent?.status === 'processing') throw paymentInProgress(\`A charge of \${invoice.id} is at the acquirer\`);`,
    replace: '',
    caughtBy: api('payments/card/charge-unknown', 'while nobody knows what became of a charge'),
  },
  {
    name: 'each installment is charged as the whole',
    file: 'server/payments/card/attempts.ts',
    find: 'const request = { reference, orderId, initiator, token, amount, installments,',
    replace: 'const request = { reference, orderId, initiator, token, amount: amount * installments, installments,',
    caughtBy: api('payments/card/checkout', 'is charged in as many installments as were asked for'),
  },
  {
    name: 'nobody is asked to look at an attempt that nobody answered',
    file: 'server/payments/card/attempts.ts',
    find: `tx.enqueue({ kind: 'charge-reconciliation', key: intent.id, afterSeconds: ACQUIRER_DEADLINE + CHARGE_MARGIN });`,
    replace: '',
    caughtBy: api('payments/card/charge-crashes', 'a crash between the attempt and its call'),
  },
  {
    name: 'an outcome is booked again by who learns it second',
    file: 'server/payments/card/attempts.ts',
    find: `if (attempt.status !== 'sent') return record;`,
    replace: '',
    caughtBy: api('payments/card/charge-crashes', 'books it, and the checkout answers the same'),
  },
  {
    name: 'a payment is not told',
    file: 'server/invoices/create.ts',
    find: `tx.record('invoice.paid', viewInvoice(invoice));`,
    replace: '',
    caughtBy: api('payments/card/checkout', 'tells each step with the object as it stood then'),
  },
  {
    name: 'the sandbox charges after the deadline',
    file: 'server/payments/acquirer/sandbox/cards.ts',
    find: 'WHERE at.received < at.deadline',
    replace: 'WHERE true',
    caughtBy: money('charges nothing that comes after its deadline'),
  },
];

/** Bugs of receipts by PIX, and of cards that take over from them. */
const receipts: readonly Mutation[] = [
  {
    name: 'a QR code is not ended at the bank before the card is charged',
    file: 'server/payments/card/checkout.ts',
    find: 'const end = await endQrAtBank(deps, scope, { txid, account, remainingMs });',
    replace: `const end: string = 'ended';`,
    caughtBy: api('payments/card/takeover', 'from a QR code, which is ended at the bank before the card is charged'),
  },
  {
    name: 'a card is charged for an invoice whose PIX is confirmed',
    file: 'server/payments/intents/book.ts',
    find: 'if (isConfirmed) throw paymentConfirmed(invoice.id);',
    replace: '',
    caughtBy: api(
      'payments/card/takeover',
      'is confirmed and not settled is refused before the acquirer sees the card',
    ),
  },
  {
    name: 'a receipt settles an invoice whose card is at the acquirer',
    file: 'server/payments/rules.ts',
    find: `if (unsettled === 'processing') return 'undecided';`,
    replace: '',
    caughtBy: api('payments/card/charge-receipts', 'is only stored'),
  },
  {
    name: 'a receipt that waited for a card is forgotten',
    file: 'server/payments/card/attempts.ts',
    find: 'if (waiting.length === 0) {',
    replace: 'if (waiting.length >= 0) {',
    caughtBy: api('payments/card/charge-receipts', 'goes back when the card was approved'),
  },
  {
    name: 'a surplus is kept',
    file: 'server/payments/pix/receipts.ts',
    find: '    returnSurplus(tx, intent);\n',
    replace: '',
    caughtBy: api(
      'payments/card/takeover',
      'from a QR code that cannot be paid any more; what is paid all the same goes back',
    ),
  },
  {
    name: 'a surplus counts among the amounts of its invoice',
    file: 'server/payments/refunds/parts.ts',
    find: 'if (!intent.surplus) {',
    replace: 'if (intent.amount > 0) {',
    caughtBy: api('payments/card/charge-receipts', 'goes back when the card was approved'),
  },
  {
    name: 'a receipt is booked again by who learns of it second',
    file: 'server/payments/pix/settlement.ts',
    find: 'if (known !== undefined && (known.intentId ?? null) !== null) return;',
    replace: '',
    caughtBy: money('a PIX that two learn of at once is booked once'),
  },
];

/** Bugs of refunds. */
const refunds: readonly Mutation[] = [
  {
    name: 'the parts of a refund are read ahead of the lock',
    file: 'server/payments/refunds/parts.ts',
    find: `const [invoice, intent, parts] = await Promise.all([
    lockInvoice(tx, invoiceId),
    findIntent(tx, intentId),
    tx.query<RefundPart>(readParts, [intentId]),
  ]);`,
    replace: `const parts = await tx.query<RefundPart>(readParts, [intentId]);
  const [invoice, intent] = await Promise.all([lockInvoice(tx, invoiceId), findIntent(tx, intentId)]);`,
    caughtBy: api('payments/refunds/card', 'never comes to more than was paid'),
  },
  {
    name: 'a part on its way is not reserved',
    file: 'server/payments/refunds/parts.ts',
    find: `part.status === 'failed' ? sum : sum + part.amount`,
    replace: `part.status === 'refunded' ? sum + part.amount : sum`,
    caughtBy: api('payments/refunds/pix', 'never comes to more than was paid'),
  },
  {
    name: 'a part that was refused stays reserved',
    file: 'server/payments/refunds/parts.ts',
    find: `part.status === 'failed' ? sum : sum + part.amount`,
    replace: 'sum + part.amount',
    caughtBy: api('payments/refunds/card', 'leaves its money to be asked for again'),
  },
  {
    name: 'a return is asked under a new reference each time',
    file: 'server/payments/refunds/settlement.ts',
    find: 'const core = { reference, amount, reason };',
    replace: 'const core = { reference: String(Math.random()), amount, reason };',
    caughtBy: api('payments/refunds/unknown', 'is made once, as its case finds out'),
  },
  {
    name: 'money counts as refunded when it is asked for',
    file: 'server/payments/refunds/parts.ts',
    find: '  parts.push(part);\n',
    replace: '  parts.push(part);\n  intent.amountRefunded += part.amount;\n',
    caughtBy: api('payments/refunds/pix', 'is on its way in the answer, and is made 5 s later'),
  },
  {
    name: 'a repeat under the same key refunds anew',
    file: 'server/payments/refunds/create.ts',
    find: 'if (former !== null) return answerFormerPart(deps, scope, { look, partId: former });',
    replace: '',
    caughtBy: api('payments/refunds/idempotency', 'of unknown outcome asks nothing anew until the outcome is known'),
  },
];

/** Bugs of cards that are stored for renewals. */
const renewals: readonly Mutation[] = [
  {
    name: 'a scheduled charge chooses the card that it charged',
    file: 'server/subscriptions/activation.ts',
    find: ` || payment.initiator === 'merchant'`,
    replace: '',
    caughtBy: api('subscriptions/payment-method-races', 'by the schedule leaves it the new card'),
  },
  {
    name: 'a scheduled charge is told as one of the buyer',
    file: 'server/payments/card/scheduled.ts',
    find: `initiator: 'merchant'`,
    replace: `initiator: 'customer'`,
    caughtBy: api('subscriptions/payment-method-races', 'and of the merchant by the schedule'),
  },
  {
    name: 'a card that is declined at its verification is stored',
    file: 'server/payments/card/intake.ts',
    find: `if (answer.value.status === 'declined') throw cardDeclined(answer.value.reason);`,
    replace: '',
    caughtBy: api('subscriptions/payment-method', 'when its issuer answers suspected_fraud'),
  },
  {
    name: 'a card is stored for a subscription that ended meanwhile',
    file: 'server/subscriptions/payment-method.ts',
    find: 'refuseUnlessRenewing(subscription);',
    replace: '',
    caughtBy: api('subscriptions/payment-method', 'to one that ends while the card is verified'),
  },
];

/** Guards that only show when the code before them fails. */
const guards: readonly Mutation[] = [
  {
    name: 'the database lets an invoice have two unsettled charges',
    sql: 'DROP INDEX payment_intent_one_unsettled',
    caughtBy: money('a second unsettled charge of an invoice'),
  },
  {
    name: 'the database lets an invoice be settled twice',
    sql: 'DROP INDEX payment_intent_one_settling',
    caughtBy: money('a second payment that settles an invoice'),
  },
  {
    name: 'the database lets two returns have one reference at the bank',
    sql: 'ALTER TABLE refund_part DROP CONSTRAINT refund_part_reference_key',
    caughtBy: money('a return under the reference of another'),
  },
  {
    name: 'the database lets a charge have two attempts at the acquirer',
    sql: 'DROP INDEX charge_attempt_one_sent',
    caughtBy: money('a second attempt of a charge beside one that is at the acquirer'),
  },
];

export const mutations: readonly Mutation[] = [...charges, ...receipts, ...refunds, ...renewals, ...guards];
