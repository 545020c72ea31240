import fc from 'fast-check';
import { byCard, cards } from '../../support/cards.ts';
import type { Books } from '../books.ts';
import { clearing, meets, OK, type Outcome, refused, standingQr, type Weather, whyNotChargeable } from '../model.ts';
import { standingOf } from '../standing.ts';
import { NOTICE_STEPS, often, type Plan, request } from './deed.ts';

const approved = ['approved', 'mastercard', 'elo'] as const;
const declined = [
  'issuer_declined',
  'insufficient_funds',
  'expired_card',
  'invalid_card_data',
  'suspected_fraud',
  'processing_error',
] as const;
export type Card = (typeof approved)[number] | (typeof declined)[number] | 'answer_lost';

const isDeclined = (card: Card): boolean => declined.some((name) => name === card);

/** The charge of a card, with no QR code in its way. */
function charged(books: Books, card: Card, weather: Weather): Outcome[] {
  const before = standingOf(books);
  const sent = { ...before, unsettled: 'processing', charges: before.charges + 1 } as const;
  const unknown = { code: 'ACQUIRER_TIMEOUT', standing: sent };
  if (card === 'answer_lost') return [unknown];
  const known: Outcome = isDeclined(card)
    ? { code: `CARD_DECLINED ${card}`, standing: { ...sent, unsettled: 'failed' } }
    : { code: OK, standing: { ...sent, unsettled: 'none', invoice: 'paid', settledBy: 'card' } };
  return meets(weather, 'chargeCard') ? [known, unknown] : [known];
}

function cardOutcomes(books: Books, card: Card, weather: Weather): Outcome[] {
  const why = whyNotChargeable(books);
  if (why !== null) return refused(books, why);
  const silent = { code: 'ACQUIRER_UNAVAILABLE', standing: standingOf(books) };
  const untaken = meets(weather, 'tokenizeCard') ? [silent] : [];
  const qr = standingQr(books);
  if (qr === null) return [...charged(books, card, weather), ...untaken];
  const bank = clearing(books, qr, { weather, asks: 'expirePix', paid: 'PIX_PAYMENT_CONFIRMED', silent });
  return [...(bank.goesOn ? charged(books, card, weather) : []), ...bank.ends, ...untaken];
}

export const payByCard = ({ card, installments }: { card: Card; installments: number }): Plan => ({
  label: installments === 1 ? `card ${card}` : `card ${card} in ${installments}`,
  calls: often(3, ['chargeCard'], ['expirePix', 'findPix', 'tokenizeCard']),
  steps: often(
    2,
    ['card.after-attempt', 'card.after-charge', 'ending.after-retiring', 'ending.after-acquirer'],
    ['card.after-tokenize', 'card.after-outcome', ...NOTICE_STEPS],
  ),
  pin: ({ invoice: { id } }) => ({
    label: `card ${card}`,
    kind: 'card',
    perform: (site, key) =>
      request(site, () =>
        site.client(key).invoices.checkout(id, byCard(cards[card], { installments }), { idempotencyKey: key }),
      ),
    outcomes: (books, weather) => cardOutcomes(books, card, weather),
  }),
});

const anyCard = fc.oneof(
  { arbitrary: fc.constantFrom<Card[]>(...approved), weight: 4 },
  { arbitrary: fc.constantFrom<Card[]>(...declined), weight: 2 },
  { arbitrary: fc.constant<Card>('answer_lost'), weight: 2 },
);

export const cardPlans: fc.Arbitrary<Plan> = fc
  .record({ card: anyCard, installments: fc.constantFrom(1, 1, 2) })
  .map(payByCard);

/** The QR code that stands is handed out again, or its making is finished, or there is a new charge (docs/product/pix.md#checkout-by-pix). */
function createdQr(books: Books, { isCleared, weather }: { isCleared: boolean; weather: Weather }): Outcome[] {
  const before = standingOf(books);
  const qr = isCleared ? null : standingQr(books);
  if (qr?.state === 'active') return [{ code: OK, standing: before, isUntouched: true }];
  const standing = qr === null ? ({ ...before, unsettled: 'pending', charges: before.charges + 1 } as const) : before;
  const troubled = ['ACQUIRER_UNAVAILABLE', 'ACQUIRER_TIMEOUT'].map((code) => ({ code, standing }));
  return [{ code: OK, standing }, ...(meets(weather, 'createPix') ? troubled : [])];
}

function pixOutcomes(books: Books, weather: Weather): Outcome[] {
  const why = whyNotChargeable(books);
  if (why === 'INVOICE_NOT_OPEN') return refused(books, why);
  const qr = standingQr(books);
  const isDoubtful = qr !== null && (qr.state === 'retiring' || qr.expiresAt <= books.now);
  if (qr === null || !isDoubtful || qr.confirmedAt !== null)
    return why === null ? createdQr(books, { isCleared: false, weather }) : refused(books, why);
  const asks = qr.state === 'retiring' ? 'expirePix' : 'findPix';
  const silent = { code: 'ACQUIRER_UNAVAILABLE', standing: standingOf(books) };
  const bank = clearing(books, qr, { weather, asks, paid: 'PIX_PAYMENT_CONFIRMED', silent });
  if (!bank.goesOn) return bank.ends;
  // Another QR code of the invoice, paid and not settled, stands in the way all the same.
  const after =
    why === null ? createdQr(books, { isCleared: true, weather }) : [{ code: why, standing: silent.standing }];
  return [...after, ...bank.ends];
}

export const payByPix: Plan = {
  label: 'pix',
  calls: ['createPix', 'expirePix', 'findPix'],
  steps: often(2, ['pix.after-intent', 'pix.after-acquirer'], NOTICE_STEPS),
  pin: ({ invoice: { id } }) => ({
    label: 'pix',
    kind: 'pix',
    perform: (site, key) =>
      request(site, () =>
        site.client(key).invoices.checkout(id, { payment_method_type: 'pix' }, { idempotencyKey: key }),
      ),
    outcomes: pixOutcomes,
  }),
};

export const pixPlans: fc.Arbitrary<Plan> = fc.constant(payByPix);
