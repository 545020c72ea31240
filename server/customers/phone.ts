import parsePhone from 'libphonenumber-js/max';

/** A phone number in E.164, or what is wrong with the input. */
export type PhoneReading = { value: string } | { problem: string };

const INPUT_MAX = 40;
const DIGITS_AND_PUNCTUATION = /^\+?[0-9 ().\-/]+$/;
const HOME_COUNTRY = 'BR';

/**
 * Reads a phone number into E.164; one without a country code is Brazilian.
 *
 * The full metadata is needed: the small one accepts numbers without area code ("3333-4444") and area codes that do
 * not exist ("10 91234-5678"). Foreign numbers are only held to their country's lengths, for their plans change.
 */
export function normalizePhone(input: string): PhoneReading {
  const text = input.trim();
  if (text.length > INPUT_MAX || !DIGITS_AND_PUNCTUATION.test(text)) {
    return { problem: 'must be a phone number: digits and punctuation, with + and country code if not Brazilian' };
  }
  const phone = parsePhone(text, { defaultCountry: HOME_COUNTRY, extract: false });
  if (phone === undefined) return { problem: 'must be a phone number in E.164, or a Brazilian one with area code' };
  if (phone.countryCallingCode === '55') {
    return phone.isValid() ? { value: phone.number } : { problem: 'is not a Brazilian number with area code' };
  }
  return phone.isPossible() ? { value: phone.number } : { problem: "has not the length of its country's numbers" };
}

/** A phone number as people dial it: `(11) 98765-4321` at home, `+351 912 345 678` abroad. */
export function phoneInWords(value: string): string {
  const phone = parsePhone(value, { defaultCountry: HOME_COUNTRY, extract: false });
  if (phone === undefined) return value;
  return phone.country === HOME_COUNTRY ? phone.formatNational() : phone.formatInternational();
}
