import { byCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { type Books, paidBooks, told } from '../books.ts';
import { type Answers, type Cell, type Death, keysOf, type Request, type Scene } from '../cell.ts';
import type { Variation } from '../seeds.ts';
import type { BankMode } from '../stage.ts';
import { testCells } from './matrix.ts';

/** What the acquirer does with a refund. */
const refundings = {
  ok: {},
  refuse: { refundCard: { refuse: 1 } },
  request_lost: { refundCard: { request_lost: 1 } },
  answer_lost: { refundCard: { answer_lost: 1 } },
  fault: { refundCard: { fault: 1 } },
} as const satisfies Record<string, BankMode>;
type Refunding = keyof typeof refundings;

/** What it says when it is asked about one. */
const findings = {
  told: {},
  silent: { findRefund: { fault: 1 } },
  'not found at first': { findRefund: { not_found_seconds: 3_600 } },
} as const satisfies Record<string, BankMode>;
type Finding = keyof typeof findings;

const shares = ['a part', 'the whole'] as const;

const places = {
  'refund.after-asking': { at: 'refund.after-asking' },
  'while the acquirer is asked': { after: 'refund.after-asking', duringCall: 'refundCard' },
  'refund.after-acquirer': { at: 'refund.after-acquirer' },
  'refund.after-booking': { at: 'refund.after-booking' },
} as const satisfies Record<string, Death>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly refunding: Refunding;
  readonly finding: Finding;
  readonly share: (typeof shares)[number];
}

/** Whether the process dies before the acquirer hears of the refund. */
const isBeforeAsking = (place: Place): boolean =>
  place === 'refund.after-asking' || place === 'while the acquirer is asked';

const isKnown = (refunding: Refunding): boolean => refunding === 'ok' || refunding === 'refuse';

function differs({ place, refunding, finding, share }: Case): boolean {
  // How much it is bears on the end alone.
  if (share === 'the whole' && (refunding !== 'ok' || finding !== 'told')) return false;
  // It dies before the acquirer does anything, as at refund.after-asking.
  if (place === 'while the acquirer is asked' && (refunding !== 'ok' || finding !== 'told')) return false;
  // What the process heard dies with it: a lost answer is the same as one that came.
  if (place === 'refund.after-acquirer' && (refunding === 'answer_lost' || refunding === 'fault')) return false;
  // Nobody asks about a refund whose end is booked.
  if (place === 'refund.after-booking' && isKnown(refunding)) return finding === 'told';
  // The case asks nothing of an acquirer that is silent to it.
  if (isBeforeAsking(place) && finding === 'silent') return refunding === 'ok';
  // What the acquirer does not have it cannot hide.
  const isAtBank = !isBeforeAsking(place) && refunding !== 'request_lost';
  return finding !== 'not found at first' || isAtBank;
}

/** Whether the acquirer refuses in the end: asked once by the process, or by the case while it still refuses. */
const isRefused = ({ place, refunding, finding }: Case): boolean =>
  refunding === 'refuse' && !(isBeforeAsking(place) && finding === 'silent');

function answersOf(one: Case): Answers {
  const { place, refunding, finding } = one;
  const final = isRefused(one) ? 'REFUND_REFUSED' : 'refunded';
  const isBooked = place === 'refund.after-booking' && isKnown(refunding);
  // A case that does not find the refund asks for it under its reference, and is told then what came of it.
  const isAskedWell = finding === 'not found at first' ? isKnown(refunding) : true;
  const isUntold = finding === 'silent' || !isAskedWell || (!isKnown(refunding) && isCallNeeded(one));
  return {
    isHeld: !(isBooked && refunding === 'ok'),
    repeat: isBooked ? final : 'ACQUIRER_TIMEOUT',
    looked: !isBooked && isUntold ? 'ACQUIRER_TIMEOUT' : final,
    final,
  };
}

/** Whether the case finds nothing at the acquirer and asks it, which meets the same trouble. */
const isCallNeeded = ({ place, refunding }: Case): boolean => isBeforeAsking(place) || refunding === 'request_lost';

const partOf = ({ share }: Case, amount: number): number => (share === 'the whole' ? amount : 700);

function booksOf(one: Case, amount: number): Books {
  const refunded = isRefused(one) ? 0 : partOf(one, amount);
  const isWhole = refunded === amount;
  const ended = isRefused(one)
    ? ['payment_intent.refund_failed']
    : ['refund.updated', 'invoice.refunded', ...(isWhole ? ['payment_intent.refunded'] : [])];
  return paidBooks(amount, {
    refunded,
    intents: [isWhole ? 'card refunded' : 'card paid'],
    attempts: ['approved'],
    charges: [`approved ${amount}`],
    returns: [isRefused(one) ? `${partOf(one, amount)} refused` : String(refunded)],
    events: [...told.created, ...told.cardSent, ...told.paid, 'refund.created', ...ended],
  });
}

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(refundings).flatMap((refunding) =>
    keysOf(findings).flatMap((finding) => shares.map((share) => ({ place, refunding, finding, share }))),
  ),
);

async function paidByCard({ merchant }: Scene, { amount, card }: Variation): Promise<{ id: string; intent: string }> {
  const { id } = await newInvoice(merchant, { amount });
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(id, byCard(card));
  return { id, intent: intent ?? '' };
}

const cellOf = (one: Case, variation: Variation): Cell => ({
  name: `${one.place}, refund ${one.refunding}, asked: ${one.finding}, of ${one.share}`,
  death: places[one.place],
  mode: { ...refundings[one.refunding], ...findings[one.finding] },
  prepare: async (scene) => {
    const { id, intent } = await paidByCard(scene, variation);
    const refund =
      (amount: number): Request =>
      ({ fatura }, idempotencyKey) =>
        fatura.refunds.create({ payment_intent: intent, amount }, { idempotencyKey });
    const request = refund(partOf(one, variation.amount));
    return { invoiceId: id, request, rivals: [refund(300), refund(variation.amount)] };
  },
  answers: answersOf(one),
  books: booksOf(one, variation.amount),
});

testCells([
  {
    rule: 'an API killed while it refunds a card returns the money once or not at all',
    cells: (variation) => cases.filter(differs).map((one) => cellOf(one, variation)),
  },
]);
