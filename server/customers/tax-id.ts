import { cnpj, cpf } from 'cpf-cnpj-validator';

/** A CPF or CNPJ without punctuation and in upper case, or what is wrong with the input. */
export type TaxIdReading = { kind: 'cpf' | 'cnpj'; value: string } | { problem: string };

const INPUT_MAX = 32;
const SEPARATED_RUNS = /^[0-9A-Za-z]+(?:[ ./-][0-9A-Za-z]+)*$/;
const CPF = /^[0-9]{11}$/;
const CNPJ = /^[0-9A-Z]{12}[0-9]{2}$/;
const ONE_CHARACTER_REPEATED = /^(.)\1*$/;

/**
 * Reads a CPF or CNPJ, masked or not, and checks its digits.
 *
 * Only the library's check-digit arithmetic is used. Its `isValid` differs from our rule: it refuses the well-formed
 * CPF 123.456.789-09, its loose form drops any rubbish around the digits ("abc529.982.247-25") and takes `ſ` for S,
 * and its strict form refuses lower case and partial masks.
 */
export function normalizeTaxId(input: string): TaxIdReading {
  const text = input.trim();
  // ASCII is demanded before upper-casing: `ı` and `ſ` would otherwise turn into the letters I and S.
  if (text.length > INPUT_MAX || !SEPARATED_RUNS.test(text)) {
    return { problem: 'must be a CPF or CNPJ: letters and digits, with or without its punctuation' };
  }
  const value = text.replace(/[ ./-]/g, '').toUpperCase();
  if (CPF.test(value)) return checkedCpf(value);
  if (CNPJ.test(value)) return checkedCnpj(value);
  return { problem: `must be a CPF of 11 digits or a CNPJ of 12 letters or digits and 2 digits; ${value.length} came` };
}

const CPF_PARTS = /^(...)(...)(...)(..)$/;
const CNPJ_PARTS = /^(..)(...)(...)(....)(..)$/;

/** A tax id with its marks: `529.982.247-25`, `12.ABC.345/01DE-35`. */
export const taxIdMarks = (value: string): string =>
  value.length === 11 ? value.replace(CPF_PARTS, '$1.$2.$3-$4') : value.replace(CNPJ_PARTS, '$1.$2.$3/$4-$5');

/** A tax id as people read it: `CPF 529.982.247-25`, `CNPJ 12.ABC.345/01DE-35`. */
export const taxIdInWords = (value: string): string => `${value.length === 11 ? 'CPF' : 'CNPJ'} ${taxIdMarks(value)}`;

/** The same of somebody whose papers others see: a CPF says less (`CPF ***.982.247-**`), a CNPJ is public. */
export const maskedTaxId = (value: string): string =>
  value.length === 11 ? `CPF ${value.replace(CPF_PARTS, '***.$2.$3-**')}` : taxIdInWords(value);

function checkedCpf(value: string): TaxIdReading {
  if (ONE_CHARACTER_REPEATED.test(value)) return { problem: 'is not a CPF: all its digits are equal' };
  const first = cpf.verifierDigit(value.slice(0, 9));
  const second = cpf.verifierDigit(value.slice(0, 9) + first);
  return value.endsWith(`${first}${second}`)
    ? { kind: 'cpf', value }
    : { problem: 'is not a CPF: check digits differ' };
}

function checkedCnpj(value: string): TaxIdReading {
  if (ONE_CHARACTER_REPEATED.test(value)) return { problem: 'is not a CNPJ: all its digits are equal' };
  const first = cnpj.verifierDigit(value.slice(0, 12));
  const second = cnpj.verifierDigit(value.slice(0, 12) + first);
  return value.endsWith(`${first}${second}`)
    ? { kind: 'cnpj', value }
    : { problem: 'is not a CNPJ: check digits differ' };
}
