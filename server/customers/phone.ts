import parsePhone from 'libphonenumber-js/max';

/** A phone number in E.164, or what is wrong with the input. */
export type PhoneReading = { value: string } | { problem: string };

const INPUT_MAX = 40;
const DIGITS_AND_PUNCTUATION = /^\+?[0-9 ().\-/]+$/;
const HOME_COUNTRY = 'BR';

/** What is dialled before the code of another country. */
const INTERNATIONAL_PREFIX = /^00/;

/**
 * Reads a phone number into E.164: of another country with + or 00 before its code, else a Brazilian one with its area code.
 *
 * The full metadata is needed: the small one accepts numbers without area code ("3333-4444") and area codes that do
 * not exist ("10 91234-5678").
 */
export function normalizePhone(input: string): PhoneReading {
  const text = input.trim().replace(INTERNATIONAL_PREFIX, '+');
  if (text.length > INPUT_MAX || !DIGITS_AND_PUNCTUATION.test(text)) {
    return { problem: 'must be a phone number: digits and punctuation, with + and country code if not Brazilian' };
  }
  const phone = parsePhone(text, { defaultCountry: HOME_COUNTRY, extract: false });
  if (phone === undefined) return { problem: 'must be a phone number in E.164, or a Brazilian one with area code' };
  const isHome = phone.countryCallingCode === '55';
  if (phone.isValid() && (isHome || text.startsWith('+'))) return { value: phone.number };
  return {
    problem:
      isHome || !text.startsWith('+') ? 'is not a Brazilian number with area code' : 'is no number of its country',
  };
}

/** A phone number as people dial it: `(11) 98765-4321` at home, `+351 912 345 678` abroad. */
export function phoneInWords(value: string): string {
  const phone = parsePhone(value, { defaultCountry: HOME_COUNTRY, extract: false });
  if (phone === undefined) return value;
  return phone.country === HOME_COUNTRY ? phone.formatNational() : phone.formatInternational();
}
