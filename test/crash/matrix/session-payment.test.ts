import type { CheckoutSession } from '@fatura/sdk';
import { expect } from 'vitest';
import { cards } from '../../support/cards.ts';
import { type Books, openBooks, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Prepared, type Scene } from '../cell.ts';
import { payInTime, payLate } from '../pix.ts';
import type { Variation } from '../seeds.ts';
import { askPage, decide, openSession, pageCard, passDeadline } from '../sessions.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';
import { rivalsOf } from './rivals.ts';

/** The session that a scene sells by. */
async function soldIn({ merchant }: Scene): Promise<CheckoutSession> {
  const [session] = (await merchant.fatura.checkoutSessions.list().page()).data;
  if (session === undefined) throw new Error('nothing is sold');
  return session;
}

const asksPage = async (
  scene: Scene,
  amount: number,
  asked: { action: string; body?: object; isKeyed: boolean },
): Promise<Prepared> => {
  const session = await openSession(scene, { mode: 'payment', amount, buyer: 'a customer' });
  const { isKeyed, ...rest } = asked;
  const close: Prepared['request'] = ({ fatura }, idempotencyKey) =>
    fatura.checkoutSessions.expire(session.id, { idempotencyKey });
  return {
    invoiceId: session.invoice ?? '',
    request: (merchant, key) => askPage(merchant, session, isKeyed ? { ...rest, key } : rest),
    rivals: [...rivalsOf(session.invoice ?? '').slice(0, 2), close],
  };
};

const closedByHand = async (scene: Scene): Promise<void> => {
  const { id } = await soldIn(scene);
  await scene.merchant.fatura.checkoutSessions.expire(id);
};

/** The run comes again and again. */
async function decideAll(scene: Scene): Promise<void> {
  const session = await soldIn(scene);
  await decide(scene, session);
  expect(await decide(scene, session)).toBe('not_due');
}

const begun = [...told.created, ...told.session];

// By PIX

/** How the sale ends whose QR code is handed out in the end. */
const ends = {
  'is paid': payInTime,
  'is closed by hand and paid late': async (scene: Scene) => {
    await closedByHand(scene);
    await payLate(scene);
  },
  'comes to its deadline and is paid late': async (scene: Scene) => {
    await passDeadline(scene);
    await decideAll(scene);
    await payLate(scene);
  },
} as const;
type End = keyof typeof ends;

const makings = {
  ok: {},
  answer_lost: { createPix: { answer_lost: 1 } },
} as const satisfies Record<string, BankMode>;

const qrPlaces = {
  'pix.after-intent': { at: 'pix.after-intent' },
  'pix.after-acquirer': { at: 'pix.after-acquirer' },
  'during the making': { after: 'pix.after-intent', duringCall: 'createPix' },
} as const satisfies Record<string, Death>;

interface Qr {
  readonly place: keyof typeof qrPlaces;
  readonly making: keyof typeof makings;
  readonly end: End;
}

/** It dies before the bank does anything, as at pix.after-intent. */
const qrDiffers = ({ place, making }: Qr): boolean => place !== 'during the making' || making === 'ok';

const qrs: Qr[] = keysOf(qrPlaces).flatMap((place) =>
  keysOf(makings).flatMap((making) => keysOf(ends).map((end) => ({ place, making, end }))),
);

function qrBooks({ end }: Qr, amount: number): Books {
  const events = [...begun, ...told.qrMade];
  if (end === 'is paid')
    return paidBooks(amount, {
      sessions: ['payment complete'],
      intents: ['pix paid'],
      receipts: [amount],
      events: [...events, ...told.paid, ...told.completed],
    });
  return openBooks({
    invoice: { status: 'void', amount_paid: 0, amount_refunded: 0 },
    sessions: ['payment expired'],
    intents: ['pix discarded', 'pix refunded surplus'],
    receipts: [amount],
    returns: [String(amount)],
    events: [...events, ...told.voided, ...told.expired, ...told.surplus, ...told.returned],
  });
}

const qrCell = (one: Qr, { amount }: Variation): Cell => {
  const answer = one.making === 'ok' ? 'qr' : 'ACQUIRER_TIMEOUT';
  return {
    name: `${one.place}, making ${one.making}, which ${one.end}`,
    death: qrPlaces[one.place],
    mode: makings[one.making],
    prepare: (scene) => asksPage(scene, amount, { action: 'pix', isKeyed: false }),
    finish: ends[one.end],
    answers: { isHeld: false, repeat: answer, looked: answer, final: 'qr' },
    books: qrBooks(one, amount),
  };
};

// By card

const charges = {
  ok: {},
  decline: { chargeCard: { decline: 1 } },
  answer_lost: { chargeCard: { answer_lost: 1 } },
} as const satisfies Record<string, BankMode>;
type Charge = keyof typeof charges;

const cardPlaces = {
  'card.after-tokenize': { at: 'card.after-tokenize' },
  'card.after-attempt': { at: 'card.after-attempt' },
  'card.after-charge': { at: 'card.after-charge' },
  'card.after-outcome': { at: 'card.after-outcome' },
} as const satisfies Record<string, Death>;

interface Card {
  readonly place: keyof typeof cardPlaces;
  readonly charge: Charge;
  /** Whether the deadline passes, and the run comes, before the buyer's page repeats what it asked for. */
  readonly isLate: boolean;
}

const cardsOfBuyers: Card[] = keysOf(cardPlaces).flatMap((place) =>
  keysOf(charges).flatMap((charge) => [false, true].map((isLate) => ({ place, charge, isLate }))),
);

function cardDiffers({ place, charge, isLate }: Card): boolean {
  // The acquirer never gets to what it would have done.
  if (place === 'card.after-attempt') return charge === 'ok';
  // The repeat alone would charge, and comes too late.
  if (place === 'card.after-tokenize' && isLate) return charge === 'ok';
  // What the process heard dies with it, and it never hears this.
  return charge !== 'answer_lost' || place === 'card.after-tokenize';
}

type Truth = 'approved' | 'declined' | 'never_charged' | 'not tried';

function truthOf({ place, charge, isLate }: Card): Truth {
  if (place === 'card.after-tokenize' && isLate) return 'not tried';
  if (place === 'card.after-attempt') return 'never_charged';
  return charge === 'decline' ? 'declined' : 'approved';
}

const finals = {
  approved: 'paid',
  declined: 'CARD_DECLINED issuer_declined',
  never_charged: 'CARD_DECLINED processing_error',
  'not tried': 'SESSION_NOT_OPEN',
} as const satisfies Record<Truth, string>;

function cardAnswers(one: Card): Answers {
  const { place, charge } = one;
  const final = finals[truthOf(one)];
  const isHeld = place === 'card.after-attempt' || place === 'card.after-charge';
  const isUnknown = isHeld || charge === 'answer_lost';
  return {
    isHeld,
    repeat: isUnknown ? 'ACQUIRER_TIMEOUT' : final,
    looked: place === 'card.after-attempt' ? 'ACQUIRER_TIMEOUT' : final,
    final,
  };
}

function cardBooks(one: Card, amount: number): Books {
  const truth = truthOf(one);
  if (truth === 'approved')
    return paidBooks(amount, {
      sessions: ['payment complete'],
      intents: ['card paid'],
      attempts: [truth],
      charges: [`${truth} ${amount}`],
      events: [...begun, ...told.cardSent, ...told.paid, ...told.completed],
    });
  const voided = { status: 'void', amount_paid: 0, amount_refunded: 0 };
  if (truth === 'not tried')
    return openBooks({
      invoice: voided,
      sessions: ['payment expired'],
      events: [...begun, 'invoice.voided', ...told.expired],
    });
  const declined = [...begun, ...told.cardSent, ...told.declined];
  const tried = { attempts: [truth], charges: truth === 'declined' ? [`${truth} ${amount}`] : [] };
  if (!one.isLate)
    return openBooks({ ...tried, sessions: ['payment open'], intents: ['card failed'], events: declined });
  return openBooks({
    ...tried,
    invoice: voided,
    sessions: ['payment expired'],
    intents: ['card discarded'],
    events: [...declined, ...told.voided, ...told.expired],
  });
}

const cardCell = (one: Card, { amount }: Variation): Cell => ({
  name: `${one.place}, charge ${one.charge}${one.isLate ? ', and the deadline passes' : ''}`,
  death: cardPlaces[one.place],
  mode: charges[one.charge],
  prepare: (scene) => asksPage(scene, amount, { action: 'card', body: pageCard(cards.approved), isKeyed: true }),
  ...(one.isLate
    ? {
        meanwhile: async (scene: Scene) => {
          await passDeadline(scene);
          await decide(scene, await soldIn(scene));
        },
        finish: decideAll,
      }
    : {}),
  answers: cardAnswers(one),
  books: cardBooks(one, amount),
});

testCells([
  {
    rule: 'an API killed while the page of a session makes a QR code hands out one, and keeps nothing of an expired session',
    cells: (variation) => qrs.filter(qrDiffers).map((one) => qrCell(one, variation)),
  },
  {
    rule: 'an API killed while the page of a session charges a card charges once or not at all, and the session ends by that',
    cells: (variation) => cardsOfBuyers.filter(cardDiffers).map((one) => cardCell(one, variation)),
  },
]);
