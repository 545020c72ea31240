import { Mask } from 'maska';
import { seenOf, storedEmail } from '../../contract/forms.ts';
import { hasAddress } from '../../server/customers/name.ts';
import { normalizeTaxId } from '../../server/customers/tax-id.ts';
import type { Texts } from './texts/pt.ts';

/** The fields of who pays, as they are typed. */
export interface BuyerValues {
  readonly name: string;
  readonly identifier: string;
  readonly email: string;
  readonly phone: string;
}

export type BuyerField = keyof BuyerValues;
export type BuyerErrors = Partial<Record<BuyerField, string>>;

/** In the order of the form. */
export const BUYER_FIELDS: readonly BuyerField[] = ['name', 'identifier', 'email', 'phone'];

export const NOBODY: BuyerValues = { name: '', identifier: '', email: '', phone: '' };

const CPF_SIGNS = 11;
const cpf = new Mask({ mask: '###.###.###-##' });
/** A CNPJ has letters in it, but for its check digits. */
const cnpj = new Mask({
  mask: 'SS.SSS.SSS/SSSS-##',
  tokens: { S: { pattern: /[0-9A-Za-z]/, transform: (sign) => sign.toUpperCase() } },
});
const phone = new Mask({ mask: ['(##) ####-####', '(##) #####-####'] });

const signsOf = (text: string): string => text.replace(/[^0-9A-Za-z]/g, '');

/** Whether what is typed can only be a CNPJ. */
export const isCnpj = (text: string): boolean => signsOf(text).length > CPF_SIGNS || /[A-Za-z]/.test(text);

/** A text in the form of its field; a CPF has eleven digits, everything longer or with a letter is a CNPJ. */
export function maskedOfBuyer(field: BuyerField, text: string): string {
  if (field === 'phone') return text.trim().startsWith('+') ? text : phone.masked(text);
  if (field !== 'identifier') return text;
  const signs = signsOf(text);
  return (signs.length <= CPF_SIGNS && /^\d*$/.test(signs) ? cpf : cnpj).masked(signs);
}

const PHONE_DIGITS_MIN = 10;

type Words = Texts['buyer']['errors'];

function nameError(name: string, words: Words): string | null {
  if (seenOf(name) === '') return words.name;
  return hasAddress(name) ? words.nameAddress : null;
}

function identifierError(identifier: string, words: Words): string | null {
  if (identifier === '') return words.noIdentifier;
  return 'kind' in normalizeTaxId(identifier) ? null : words.identifier;
}

/** What is wrong with each field, in the order of the form; the service looks at all of it once more. */
export function errorsOfBuyer({ name, identifier, email, phone: number }: BuyerValues, words: Words): BuyerErrors {
  const found: [BuyerField, string | null][] = [
    ['name', nameError(name, words)],
    ['identifier', identifierError(identifier, words)],
    ['email', storedEmail(email.trim()) !== null ? null : words.email],
    ['phone', number.replace(/\D/g, '').length < PHONE_DIGITS_MIN ? words.phone : null],
  ];
  return Object.fromEntries(found.filter(([, error]) => error !== null));
}

/** What is sent of a form without errors. */
export const buyerOf = ({ name, identifier, email, phone: number }: BuyerValues): BuyerValues => ({
  name: name.trim(),
  identifier,
  email: email.trim(),
  phone: number,
});

/** The fields that the service found at fault, in the order of the form, each with what the page's own rules say of it. */
export function buyerErrorsAt(fields: readonly string[], values: BuyerValues, words: Words): BuyerErrors {
  const found = errorsOfBuyer(values, words);
  const atFault = BUYER_FIELDS.filter((name) => fields.includes(name));
  return Object.fromEntries(atFault.map((name) => [name, found[name] ?? words.field]));
}
