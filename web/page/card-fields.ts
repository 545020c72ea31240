import { Mask } from 'maska';
import { POSTAL_CODE, STATE, seenOf } from '../../contract/forms.ts';
import type { CardBrand } from '../../contract/payment-methods.ts';
import { normalizeTaxId } from '../../server/customers/tax-id.ts';
import { brandOfCard, cardDigits, cardForms } from '../../server/payments/card/number.ts';
import type { Texts } from './texts/pt.ts';

type Words = Texts['card']['errors'];

/** The fields of the form as they are typed. */
export interface CardValues {
  readonly number: string;
  readonly name: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly document: string;
  /** `OWN`: the holder is the buyer, whose CPF the service knows. */
  readonly ownsDocument: string;
  readonly installments: string;
  readonly street: string;
  readonly streetNumber: string;
  readonly complement: string;
  readonly neighborhood: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
}

export type CardField = keyof CardValues;
export type CardErrors = Partial<Record<CardField, string>>;

export const NO_VALUES: CardValues = {
  number: '',
  name: '',
  expiry: '',
  cvc: '',
  document: '',
  ownsDocument: '',
  installments: '1',
  street: '',
  streetNumber: '',
  complement: '',
  neighborhood: '',
  city: '',
  state: '',
  postalCode: '',
};

export const OWN = 'own';

/** Who pays mostly holds the card: what was said before is not asked for again. */
export function valuesFor(
  buyer: { readonly name: string; readonly identifier: string } | null,
  ownDocument: string | null,
): CardValues {
  if (ownDocument !== null) return { ...NO_VALUES, name: buyer?.name ?? '', ownsDocument: OWN };
  if (buyer === null) return NO_VALUES;
  const reading = normalizeTaxId(buyer.identifier);
  const isCpf = 'kind' in reading && reading.kind === 'cpf';
  return { ...NO_VALUES, name: buyer.name, document: isCpf ? masked('document', buyer.identifier) : '' };
}

const groupsOf4 = new Mask({ mask: '#### #### #### #### ###' });
const ofAmex = new Mask({ mask: '#### ###### #####' });
const masks: Partial<Record<CardField, Mask>> = {
  expiry: new Mask({ mask: '##/##' }),
  cvc: new Mask({ mask: '####' }),
  document: new Mask({ mask: '###.###.###-##' }),
  postalCode: new Mask({ mask: '#####-###' }),
  state: new Mask({ mask: 'AA', tokens: { A: { pattern: /[a-z]/i, transform: (letter) => letter.toUpperCase() } } }),
};

/** The brand of a number as far as it is typed; null while it may be of several. */
export const brandOf = (number: string): CardBrand | null => brandOfCard(cardDigits(number));

const maskOf = (field: CardField, text: string): Mask | undefined => {
  if (field !== 'number') return masks[field];
  return brandOf(text) === 'amex' ? ofAmex : groupsOf4;
};

/** Browsers that fill a form in may write the year in full. */
const shortYear = (text: string): string => text.replace(/^(\d{2})\s*\/?\s*20(\d{2})$/, '$1/$2');

/** A text in the form of its field, whatever it was typed or pasted with. */
export function masked(field: CardField, text: string): string {
  const mask = maskOf(field, text);
  return mask === undefined ? text : mask.masked(field === 'expiry' ? shortYear(text.trim()) : text);
}

const CENTURY = 2_000;
const MONTHS = 12;
const HOLDER_NAME_MIN = 3;

function expiryOf(text: string): { month: number; year: number } | null {
  const [month = 0, year = 0] = text.split('/').map(Number);
  return /^\d\d\/\d\d$/.test(text) && month >= 1 && month <= MONTHS ? { month, year: CENTURY + year } : null;
}

function numberError(number: string, words: Words): string | null {
  if (cardDigits(number) === '') return words.noNumber;
  return cardForms.card_number(number) === null ? null : words.number;
}

function cvcError({ cvc, number }: CardValues, words: Words): string | null {
  const length = brandOf(number) === 'amex' ? 4 : 3;
  return cvc.length === length ? null : words.cvc(length);
}

function documentError(document: string, words: Words): string | null {
  if (document === '') return words.noDocument;
  const reading = normalizeTaxId(document);
  return 'kind' in reading && reading.kind === 'cpf' ? null : words.document;
}

const optional = (text: string, form: RegExp): boolean => text === '' || form.test(text);

/** What is wrong with each field, in the order of the form; the service looks at all of it once more. */
export function errorsOf(values: CardValues, words: Words): CardErrors {
  const { name, expiry, state, postalCode, ownsDocument } = values;
  const found: [CardField, string | null][] = [
    ['number', numberError(values.number, words)],
    ['name', seenOf(name).length < HOLDER_NAME_MIN ? words.name : null],
    ['expiry', expiryOf(expiry) === null ? words.expiry : null],
    ['cvc', cvcError(values, words)],
    ['document', ownsDocument === OWN ? null : documentError(values.document, words)],
    ['postalCode', optional(postalCode, POSTAL_CODE) ? null : words.postalCode],
    ['state', optional(state, STATE) ? null : words.state],
  ];
  return Object.fromEntries(found.filter(([, error]) => error !== null));
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function addressOf(values: CardValues): object | null {
  const address = {
    street: textOrNull(values.street),
    number: textOrNull(values.streetNumber),
    complement: textOrNull(values.complement),
    neighborhood: textOrNull(values.neighborhood),
    city: textOrNull(values.city),
    state: textOrNull(values.state),
    postal_code: textOrNull(values.postalCode),
  };
  return Object.values(address).every((part) => part === null) ? null : address;
}

/** A card as it was typed, with its holder: what is sent of a form without errors. */
export interface CardRequest {
  readonly installments: number;
  readonly card: {
    readonly number: string;
    readonly exp_month: number;
    readonly exp_year: number;
    readonly cvc: string;
  };
  /** What is charged, which the buyer agrees to; absent: nothing is, or by schedule. */
  readonly expected_total?: number;
  /** Without a document: that of the buyer. */
  readonly billing_details: {
    readonly name: string;
    readonly document?: string;
    readonly address: object | null;
  };
}

export function requestOf(values: CardValues, charged: number | null): CardRequest {
  const { month, year } = expiryOf(values.expiry) ?? { month: 0, year: 0 };
  return {
    installments: Number(values.installments),
    ...(charged !== null && { expected_total: charged }),
    card: { number: cardDigits(values.number), exp_month: month, exp_year: year, cvc: values.cvc },
    billing_details: {
      name: values.name.trim(),
      ...(values.ownsDocument !== OWN && { document: values.document.replace(/\D/g, '') }),
      address: addressOf(values),
    },
  };
}

const places: Readonly<Record<string, CardField>> = {
  'card.number': 'number',
  'card.exp_month': 'expiry',
  'card.exp_year': 'expiry',
  'card.cvc': 'cvc',
  'billing_details.name': 'name',
  'billing_details.document': 'document',
  'billing_details.address.street': 'street',
  'billing_details.address.number': 'streetNumber',
  'billing_details.address.complement': 'complement',
  'billing_details.address.neighborhood': 'neighborhood',
  'billing_details.address.city': 'city',
  'billing_details.address.state': 'state',
  'billing_details.address.postal_code': 'postalCode',
  installments: 'installments',
};

/** The fields that the service found at fault. */
export const errorsAt = (fields: readonly string[], words: Words): CardErrors =>
  Object.fromEntries(fields.flatMap((field) => (field in places ? [[places[field], words.field]] : [])));

/** Where the caret belongs after a mask has moved what stands before it: behind the same number of letters and digits. */
export function caretAfter(masked: string, signsBefore: number): number {
  let signs = 0;
  for (let at = 0; at < masked.length; at += 1) {
    if (signs === signsBefore) return at;
    if (/[0-9A-Za-z]/.test(masked.charAt(at))) signs += 1;
  }
  return masked.length;
}
