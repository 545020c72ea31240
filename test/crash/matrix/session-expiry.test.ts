import { ANY_CALL, changeBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import { pay, payLate } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import { decide, type Mode, makeQr, openSession, passDeadline } from '../sessions.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** Who ends the session: the merchant before its deadline, or the run behind it. */
const enders = ['the merchant', 'the run'] as const;
const modes = ['payment', 'subscription'] as const satisfies Mode[];

/** What becomes of the session's QR code. */
const qrs = [
  'there is none',
  'nobody pays',
  'paid before the repeat',
  'paid at last',
  'paid in time, unheard',
] as const;
type Qr = (typeof qrs)[number];

const places = {
  'ending.after-retiring': { at: 'ending.after-retiring' },
  'while the bank ends it': { after: 'ending.after-retiring', duringCall: 'expirePix' },
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
  'ending.after-acquirer': { at: 'ending.after-acquirer' },
  'expiry.before-commit': { at: 'expiry.before-commit' },
  'expiry.after-commit': { at: 'expiry.after-commit' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly ender: (typeof enders)[number];
  readonly mode: Mode;
  readonly qr: Qr;
}

const isCommitting = (place: Place): boolean => place === 'expiry.before-commit' || place === 'expiry.after-commit';
const isSettling = (place: Place): boolean =>
  place === 'settlement.before-settle' || place === 'settlement.after-settle';

function differs({ place, mode, qr }: Case): boolean {
  // Without a QR code the bank is asked nothing.
  if (qr === 'there is none') return isCommitting(place);
  // What is paid in time is found when the bank is asked, and nothing expires.
  if (qr === 'paid in time, unheard')
    return mode === 'payment' && !isCommitting(place) && place !== 'while the bank ends it';
  if (isSettling(place)) return false;
  // It dies before the bank does anything, as at ending.after-retiring; and money goes back from both modes in one way.
  return qr === 'nobody pays' || (mode === 'payment' && place !== 'while the bank ends it');
}

/** Whether the money comes to a session that takes it. */
const isKept = ({ place, ender, qr }: Case): boolean =>
  qr === 'paid in time, unheard' ||
  (qr === 'paid before the repeat' && ender === 'the merchant' && place !== 'expiry.after-commit');

function answersOf(one: Case): Answers {
  const { place, ender, qr } = one;
  if (!isKept(one)) return { isHeld: false, repeat: 'expired', looked: 'expired', final: 'expired' };
  const answer = ender === 'the run' ? 'complete' : 'SESSION_NOT_OPEN';
  const isFound =
    qr === 'paid in time, unheard' &&
    ['ending.after-retiring', 'ending.after-acquirer', 'settlement.before-settle'].includes(place);
  const repeat = isFound && ender === 'the merchant' ? 'PAYMENT_IN_PROGRESS' : answer;
  return { isHeld: false, repeat, looked: answer, final: answer };
}

const begunIn = ({ mode, qr }: Case): string[] => [
  ...(mode === 'subscription' ? ['subscription.created'] : []),
  ...told.created,
  ...told.session,
  ...(qr === 'there is none' ? [] : told.qrMade),
];

function booksOf(one: Case, amount: number): Books {
  const { place, mode, qr } = one;
  if (isKept(one))
    return paidBooks(amount, {
      sessions: [`${mode} complete`],
      intents: ['pix paid'],
      receipts: [amount],
      events: [...begunIn(one), ...told.paid, ...told.completed],
    });
  const ended = [
    ...(qr === 'there is none' ? [] : told.takenOver),
    'invoice.voided',
    ...(mode === 'subscription' ? ['subscription.canceled'] : []),
    ...told.expired,
  ];
  const expired = { invoice: { status: 'void', amount_paid: 0, amount_refunded: 0 }, sessions: [`${mode} expired`] };
  if (qr === 'there is none') return openBooks({ ...expired, events: [...begunIn(one), ...ended] });
  if (qr === 'nobody pays')
    return openBooks({ ...expired, intents: ['pix discarded'], events: [...begunIn(one), ...ended] });
  // It came before the session was expired, though too late for it, or after that: in either case it goes back.
  const isFirst = qr === 'paid before the repeat' && place !== 'expiry.after-commit';
  const came = isFirst ? [...told.surplus, ...ended] : [...ended, ...told.surplus];
  return openBooks({
    ...expired,
    intents: ['pix discarded', 'pix refunded surplus'],
    receipts: [amount],
    returns: [String(amount)],
    events: [...begunIn(one), ...came, ...told.returned],
  });
}

/** The buyer has paid at the bank, which tells of it later. */
async function payUnheard({ stage, shop, merchant }: Scene, intentId: string): Promise<void> {
  const { accountId } = shop;
  const changes = { notice_delay_seconds: 3_600 };
  await changeBehaviour(stage.composition.deps.pool, { accountId, call: ANY_CALL, changes });
  await pay(merchant, intentId, 'paid');
}

/** A session as it is when somebody ends it. */
async function prepare(scene: Scene, { ender, mode, qr }: Case, amount: number): Promise<Prepared> {
  const session = await openSession(scene, { mode, amount, buyer: 'a customer' });
  const invoiceId = session.invoice ?? '';
  const rivals = rivalsOf(invoiceId).slice(0, 2);
  if (qr !== 'there is none') {
    const intentId = await makeQr(scene, session);
    if (qr === 'paid in time, unheard') await payUnheard(scene, intentId);
  }
  if (ender === 'the merchant') {
    const expire: Prepared['request'] = ({ fatura }, idempotencyKey) =>
      fatura.checkoutSessions.expire(session.id, { idempotencyKey });
    return { invoiceId, request: expire, rivals };
  }
  await passDeadline(scene);
  return {
    invoiceId,
    strike: (process) => process.expire(session.id),
    // The run comes again, in another process.
    request: async ({ fatura }) => {
      await decide(scene, session);
      return fatura.checkoutSessions.retrieve(session.id);
    },
    rivals,
  };
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  enders.flatMap((ender) => modes.flatMap((mode) => qrs.map((qr) => ({ place, ender, mode, qr })))),
);

const cellOf = (one: Case, { amount }: Variation): Cell => ({
  name: `${one.place}, ${one.mode} ended by ${one.ender}, QR code: ${one.qr}`,
  death: places[one.place],
  mode: {},
  prepare: (scene) => prepare(scene, one, amount),
  ...(one.qr === 'paid before the repeat' ? { meanwhile: payLate } : {}),
  ...(one.qr === 'paid at last' ? { finish: payLate } : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

testCells([
  {
    rule: 'an API killed while a session expires leaves it expired without money, or complete',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
