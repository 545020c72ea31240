import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { openBooks, paidBooks, told } from '../books.ts';
import { type Answers, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { rivalsOf } from '../matrix/rivals.ts';
import { decide, openSession } from '../sessions.ts';
import { payFirst } from './buyer.ts';
import { inTurn } from './in-turn.ts';
import type { LiveBooks, LiveCell, LiveDeath, LiveScene, Mischief } from './member.ts';
import { liveAt } from './stage.ts';

/** What the PSP does when it is to remove the QR code. */
const removals = {
  ok: [],
  'request lost': [{ kind: 'request_lost', operation: 'patchCob' }],
  'answer lost': [{ kind: 'answer_lost', operation: 'patchCob' }],
  'never answered': [{ kind: 'hanging', operation: 'patchCob', next: 1 }],
} as const satisfies Record<string, readonly Mischief[]>;
type Removal = keyof typeof removals;

const closings = ['void', 'uncollectible', 'expired', 'expired by the run'] as const;

const buyers = ['stays away', 'pays before the repeat', 'pays at last'] as const;

const places = {
  'ending.after-retiring': { at: 'ending.after-retiring' },
  'while the PSP removes it': { whileAsked: 'patchCob' },
  'ending.after-acquirer': { at: 'ending.after-acquirer' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly removal: Removal;
  /** An invoice that is voided or given up, or a session that its merchant ends, or the run behind its deadline. */
  readonly closing: (typeof closings)[number];
  readonly buyer: (typeof buyers)[number];
}

function differs({ place, removal, closing, buyer }: Case): boolean {
  if ((removal === 'never answered') !== (place === 'while the PSP removes it')) return false;
  // They share all that the process can die of; what is paid in the end tells them apart.
  if (closing === 'uncollectible')
    return removal === 'ok' && buyer === 'pays at last' && place === 'ending.after-acquirer';
  if (closing === 'expired by the run') {
    const then = place === 'ending.after-retiring' ? 'pays before the repeat' : 'pays at last';
    return (removal === 'ok' || removal === 'never answered') && buyer === then;
  }
  if (closing === 'expired') return removal === 'ok' && buyer !== 'stays away' && place === 'ending.after-acquirer';
  // A removal that was made is one, whoever heard of it.
  if (removal === 'answer lost') return buyer === 'pays at last' && place === 'ending.after-retiring';
  return buyer !== 'stays away' || (removal === 'request lost' && place === 'ending.after-retiring');
}

/** Whether the QR code stands at the PSP when the process is dead: then its payment settles, and there is nothing to end. */
const stands = ({ place, removal }: Case): boolean => place === 'ending.after-retiring' || removal === 'request lost';

const isPaidFirst = (one: Case): boolean => one.buyer === 'pays before the repeat' && stands(one);

/** What is paid behind the deadline of a session comes too late for it. */
const isKept = (one: Case): boolean => isPaidFirst(one) && one.closing !== 'expired by the run';

const isSessionOf = ({ closing }: Case): boolean => closing === 'expired' || closing === 'expired by the run';

function answersOf(one: Case): Answers {
  // Nobody has heard of the payment before the PSP is asked to remove what is paid.
  if (isKept(one))
    return { isHeld: false, repeat: 'PAYMENT_IN_PROGRESS', looked: 'INVALID_STATE', final: 'INVALID_STATE' };
  const closed = isSessionOf(one) ? 'expired' : one.closing;
  return { isHeld: false, repeat: closed, looked: closed, final: closed };
}

function booksOf(one: Case, amount: number): LiveBooks {
  const { closing, buyer } = one;
  const isSession = isSessionOf(one);
  const opened = [...told.created, ...(isSession ? told.session : []), ...told.qrMade];
  const receipts = buyer === 'stays away' ? [] : [amount];
  if (isKept(one)) {
    const paid = paidBooks(amount, { intents: ['pix paid'], receipts, events: [...opened, ...told.paid] });
    return { ...paid, cobs: ['CONCLUIDA'] };
  }
  // A removed QR code that is paid all the same stays removed.
  const cobs = [isPaidFirst(one) ? 'CONCLUIDA' : 'REMOVIDA_PELO_USUARIO_RECEBEDOR'];
  if (closing === 'uncollectible') {
    const events = [...opened, ...told.takenOver, 'invoice.marked_uncollectible', ...told.qrMade, ...told.paid];
    return { ...paidBooks(amount, { intents: ['pix discarded', 'pix paid'], receipts, events }), cobs };
  }
  const ended = [...told.voided, ...(isSession ? told.expired : [])];
  const came = isPaidFirst(one) ? [...told.surplus, ...ended] : [...ended, ...told.surplus];
  const closed = {
    invoice: { status: 'void', amount_paid: 0, amount_refunded: 0 },
    sessions: isSession ? ['payment expired'] : [],
  };
  if (buyer === 'stays away')
    return { ...openBooks({ ...closed, intents: ['pix discarded'], events: [...opened, ...ended] }), cobs };
  const back = openBooks({
    ...closed,
    receipts,
    intents: ['pix discarded', 'pix refunded surplus'],
    returns: [String(amount)],
    events: [...opened, ...came, ...told.returned],
  });
  return { ...back, cobs };
}

async function prepareSession(scene: LiveScene, { closing }: Case, amount: number): Promise<Prepared> {
  const { stage, shop } = scene;
  const merchant = closing === 'expired' ? scene.merchant : liveAt(shop, stage.past);
  const session = await openSession({ ...scene, merchant }, { mode: 'payment', amount, buyer: 'a customer' });
  const invoiceId = session.invoice ?? '';
  await merchant.fatura.invoices.checkout(invoiceId, { payment_method_type: 'pix' });
  const rivals = rivalsOf(invoiceId);
  if (closing === 'expired')
    return {
      invoiceId,
      request: ({ fatura }, idempotencyKey) => fatura.checkoutSessions.expire(session.id, { idempotencyKey }),
      rivals,
    };
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

/** What stands to be paid, and what takes it out of payment. */
async function prepare(scene: LiveScene, one: Case, amount: number): Promise<Prepared> {
  if (isSessionOf(one)) return prepareSession(scene, one, amount);
  const { invoice: invoiceId } = await scene.live.sell(amount);
  const close = one.closing === 'void' ? 'void' : 'markUncollectible';
  const request: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.invoices[close](invoiceId, { idempotencyKey });
  return { invoiceId, request, rivals: rivalsOf(invoiceId) };
}

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, ${one.closing}, removal ${one.removal}, the buyer ${one.buyer}, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: removals[one.removal],
  prepare: (scene) => prepare(scene, one, amount),
  ...(one.buyer === 'pays before the repeat' ? { meanwhile: payFirst } : {}),
  ...(one.buyer === 'pays at last' ? { finish: payFirst } : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(removals).flatMap((removal) =>
    closings.flatMap((closing) => buyers.map((buyer) => ({ place, removal, closing, buyer }))),
  ),
);

export const ending: Family<LiveCell> = {
  rule: 'an API killed while a QR code of a PSP is taken out of payment keeps no receipt of it',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
