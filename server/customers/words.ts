/** Letters of the shortest beginning of a word that finds it, and of the longest: what follows that is not looked at. */
const BEGINNING_MIN = 3;
const BEGINNING_MAX = 12;
/** Digits of the shortest beginning of a CPF, a CNPJ or a phone number that finds it. */
const DIGITS_MIN = 6;
/** So many words of a query are looked for: the longest, which tell most. */
const WORDS_MAX = 6;

const MARKS = /\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** A text without what its writers differ in: case, accents, and other forms of the same letter. */
const folded = (text: string): string => text.normalize('NFKD').replace(MARKS, '').toLowerCase();

/** The words of a text, each as an array of its letters. */
const wordsIn = (text: string): string[][] =>
  folded(text)
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '')
    .map((word) => [...word]);

const beginningsOf = (letters: readonly string[], { min, max }: { min: number; max: number }): string[] =>
  Array.from({ length: Math.max(0, Math.min(max, letters.length) - min + 1) }, (_, more) =>
    letters.slice(0, min + more).join(''),
  );

/** A word too short to have a beginning is found whole. */
const foundBy = (word: readonly string[]): string[] =>
  word.length < BEGINNING_MIN ? [word.join('')] : beginningsOf(word, { min: BEGINNING_MIN, max: BEGINNING_MAX });

/** Every beginning of a number from six digits on. */
const numberFoundBy = (number: string): string[] =>
  beginningsOf([...number], { min: DIGITS_MIN, max: Number.POSITIVE_INFINITY });

const HOME_PREFIX = /^\+55/;
const NOT_DIGITS = /\D/g;

/** A phone number in E.164 as people at home write it. */
const dialled = (phone: string): string => phone.replace(HOME_PREFIX, '').replace(NOT_DIGITS, '');

/** What of a customer is looked for by its words. */
export interface Described {
  readonly name: string;
  readonly email?: string | null | undefined;
  readonly identifier?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/** The words by which a customer is found (docs/product/customers.md#search). */
export function wordsOf({ name, email, identifier, phone }: Described): ReadonlySet<string> {
  return new Set([
    ...[name, email ?? ''].flatMap(wordsIn).flatMap(foundBy),
    ...numberFoundBy(folded(identifier ?? '')),
    ...numberFoundBy(dialled(phone ?? '')),
  ]);
}

const NUMBER = /^\+?[\d\s./()-]+$/;
const MASKED_CNPJ = /^[0-9a-z]{2}\.[0-9a-z]{3}\.[0-9a-z/-]*$/;
const PUNCTUATION = /[./-]/g;
/** A Brazilian phone number behind the code of its country: longer than a CPF and shorter than a CNPJ. */
const WITH_HOME_CODE = /^55(?=\d{10,11}$)/;

/** The beginning of a CPF, a CNPJ or a phone number that a query is, without its punctuation; null: it is none. */
function numberIn(query: string): string | null {
  const text = folded(query.trim());
  if (MASKED_CNPJ.test(text)) return text.replace(PUNCTUATION, '');
  if (!NUMBER.test(text)) return null;
  return dialled(text).replace(WITH_HOME_CODE, '');
}

/** The words of a query, all of which a customer must have; none: nobody has them. */
export function soughtWords(query: string): readonly string[] {
  const number = numberIn(query);
  if (number !== null && number.length >= DIGITS_MIN) return [number];
  const words = wordsIn(query).map((word) => word.slice(0, BEGINNING_MAX));
  // Initials and "da" say little, and a word that is still being typed may have one letter.
  const long = words.filter((word) => word.length >= BEGINNING_MIN);
  const sought = (long.length > 0 ? long : words).toSorted((one, other) => other.length - one.length);
  return [...new Set(sought.map((word) => word.join('')))].slice(0, WORDS_MAX);
}
