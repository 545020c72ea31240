import type { Customer as CustomerView } from '../../contract/customers.ts';
import { normalizePhone } from './phone.ts';
import { normalizeTaxId } from './tax-id.ts';

const problemOf = (reading: { value: string } | { problem: string }): string | null =>
  'problem' in reading ? reading.problem : null;

/** The forms of text in a customer's fields, for the validation of requests. */
export const customerTextForms = {
  tax_id: (text: string) => problemOf(normalizeTaxId(text)),
  phone: (text: string) => problemOf(normalizePhone(text)),
};

function accepted(reading: { value: string } | { problem: string }): string {
  if ('problem' in reading) throw new Error(`validation let a text pass that ${reading.problem}`);
  return reading.value;
}

/** A CPF or CNPJ that passed validation, as it is stored: without punctuation, upper case. */
export const storedTaxId = (text: string): string => accepted(normalizeTaxId(text));

/** A phone number that passed validation, as it is stored: E.164. */
export const storedPhone = (text: string): string => accepted(normalizePhone(text));

const PUNCTUATION = /[\s./-]/g;

/** What a search for a CPF or CNPJ compares with the stored ones: punctuation and case do not count. */
export const soughtTaxId = (text: string): string => text.replace(PUNCTUATION, '').toUpperCase();

const CPF_LENGTH = 11;

/** A CPF makes a person, a CNPJ a business (docs/product/customers.md#cpf-and-cnpj). */
export function describeTaxId(identifier: string | null): CustomerView['description'] {
  if (identifier === null) return null;
  return identifier.length === CPF_LENGTH ? 'individual' : 'business';
}
