import { setTimeout as sleep } from 'node:timers/promises';
import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { paidBooks, told } from '../books.ts';
import { type Answers, answerOf, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { inTurn } from './in-turn.ts';
import type { LiveBooks, LiveCell, LiveDeath, LiveScene, Mischief } from './member.ts';

const LATE_MS = 1_500;
/** A PSP settles what it was asked for at once, after its answer. */
const SETTLED_MS = 50;
const PART_AMOUNT = 700;

/** What the PSP does when it is to return money. */
const returnings = {
  ok: [],
  'request lost': [{ kind: 'request_lost', operation: 'putReturn' }],
  'answer lost': [{ kind: 'answer_lost', operation: 'putReturn' }],
  'repeats refused': [{ kind: 'repeat_refused' }],
  'hidden and refused': [{ kind: 'lagging', operation: 'getReturn' }, { kind: 'repeat_refused' }],
  'in process': [{ kind: 'return_stays' }],
  'not done': [{ kind: 'return_fails' }],
  'in process, then not done': [{ kind: 'return_stays' }],
  'never answered': [{ kind: 'hanging', operation: 'putReturn', next: 1 }],
  'made after the death': [{ kind: 'stalled', operation: 'putReturn', next: 1, milliseconds: LATE_MS }],
} as const satisfies Record<string, readonly Mischief[]>;
type Returning = keyof typeof returnings;

/** What goes back: what a merchant asked for, in part or whole, or money that no charge asked for. */
const kinds = ['a part', 'the whole', 'a surplus'] as const;

const places = {
  'refund.after-asking': { at: 'refund.after-asking' },
  'return.after-asking': { at: 'return.after-asking' },
  'return.after-booking': { at: 'return.after-booking' },
  'while the PSP is asked': { whileAsked: 'putReturn' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly returning: Returning;
  readonly kind: (typeof kinds)[number];
}

const isCutOff = (returning: Returning): boolean =>
  returning === 'never answered' || returning === 'made after the death';

function differs({ place, returning, kind }: Case): boolean {
  if (isCutOff(returning) !== (place === 'while the PSP is asked')) return false;
  // The request only writes that money is to go back; the case, which asks for it, begins afterwards.
  if (place === 'refund.after-asking') return returning === 'ok' && kind === 'a part';
  // Only an end is booked, and the refusal of a surplus is none.
  if (place === 'return.after-booking')
    return (returning === 'ok' && kind !== 'the whole') || (returning === 'not done' && kind === 'a part');
  // Whole or part, it is the same way back.
  if (kind === 'the whole') return returning === 'ok';
  return kind === 'a part' || returning === 'not done' || returning === 'made after the death';
}

const isRefused = ({ returning }: Case): boolean =>
  returning === 'not done' || returning === 'in process, then not done';

const partOf = ({ kind }: Case, amount: number): number => (kind === 'a part' ? PART_AMOUNT : amount);

function booksOf(one: Case, amount: number): LiveBooks {
  const { kind } = one;
  const cobs = ['CONCLUIDA'];
  const paid = [...told.created, ...told.qrMade, ...told.paid];
  if (kind === 'a surplus') {
    const back = paidBooks(amount, {
      intents: ['pix paid', 'pix refunded surplus'],
      receipts: [amount, amount],
      // It is asked for again, under another id.
      returns: [...(isRefused(one) ? [`${amount} refused`] : []), String(amount)],
      events: [...paid, ...told.surplus, ...told.returned],
    });
    return { ...back, cobs };
  }
  const asked = [...paid, 'refund.created', 'payment_intent.refunding'];
  if (isRefused(one)) {
    const kept = paidBooks(amount, {
      intents: ['pix paid'],
      receipts: [amount],
      returns: [`${partOf(one, amount)} refused`],
      events: [...asked, 'payment_intent.refund_failed'],
    });
    return { ...kept, cobs };
  }
  const isWhole = kind === 'the whole';
  const back = paidBooks(amount, {
    refunded: partOf(one, amount),
    intents: [isWhole ? 'pix refunded' : 'pix paid'],
    receipts: [amount],
    returns: [String(partOf(one, amount))],
    events: [...asked, 'refund.updated', 'invoice.refunded', ...(isWhole ? told.returned : [])],
  });
  return { ...back, cobs };
}

/** A refund by PIX is answered as it was asked, a surplus has none. */
function answersOf({ kind }: Case): Answers {
  const answer = kind === 'a surplus' ? 'paid' : 'refunding';
  return { isHeld: false, repeat: answer, looked: answer, final: answer };
}

/** The charge whose money goes back, of an invoice that is paid once, or twice. */
async function paidCharge({ live }: LiveScene, { kind }: Case, amount: number) {
  const { invoice: invoiceId, intent, txid } = await live.sell(amount);
  live.pay(txid);
  await live.psp.quiet();
  await live.work();
  if (kind !== 'a surplus') return { invoiceId, intent };
  live.pay(txid, { late: true });
  await live.psp.quiet();
  return { invoiceId, intent, txid };
}

async function prepare(scene: LiveScene, one: Case, amount: number): Promise<Prepared> {
  const { stage, live, merchant, key, trouble } = scene;
  const { invoiceId, intent, txid } = await paidCharge(scene, one, amount);
  // The case of its return waits for the process that is to die.
  if (txid !== undefined) await stage.witness.step('pix-settlement', txid);
  const request: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    one.kind === 'a surplus'
      ? fatura.invoices.retrieve(invoiceId)
      : fatura.refunds.create({ payment_intent: intent, amount: partOf(one, amount) }, { idempotencyKey });
  const refund: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.refunds.create({ payment_intent: intent, amount: 300 }, { idempotencyKey });
  const rivals = [refund];
  if (one.place === 'refund.after-asking') return { invoiceId, request, rivals };
  if (one.kind !== 'a surplus') await answerOf(request(merchant, key));
  const [newest] = (await live.fatura.paymentIntents.list().page()).data;
  const id = newest?.id ?? '';
  if (one.place === 'return.after-booking') {
    // Asked for before: it is looked at when the PSP has done with it.
    trouble(...returnings[one.returning]);
    await stage.witness.step('refund-settlement', id);
    await sleep(SETTLED_MS);
  }
  return { invoiceId, request, rivals, strike: (process) => process.step('refund-settlement', id) };
}

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, return of ${one.kind} ${one.returning}, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: returnings[one.returning],
  prepare: (scene) => prepare(scene, one, amount),
  ...(one.returning === 'in process, then not done'
    ? { meanwhile: async ({ live }: LiveScene) => live.psp.settleReturns(live.credentials, 'NAO_REALIZADO') }
    : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(returnings).flatMap((returning) => kinds.map((kind) => ({ place, returning, kind }))),
);

export const returning: Family<LiveCell> = {
  rule: 'an API killed while a PSP gives a payment back returns it once',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
