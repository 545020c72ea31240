import type { Attempt, Books, Intent, Qr } from './books.ts';

const intentMoves: Readonly<Record<Intent['status'], readonly Intent['status'][]>> = {
  pending: ['paid', 'refunding', 'refunded', 'discarded'],
  scheduled: ['paid', 'failed', 'refunding', 'refunded', 'discarded'],
  processing: ['paid', 'refunded', 'failed', 'discarded'],
  failed: ['discarded'],
  paid: ['refunding', 'refunded'],
  refunding: ['paid', 'refunded'],
  refunded: [],
  discarded: [],
};

const invoiceMoves: Readonly<Record<string, readonly string[]>> = {
  open: ['paid', 'void', 'uncollectible'],
  uncollectible: ['paid', 'void'],
  paid: [],
  void: [],
};

const qrOrder: readonly Qr['state'][] = ['creating', 'active', 'retiring', 'ended'];

/** Pairs each row of before with the same row now; what vanished is told. */
function paired<Row>(
  rows: { before: readonly Row[]; after: readonly Row[] },
  idOf: (row: Row) => string,
  judge: (was: Row, is: Row) => string | null,
): string[] {
  return rows.before.flatMap((was) => {
    const is = rows.after.find((row) => idOf(row) === idOf(was));
    if (is === undefined) return [`${idOf(was)} is gone`];
    return judge(was, is) ?? [];
  });
}

const byId = ({ id }: { id: string }): string => id;

function attemptChange(was: Attempt, is: Attempt): string | null {
  if (was.status !== 'sent' && was.status !== is.status) return `${is.id} was ${was.status} and is ${is.status}`;
  return was.charge !== null && was.charge.outcome !== is.charge?.outcome ? `${is.id} has another outcome` : null;
}

/** What happened between two moments of rest that cannot happen, whatever was done: history only grows. */
export function impossible(before: Books, after: Books): string[] {
  const { status } = after.invoice;
  const mayMove = status === before.invoice.status || invoiceMoves[before.invoice.status]?.includes(status) === true;
  const of = <Key extends keyof Books>(key: Key) => ({ before: before[key], after: after[key] });
  return [
    ...(mayMove ? [] : [`the invoice was ${before.invoice.status} and is ${status}`]),
    ...paired(of('intents'), byId, (was, is) =>
      (was.status === is.status || intentMoves[was.status].includes(is.status)) && was.surplus === is.surplus
        ? null
        : `${is.id} was ${was.status} and is ${is.status}`,
    ),
    ...paired(of('attempts'), byId, attemptChange),
    ...paired(of('parts'), byId, (was, is) =>
      was.status === is.status || was.status === 'refunding' ? null : `${is.id} was ${was.status} and is ${is.status}`,
    ),
    ...paired(of('payments'), byId, (was, is) =>
      was.intentId === null || was.intentId === is.intentId ? null : `${is.id} changed hands`,
    ),
    ...paired(
      of('qrs'),
      ({ txid }) => txid,
      (was, is) =>
        qrOrder.indexOf(is.state) >= qrOrder.indexOf(was.state)
          ? null
          : `${is.txid} was ${was.state} and is ${is.state}`,
    ),
    ...untold(before, after),
  ];
}

/** Events stay as they are; new ones come after them. */
function untold(before: Books, after: Books): string[] {
  const told = after.events.slice(0, before.events.length).map(({ type }) => type);
  const was = before.events.map(({ type }) => type);
  return told.join() === was.join() ? [] : ['events that were told are gone, or come after younger ones'];
}

const count = ({ events }: Books, objectId: string, type: string): number =>
  events.filter((event) => event.objectId === objectId && event.type === type).length;

/** The statuses that events of an intent tell, in their order. */
const lives = {
  pix: /^created( discarded| paid( refunding)*( refunded)?)?$/,
  card: /^created processing( failed( discarded)?| paid( refunded)?)?$/,
} as const;
const STATUSES = ['created', 'processing', 'paid', 'failed', 'refunding', 'refunded', 'discarded'];

function intentEvents(books: Books, intent: Intent): string[] {
  const types = books.events.filter(({ objectId }) => objectId === intent.id).map(({ type }) => type);
  const life = types
    .filter((type) => type.startsWith('payment_intent.'))
    .map((type) => type.slice('payment_intent.'.length))
    .filter((name) => STATUSES.includes(name))
    .join(' ');
  const parts = books.parts.filter(({ intentId, reason }) => intentId === intent.id && reason !== 'surplus');
  const failed = parts.filter(({ status }) => status === 'failed').length;
  const completed = parts.filter(({ status }) => status === 'refunded').length;
  const updates = count(books, intent.id, 'refund.updated');
  const expected = [
    ['payment_intent.paid', intent.paidAt === null ? 0 : 1],
    ['payment_intent.failed', declines(books, intent)],
    ['payment_intent.refunded', intent.status === 'refunded' ? 1 : 0],
    ['payment_intent.discarded', intent.status === 'discarded' ? 1 : 0],
    ['payment_intent.refund_failed', failed],
    ['refund.created', parts.length],
  ] as const;
  return [
    ...(lives[intent.method].test(life) ? [] : [`the events of ${intent.id} tell an impossible life: ${life}`]),
    ...expected.flatMap(([type, times]) => mistold(books, { objectId: intent.id, type, times })),
    // A failed part is told only while another one stands.
    ...(updates < completed || updates > completed + failed ? [`${updates} refund.updated of ${intent.id}`] : []),
  ];
}

const declines = ({ attempts }: Books, { id }: Intent): number =>
  attempts.filter(({ intentId, status }) => intentId === id && (status === 'declined' || status === 'never_charged'))
    .length;

function mistold(books: Books, fact: { objectId: string; type: string; times: number }): string[] {
  const { objectId, type, times } = fact;
  const told = count(books, objectId, type);
  return told === times ? [] : [`${type} of ${objectId} was told ${told} times, and happened ${times} times`];
}

/** Every settled fact is told by exactly one event. */
export function untrueEvents(books: Books): string[] {
  const { invoice, intents, parts } = books;
  const refunds = parts.filter(({ status, reason }) => status === 'refunded' && reason !== 'surplus').length;
  const failures = intents.reduce((total, intent) => total + declines(books, intent), 0);
  const expected = [
    ['invoice.created', 1],
    ['invoice.paid', invoice.status === 'paid' ? 1 : 0],
    ['invoice.voided', invoice.status === 'void' ? 1 : 0],
    ['invoice.refunded', refunds],
    ['invoice.payment_failed', failures],
  ] as const;
  return [
    ...expected.flatMap(([type, times]) => mistold(books, { objectId: invoice.id, type, times })),
    ...intents.flatMap((intent) => intentEvents(books, intent)),
  ];
}
