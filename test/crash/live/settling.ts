import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { paidBooks, told } from '../books.ts';
import { type Answers, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { rivalsOf } from '../matrix/rivals.ts';
import { inTurn } from './in-turn.ts';
import type { LiveBooks, LiveCell, LiveDeath, LiveScene, Mischief } from './member.ts';

const LATE_MS = 800;

/** How often the PSP tells of a payment. */
const callbacks = {
  once: [],
  twice: [{ kind: 'callback_twice' }],
  never: [{ kind: 'callback_none' }],
  late: [{ kind: 'callback_late', milliseconds: LATE_MS }],
} as const satisfies Record<string, readonly Mischief[]>;
type Told = keyof typeof callbacks;

const buyers = ['pays', 'pays twice', 'pays and is not shown'] as const;

const places = {
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.between-payments': { at: 'settlement.between-payments' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
  'while the PSP is asked': { whileAsked: 'getCob' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly callback: Told;
  readonly buyer: (typeof buyers)[number];
}

function differs({ place, callback, buyer }: Case): boolean {
  // Only several payments have something between them.
  if (place === 'settlement.between-payments')
    return buyer === 'pays twice' && (callback === 'once' || callback === 'never');
  if (buyer === 'pays and is not shown') return place === 'settlement.after-settle' && callback === 'once';
  // A callback that comes later is heard by whoever is there.
  if (callback === 'late') return place === 'settlement.after-settle' && buyer === 'pays';
  // It asks for the same case once more, whether that has ended or not.
  if (callback === 'twice') return buyer === 'pays' && place === 'settlement.after-settle';
  return buyer === 'pays' || (place === 'settlement.after-settle' && callback === 'never');
}

/** What the charge shows: nobody but the sweep hears of what the PSP tells nobody. */
function answersOf({ place, callback, buyer }: Case): Answers {
  const isBooked = place === 'settlement.after-settle' || place === 'settlement.between-payments';
  const isShown = buyer !== 'pays and is not shown';
  return {
    isHeld: false,
    repeat: isBooked && isShown ? 'paid' : 'pending',
    looked: isShown && (isBooked || callback !== 'never') ? 'paid' : 'pending',
    final: 'paid',
  };
}

function booksOf({ buyer }: Case, amount: number): LiveBooks {
  const cobs = ['CONCLUIDA'];
  const events = [...told.created, ...told.qrMade, ...told.paid];
  if (buyer !== 'pays twice')
    return { ...paidBooks(amount, { intents: ['pix paid'], receipts: [amount], events }), cobs };
  const twice = paidBooks(amount, {
    intents: ['pix paid', 'pix refunded surplus'],
    receipts: [amount, amount],
    returns: [String(amount)],
    events: [...events, ...told.surplus, ...told.returned],
  });
  return { ...twice, cobs };
}

/** The buyer pays, and the case of the callback is at it in the process that is to die. */
async function prepare({ live, trouble }: LiveScene, { callback, buyer }: Case, amount: number): Promise<Prepared> {
  const { invoice: invoiceId, intent, txid } = await live.sell(amount);
  trouble(...callbacks[callback]);
  live.pay(txid);
  if (buyer === 'pays twice') live.pay(txid, { late: true });
  if (callback !== 'late') await live.psp.quiet();
  const request: Prepared['request'] = ({ fatura }) => fatura.paymentIntents.retrieve(intent);
  const strike: Prepared['strike'] = (process) => process.step('pix-settlement', txid);
  return { invoiceId, request, strike, rivals: rivalsOf(invoiceId) };
}

function troublesOf({ place, buyer }: Case): Mischief[] {
  if (place === 'while the PSP is asked') return [{ kind: 'hanging', operation: 'getCob', next: 1 }];
  return buyer === 'pays and is not shown' ? [{ kind: 'paid_without_pix' }] : [];
}

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, the buyer ${one.buyer}, told ${one.callback}, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: troublesOf(one),
  prepare: (scene) => prepare(scene, one, amount),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(callbacks).flatMap((callback) => buyers.map((buyer) => ({ place, callback, buyer }))),
);

export const settling: Family<LiveCell> = {
  rule: 'an API killed while a payment at a PSP settles books each receipt once',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
