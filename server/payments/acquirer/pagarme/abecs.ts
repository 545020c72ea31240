import type { CardToken, Decline } from '../port.ts';

type Meaning = Pick<Decline, 'reason' | 'isReversible'>;

const reversible = (reason: Decline['reason']): Meaning => ({ reason, isReversible: true });
const final = (reason: Decline['reason']): Meaning => ({ reason, isReversible: false });

/** Codes that mean the same at Visa, Mastercard, Elo and Hipercard (ABECS, Normativo 21). */
const common: Readonly<Record<string, Meaning>> = {
  '03': final('processing_error'),
  '05': reversible('issuer_declined'),
  '06': reversible('processing_error'),
  '07': final('suspected_fraud'),
  '12': final('invalid_card_data'),
  '13': final('issuer_declined'),
  '14': final('invalid_card_data'),
  '15': final('invalid_card_data'),
  '19': reversible('processing_error'),
  '23': final('issuer_declined'),
  '30': final('processing_error'),
  '39': final('issuer_declined'),
  '41': final('issuer_declined'),
  '43': final('issuer_declined'),
  '46': final('issuer_declined'),
  '51': reversible('insufficient_funds'),
  '52': final('issuer_declined'),
  '53': final('issuer_declined'),
  '54': final('expired_card'),
  '55': reversible('issuer_declined'),
  '56': final('invalid_card_data'),
  '57': final('issuer_declined'),
  '58': final('issuer_declined'),
  '59': reversible('suspected_fraud'),
  '61': reversible('insufficient_funds'),
  '62': reversible('issuer_declined'),
  '63': final('invalid_card_data'),
  '64': final('issuer_declined'),
  '65': reversible('insufficient_funds'),
  '75': reversible('issuer_declined'),
  '76': final('invalid_card_data'),
  '77': final('invalid_card_data'),
  '78': reversible('issuer_declined'),
  '91': reversible('processing_error'),
  '92': final('processing_error'),
  '93': final('issuer_declined'),
  '96': reversible('processing_error'),
};

/** Where a brand says something else. */
const byBrand: Readonly<Partial<Record<CardToken['brand'], Readonly<Record<string, Meaning>>>>> = {
  visa: {
    '04': final('issuer_declined'),
    '82': final('invalid_card_data'),
    '5C': final('issuer_declined'),
    '9G': final('issuer_declined'),
    N7: final('invalid_card_data'),
    R0: final('issuer_declined'),
    R1: final('issuer_declined'),
    R2: final('issuer_declined'),
    R3: final('issuer_declined'),
  },
  mastercard: {
    '04': final('issuer_declined'),
    '63': final('suspected_fraud'),
    '79': final('issuer_declined'),
    '82': final('issuer_declined'),
    '83': final('suspected_fraud'),
  },
  elo: { '04': reversible('issuer_declined'), '19': final('processing_error') },
  amex: {
    '100': reversible('issuer_declined'),
    '101': final('expired_card'),
    '106': reversible('issuer_declined'),
    '109': final('issuer_declined'),
    '110': final('issuer_declined'),
    '111': final('invalid_card_data'),
    '115': final('issuer_declined'),
    '116': reversible('insufficient_funds'),
    '117': reversible('issuer_declined'),
    '119': final('issuer_declined'),
    '121': reversible('insufficient_funds'),
    '122': final('invalid_card_data'),
    '125': final('invalid_card_data'),
    '181': final('processing_error'),
    '189': final('issuer_declined'),
    '200': final('suspected_fraud'),
    '911': reversible('processing_error'),
    '912': reversible('processing_error'),
  },
};

/** A code that nobody here knows: the issuer may decide otherwise, and the schedule ends by itself. */
const UNKNOWN = reversible('issuer_declined');

/** What the code of an issuer's refusal means on a card of a brand; null: no code came. */
export function meaningOf(brand: CardToken['brand'] | null, code: string | null): Meaning {
  if (code === null) return reversible('processing_error');
  // Codes come with and without the zeros before them.
  const written = code
    .trim()
    .toUpperCase()
    .replace(/^0+(?=..)/, '')
    .padStart(2, '0');
  const own = brand === null ? undefined : byBrand[brand]?.[written];
  return own ?? (brand === 'amex' ? undefined : common[written]) ?? UNKNOWN;
}
