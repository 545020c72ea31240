import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { paidBooks, told } from '../books.ts';
import { answerOf, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { inTurn } from './in-turn.ts';
import type { LiveBooks, LiveCell, LiveDeath, LiveScene, Mischief } from './member.ts';

const TAKEN_AMOUNT = 700;
const REFUNDED_AMOUNT = 300;

/** How much the PSP takes of a payment that is being refunded; beyond the rest, there is nothing to refund. */
const shares = ['a part', 'the whole'] as const;
/** Whether the PSP tells of it. */
const tellings = ['told', 'untold'] as const;

const places = {
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.after-returns': { at: 'settlement.after-returns' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
  'return.after-asking': { at: 'return.after-asking' },
  'while the PSP is asked to refund': { whileAsked: 'putReturn' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly share: (typeof shares)[number];
  readonly telling: (typeof tellings)[number];
}

const isRefunding = (place: Place): boolean =>
  place === 'return.after-asking' || place === 'while the PSP is asked to refund';

function differs({ place, telling, share }: Case): boolean {
  // The sweep finds what nobody is told of; whoever asks about the payment needs no telling.
  if (telling === 'untold') return isRefunding(place) && share === 'a part';
  return share === 'a part' || place === 'return.after-asking' || place === 'settlement.after-returns';
}

const TAKEN = ['dispute.created', 'dispute.funds_withdrawn', 'dispute.closed'];
const REFUNDED = ['refund.updated', 'invoice.refunded'];

function booksOf({ share }: Case, amount: number): LiveBooks {
  const asked = [...told.created, ...told.qrMade, ...told.paid, 'refund.created', 'payment_intent.refunding'];
  const sold = { intents: ['pix paid'], receipts: [amount] };
  const cobs = ['CONCLUIDA'];
  if (share === 'the whole') {
    const lost = paidBooks(amount, {
      ...sold,
      returns: [String(amount)],
      disputes: [`fraud lost ${amount}`],
      events: [...asked, ...TAKEN, 'payment_intent.refund_failed'],
    });
    return { ...lost, cobs };
  }
  const back = paidBooks(amount, {
    ...sold,
    refunded: REFUNDED_AMOUNT,
    returns: [String(TAKEN_AMOUNT), String(REFUNDED_AMOUNT)],
    disputes: [`fraud lost ${TAKEN_AMOUNT}`],
    events: [...asked, ...TAKEN, ...REFUNDED],
  });
  return { ...back, cobs };
}

/** The PSP takes money back while a refund of it is asked for and nobody has begun to make it. */
async function prepare(scene: LiveScene, { place, share, telling }: Case, amount: number): Promise<Prepared> {
  const { live, merchant, key, trouble } = scene;
  const { invoice: invoiceId, intent, txid } = await live.sell(amount);
  const endToEndId = live.pay(txid);
  await live.rest();
  const refund: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.refunds.create({ payment_intent: intent, amount: REFUNDED_AMOUNT }, { idempotencyKey });
  await answerOf(refund(merchant, key));
  const taken = share === 'a part' ? TAKEN_AMOUNT : amount;
  if (telling === 'untold') trouble({ kind: 'callback_none' });
  live.psp.bankReturn(live.credentials, endToEndId, { amount: taken, nature: 'MED_FRAUDE' });
  await live.psp.quiet();
  const strike: Prepared['strike'] = (process) =>
    isRefunding(place) ? process.step('refund-settlement', intent) : process.step('pix-settlement', txid);
  return { invoiceId, request: refund, strike, rivals: [refund] };
}

const AT_PSP: readonly Mischief[] = [{ kind: 'hanging', operation: 'putReturn', next: 1 }];

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, the bank takes ${one.share}, ${one.telling}, beside a refund, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: 'whileAsked' in places[one.place] ? AT_PSP : [],
  prepare: (scene) => prepare(scene, one, amount),
  // A refund by PIX is answered as it was asked.
  answers: { isHeld: false, repeat: 'refunding', looked: 'refunding', final: 'refunding' },
  books: booksOf(one, amount),
  order: 'any',
});

const cases: Case[] = keysOf(places).flatMap((place) =>
  shares.flatMap((share) => tellings.map((telling) => ({ place, share, telling }))),
);

export const disputing: Family<LiveCell> = {
  rule: 'an API killed while a bank takes money back that is being refunded books each return once',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
