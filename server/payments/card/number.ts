import luhn10 from 'card-validator/dist/luhn-10.js';
import creditCardType from 'credit-card-type';
import type { CardBrand } from '../../../contract/payment-methods.ts';

/** The brands that are charged, by their names in the library. */
const charged: Readonly<Record<string, CardBrand>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  'american-express': 'amex',
  elo: 'elo',
  hipercard: 'hipercard',
};

// 650923 lies in a range of Elo and in one of Troy, equally exact: of equals the library answers the first.
creditCardType.changeOrder('elo', 0);

/** Fewest digits of a card of any brand (Maestro). */
const DIGITS_MIN = 12;

const either = new Intl.ListFormat('en', { type: 'disjunction' });

/** Far more characters than a number has with its spaces and hyphens. What else a longer text is would only cost time. */
const WRITTEN_MAX = 100;

/** The number of a card without the spaces and hyphens it was written with. */
export const cardDigits = (number: string): string => number.replace(/[ -]/g, '');

type CardType = ReturnType<typeof creditCardType>[number];

/** Of the ranges that hold a number the library answers the most exact; of a fragment, all that it may grow into. */
function typeOf(digits: string): CardType | null {
  const [found, ...others] = creditCardType(digits);
  return found === undefined || others.length > 0 ? null : found;
}

/** The brand of a card number, without spaces and hyphens; null for one that is not charged. */
export const brandOfCard = (digits: string): CardBrand | null => charged[typeOf(digits)?.type ?? ''] ?? null;

function problemOfNumber(digits: string): string | null {
  if (digits.length < DIGITS_MIN) return `must have at least ${DIGITS_MIN} digits, has ${digits.length}`;
  const brand = brandOfCard(digits);
  const lengths = brand === null ? [] : (typeOf(digits)?.lengths ?? []);
  if (brand !== null && !lengths.includes(digits.length)) {
    return `must have ${either.format(lengths.map(String))} digits as a number of ${brand}, has ${digits.length}`;
  }
  return luhn10(digits) ? null : 'is not the number of a card: its check digit differs';
}

/** Digits with nothing between them but blanks and hyphens. */
const RUN = /\d(?:[\s\p{Pd}]*\d){12,}/gu;
const SHORTEST = 13;
const LONGEST = 19;

const isCardNumber = (digits: string): boolean =>
  digits.length >= SHORTEST && luhn10(digits) && brandOfCard(digits) !== null && problemOfNumber(digits) === null;

/** Whether a card's number stands among groups of digits: in one of them, or in several that follow each other. */
const numberAmong = (groups: readonly string[]): boolean =>
  groups.some((_, from) => {
    let digits = '';
    for (let at = from; at < groups.length && digits.length <= LONGEST; at += 1) {
      digits += groups[at] ?? '';
      if (digits.length <= LONGEST && isCardNumber(digits)) return true;
    }
    return false;
  });

/** Whether a text holds the number of a card of a brand that is charged, however it is grouped (docs/product/cards.md#where-no-card-belongs). */
export const holdsCardNumber = (text: string): boolean =>
  (text.match(RUN) ?? []).some((run) => numberAmong(run.match(/\d+/g) ?? []));

const problemOfFreeText = (text: string): string | null =>
  holdsCardNumber(text) ? 'must not hold the number of a card' : null;

function problemOfCvc(cvc: string, digits: string): string | null {
  const brand = brandOfCard(digits);
  const length = typeOf(digits)?.code.size;
  if (brand === null || length === cvc.length) return null;
  return `must have ${length} digits on a card of ${brand}`;
}

/**
 * The forms of text in a card, for the validation of requests; what they say never repeats the number or the CVC.
 * A number of a brand that is not charged passes here: it is refused as `CARD_BRAND_NOT_SUPPORTED`, which is no fault of form.
 */
export const cardForms = {
  free_text: problemOfFreeText,
  free_object: problemOfFreeText,
  card_number: (number: string): string | null => {
    const written = number.trim();
    if (written.length > WRITTEN_MAX) return `must have at most ${WRITTEN_MAX} characters, has ${written.length}`;
    return problemOfNumber(cardDigits(written));
  },
  card_cvc: (cvc: string, card: Readonly<Record<string, unknown>>): string | null => {
    const written = typeof card.number === 'string' ? card.number.trim() : '';
    return written === '' || written.length > WRITTEN_MAX ? null : problemOfCvc(cvc.trim(), cardDigits(written));
  },
};
