import { type Attempt, type Books, type Intent, newsOf, type Part, paidOf, sum, unsettledOf } from './books.ts';

/** A rule of the books at any moment of rest; each finding is a sentence. */
type Rule = (books: Books, cases: ReadonlySet<string>) => string[];

const amount = ({ amount: cents }: { amount: number }): number => cents;
const breach = (isBroken: boolean, sentence: string): string[] => (isBroken ? [sentence] : []);

const amounts: Rule = ({ invoice, parts }) => {
  const { status, total, amountPaid, amountRefunded } = invoice;
  const refunded = sum(
    parts.filter((part) => part.status === 'refunded' && part.reason !== 'surplus'),
    amount,
  );
  return [
    ...breach(amountPaid !== (status === 'paid' ? total : 0), `an invoice that is ${status} shows ${amountPaid} paid`),
    ...breach(amountRefunded < 0 || amountRefunded > amountPaid, `${amountRefunded} of ${amountPaid} are refunded`),
    ...breach(amountRefunded !== refunded, `it shows ${amountRefunded} refunded, its parts come to ${refunded}`),
  ];
};

const oneUnsettled: Rule = ({ intents, invoice }) => {
  const open = intents.filter(({ status }) => ['pending', 'processing', 'failed'].includes(status));
  return [
    ...breach(open.length > 1, `${open.length} charges wait for their money`),
    ...breach(
      open.length > 0 && (invoice.status === 'paid' || invoice.status === 'void'),
      `a charge waits for an invoice that is ${invoice.status}`,
    ),
  ];
};

/** No invoice keeps money twice: what settles it is one payment, every other goes back whole. */
const capturedOnce: Rule = (books) => {
  const paid = paidOf(books);
  const settling = paid.filter(({ surplus }) => !surplus);
  const expected = books.invoice.status === 'paid' ? books.invoice.total : 0;
  const kept = sum(settling, amount);
  const staying = paid.filter(({ surplus, status, id, amount: whole }) => {
    const asked = books.parts.filter((part) => part.intentId === id && part.status !== 'failed');
    return surplus && (status === 'paid' || sum(asked, amount) !== whole);
  });
  return [
    ...breach(settling.length > 1, `${settling.length} payments settle one invoice`),
    ...breach(kept !== expected, `${kept} were kept of an invoice that asks for ${expected}`),
    ...staying.map(({ id }) => `the surplus ${id} is not on its way back`),
  ];
};

const attemptIsTrue = ({ id, status, amount: asked, charge, declineReason }: Attempt): string[] => {
  if (charge !== null && charge.amount !== asked)
    return [`${id} is of ${asked}, the acquirer charged ${charge.amount}`];
  const says = charge === null ? 'nothing of it' : `${charge.outcome} ${charge.reason ?? ''}`;
  const isTrue = {
    sent: true,
    approved: charge?.outcome === 'approved',
    declined: charge?.outcome === 'declined' && charge.reason === declineReason,
    never_charged: charge === null,
  }[status];
  return breach(!isTrue, `${id} is ${status} in our books, the acquirer says ${says}`);
};

const receiptsAreTrue: Rule = ({ payments, now, intents }) =>
  payments.flatMap(({ id, isBooked, settlesAt, intentId, amount: paid }) => {
    const intent = intents.find((each) => each.id === intentId);
    return [
      ...breach(isBooked && settlesAt > now, `${id} is booked before the bank settled it`),
      ...breach(
        intentId !== null && (intent?.paidAt == null || intent.amount !== paid),
        `${id} belongs to ${intentId}, which it did not pay`,
      ),
    ];
  });

const returnsAreTrue: Rule = ({ parts, returns, now, payments, attempts }) => [
  ...parts.flatMap(({ id, status, amount: asked, reference, intentId }) => {
    const made = returns.find((each) => each.reference === reference);
    const source =
      payments.find((payment) => payment.intentId === intentId)?.id ??
      attempts.find((attempt) => attempt.intentId === intentId && attempt.status === 'approved')?.id;
    const isMade = made !== undefined && !made.isRefused && made.completesAt <= now;
    return [
      ...breach(status === 'refunded' && !isMade, `${id} is refunded, the bank did not return it`),
      ...breach(status === 'failed' && made?.isRefused !== true, `${id} failed, the bank did not refuse it`),
      ...breach(
        made !== undefined && (made.amount !== asked || made.of !== source),
        `${id} is another return at the bank`,
      ),
    ];
  }),
  ...returns
    .filter(({ isRefused, reference }) => !isRefused && !parts.some((part) => part.reference === reference))
    .map(({ reference }) => `the bank returns ${reference}, which we did not ask for`),
];

/** To the cent: what the acquirer has more than our books is a charge of unknown outcome, or money nobody booked yet. */
const moneyAgrees: Rule = (books) => {
  const { attempts, payments, returns, parts, now } = books;
  const approved = (each: Attempt): boolean => each.charge?.outcome === 'approved';
  const captured =
    sum(attempts.filter(approved), amount) +
    sum(
      payments.filter((p) => p.settlesAt <= now),
      amount,
    );
  const underWay =
    sum(
      attempts.filter((each) => approved(each) && each.status === 'sent'),
      amount,
    ) +
    sum(
      payments.filter((p) => p.settlesAt <= now && p.intentId === null),
      amount,
    );
  const ours = sum(paidOf(books), amount);
  const returned = sum(
    returns.filter((each) => !each.isRefused && each.completesAt <= now),
    amount,
  );
  const returning = returns.filter(
    ({ isRefused, completesAt, reference }) =>
      !isRefused &&
      completesAt <= now &&
      parts.some((part) => part.reference === reference && part.status === 'refunding'),
  );
  const ourReturned = sum(
    parts.filter(({ status }) => status === 'refunded'),
    amount,
  );
  return [
    ...breach(
      captured - underWay !== ours,
      `the acquirer has ${captured}, ${underWay} of it under way; we have ${ours}`,
    ),
    ...breach(
      returned - sum(returning, amount) !== ourReturned,
      `the acquirer returned ${returned}, ${sum(returning, amount)} of it not booked; we booked ${ourReturned}`,
    ),
    ...breach(returned > captured, `the acquirer returned ${returned} of ${captured}`),
  ];
};

const intentAmounts: Rule = ({ intents, parts }) =>
  intents.flatMap(({ id, status, method, amount: whole, amountRefunded }) => {
    const own = parts.filter((part) => part.intentId === id);
    const done = sum(
      own.filter((part) => part.status === 'refunded'),
      amount,
    );
    const asked = sum(
      own.filter((part) => part.status !== 'failed'),
      amount,
    );
    return [
      ...breach(amountRefunded !== done, `${id} shows ${amountRefunded} refunded, its parts come to ${done}`),
      ...breach(asked > whole, `${asked} are asked back of ${id}, which is of ${whole}`),
      ...breach((status === 'refunded') !== (done === whole), `${id} is ${status} with ${done} of ${whole} back`),
      ...breach(
        (status === 'refunding') !== (method === 'pix' && asked > done),
        `${id} is ${status} with ${asked - done} on its way back`,
      ),
    ];
  });

/** Whatever has not ended is somebody's to end: asked for in the outbox, or a case. */
const nothingForgotten: Rule = (books, cases) => {
  const isAskedFor = (work: string): boolean => cases.has(work) || books.outbox.includes(work);
  const unsettledId = unsettledOf(books)?.id;
  const wanted = [
    ...books.attempts
      .filter(({ status }) => status === 'sent')
      .map(({ intentId }) => `charge-reconciliation ${intentId}`),
    ...books.parts
      .filter(({ status }) => status === 'refunding')
      .map(({ intentId }) => `refund-settlement ${intentId}`),
    ...books.qrs.filter(({ state }) => state === 'retiring').map(({ txid }) => `pix-expiry ${txid}`),
    ...books.qrs
      .filter(({ txid }) => newsOf(books, txid).some(({ isBooked }) => !isBooked))
      .map(({ txid }) => `pix-settlement ${txid}`),
    ...books.qrs.filter(({ confirmedAt }) => confirmedAt !== null).map(({ txid }) => `pix-settlement ${txid}`),
  ];
  const undecided = books.payments.filter(
    ({ isBooked, intentId, txid }) => isBooked && intentId === null && !isAskedFor(`pix-settlement ${txid}`),
  );
  const isCharging = books.intents.some(({ id, status }) => id === unsettledId && status === 'processing');
  return [
    ...wanted.filter((work) => !isAskedFor(work)).map((work) => `nobody looks after ${work}`),
    ...breach(undecided.length > 0 && !isCharging, 'money that came in waits for a charge that is not at the acquirer'),
  ];
};

/** A QR code that nobody is to pay is not handed out, and one that ended in our books cannot be paid at the bank. */
const qrStates: Rule = ({ qrs, intents, outbox, now }, cases) =>
  qrs.flatMap(({ txid, state, intentId, cob, expiresAt }) => {
    const status = intents.find(({ id }) => id === intentId)?.status;
    const isOpen = state === 'creating' || state === 'active';
    const expiry = `pix-expiry ${txid}`;
    const isPayable = cob === 'ATIVA' && expiresAt > now && !outbox.includes(expiry) && !cases.has(expiry);
    return [
      ...breach(isOpen && status !== 'pending', `the QR code ${txid} is ${state}, its charge ${status}`),
      ...breach(state === 'ended' && isPayable, `the QR code ${txid} is ended, and anybody can pay it`),
    ];
  });

const attemptsAreTrue: Rule = ({ attempts, invoice }) =>
  attempts.flatMap((attempt) => [
    ...attemptIsTrue(attempt),
    ...breach(attempt.amount !== invoice.total, `${attempt.id} charges ${attempt.amount} of ${invoice.total}`),
  ]);

const rules: readonly Rule[] = [
  amounts,
  oneUnsettled,
  capturedOnce,
  attemptsAreTrue,
  receiptsAreTrue,
  returnsAreTrue,
  moneyAgrees,
  intentAmounts,
  nothingForgotten,
  qrStates,
];

/** What of the books cannot be true, whatever happened before. */
export const findings = (books: Books, cases: ReadonlySet<string>): string[] =>
  rules.flatMap((rule) => rule(books, cases));

/** What must be over when everything has come to rest. */
export function unrest({ intents, parts, payments, qrs, attempts, now }: Books): string[] {
  const named = (rows: readonly (Intent | Part | Attempt)[], what: string): string[] =>
    rows.map(({ id }) => `${id} is ${what}`);
  return [
    ...named(
      intents.filter(({ status }) => status === 'processing'),
      'processing',
    ),
    ...named(
      intents.filter(({ status }) => status === 'refunding'),
      'refunding',
    ),
    ...named(
      attempts.filter(({ status }) => status === 'sent'),
      'sent',
    ),
    ...named(
      parts.filter(({ status }) => status === 'refunding'),
      'refunding',
    ),
    ...named(
      intents.filter(({ surplus, status }) => surplus && status !== 'refunded'),
      'a surplus that is not back',
    ),
    ...payments.filter(({ intentId }) => intentId === null).map(({ id }) => `${id} is undecided`),
    ...qrs.filter(({ state }) => state === 'retiring').map(({ txid }) => `${txid} is retiring`),
    ...qrs.filter(({ confirmedAt }) => confirmedAt !== null).map(({ txid }) => `${txid} is confirmed at ${now}`),
  ];
}
