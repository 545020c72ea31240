import { byCard } from '../../support/cards.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf } from '../cell.ts';
import { openQr, payLate } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** What the bank does when it is to end the QR code. */
const ends = {
  ok: {},
  request_lost: { expirePix: { request_lost: 1 } },
  answer_lost: { expirePix: { answer_lost: 1 } },
  fault: { expirePix: { fault: 1 } },
} as const satisfies Record<string, BankMode>;
type End = keyof typeof ends;

const charges = { ok: {}, decline: { chargeCard: { decline: 1 } } } as const satisfies Record<string, BankMode>;
type Charge = keyof typeof charges;

/** Whether the buyer pays the QR code after the death, which the bank takes whatever became of it. */
const buyers = ['stays away', 'pays late'] as const;
type Buyer = (typeof buyers)[number];

const places = {
  'card.after-tokenize': { at: 'card.after-tokenize' },
  'ending.after-retiring': { at: 'ending.after-retiring' },
  'ending.after-acquirer': { at: 'ending.after-acquirer' },
  'during the expiry': { after: 'ending.after-retiring', duringCall: 'expirePix' },
  'card.after-attempt': { at: 'card.after-attempt' },
  'card.after-charge': { at: 'card.after-charge' },
  'card.after-outcome': { at: 'card.after-outcome' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly end: End;
  readonly charge: Charge;
  readonly buyer: Buyer;
}

/** Whether the process dies with the QR code still in the way of the charge, which the repeat has to end again. */
const isBeforeCharge = (place: Place): boolean =>
  !['card.after-attempt', 'card.after-charge', 'card.after-outcome'].includes(place);

function differs({ place, end, charge, buyer }: Case): boolean {
  // The charge is only sent when the QR code has ended.
  if (!isBeforeCharge(place) && end !== 'ok') return false;
  // Nobody charges: the acquirer has recovered when somebody does, or the PIX has paid, or the call is never made.
  const isCharged = place !== 'card.after-attempt' && end === 'ok' && !(isBeforeCharge(place) && buyer === 'pays late');
  if (!isCharged && charge !== 'ok') return false;
  // A settled invoice ends the matter before the bank is asked to end anything.
  return !(isBeforeCharge(place) && buyer === 'pays late' && end !== 'ok' && place !== 'ending.after-acquirer');
}

type Truth = 'approved' | 'declined' | 'never_charged' | 'not tried';

/** What becomes of the card, once the acquirer has recovered. */
function truthOf({ place, charge, buyer, end }: Case): Truth {
  if (isBeforeCharge(place) && buyer === 'pays late') return 'not tried';
  if (place === 'card.after-attempt') return 'never_charged';
  return charge === 'decline' && end === 'ok' ? 'declined' : 'approved';
}

const finals = {
  approved: 'paid',
  declined: 'CARD_DECLINED issuer_declined',
  never_charged: 'CARD_DECLINED processing_error',
  'not tried': 'INVOICE_NOT_OPEN',
} as const satisfies Record<Truth, string>;

function answersOf(one: Case): Answers {
  const { place, end } = one;
  const truth = truthOf(one);
  const final = finals[truth];
  const isHeld = place === 'card.after-attempt' || place === 'card.after-charge';
  const isWaiting = isBeforeCharge(place) && end !== 'ok' && truth !== 'not tried';
  const unknown = isWaiting ? 'ACQUIRER_UNAVAILABLE' : 'ACQUIRER_TIMEOUT';
  return {
    isHeld,
    repeat: isHeld || isWaiting ? unknown : final,
    looked: place === 'card.after-attempt' || isWaiting ? unknown : final,
    final,
  };
}

function booksOf(one: Case, amount: number): Books {
  const { buyer } = one;
  const truth = truthOf(one);
  const opened = [...told.created, ...told.qrMade];
  if (truth === 'not tried')
    return paidBooks(amount, { intents: ['pix paid'], receipts: [amount], events: [...opened, ...told.paid] });
  const sent = [...opened, ...told.takenOver, ...told.cardSent];
  const charged = truth === 'never_charged' ? [] : [`${truth} ${amount}`];
  const card = { attempts: [truth], charges: charged, receipts: buyer === 'pays late' ? [amount] : [] };
  if (truth === 'approved') return takenOver(amount, { buyer, card, sent });
  const declined = [...sent, ...told.declined];
  if (buyer === 'stays away')
    return openBooks({ ...card, intents: ['pix discarded', 'card failed'], events: declined });
  const settled = [...declined, ...told.takenOver, ...told.qrMade, ...told.paid];
  return paidBooks(amount, { ...card, intents: ['pix discarded', 'card discarded', 'pix paid'], events: settled });
}

/** The card has paid; what came by PIX besides goes back. */
function takenOver(
  amount: number,
  { buyer, card, sent }: { buyer: Buyer; card: Partial<Books>; sent: string[] },
): Books {
  const intents = ['pix discarded', 'card paid'];
  const events = [...sent, ...told.paid];
  if (buyer === 'stays away') return paidBooks(amount, { ...card, intents, events });
  return paidBooks(amount, {
    ...card,
    intents: [...intents, 'pix refunded surplus'],
    returns: [String(amount)],
    events: [...events, ...told.surplus, ...told.returned],
  });
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(ends).flatMap((end) =>
    keysOf(charges).flatMap((charge) => buyers.map((buyer) => ({ place, end, charge, buyer }))),
  ),
);

const cellOf = (one: Case, { amount, card }: Variation): Cell => ({
  name: `${one.place}, expiry ${one.end}, charge ${one.charge}, the buyer ${one.buyer}`,
  death: places[one.place],
  mode: { ...ends[one.end], ...charges[one.charge] },
  prepare: async (scene) => {
    const { invoiceId: id } = await openQr(scene, amount);
    return {
      invoiceId: id,
      request: ({ fatura }, idempotencyKey) => fatura.invoices.checkout(id, byCard(card), { idempotencyKey }),
      rivals: rivalsOf(id),
    };
  },
  ...(one.buyer === 'pays late' ? { meanwhile: payLate } : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

testCells([
  {
    rule: 'an API killed while a card takes over from a QR code keeps one payment',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
