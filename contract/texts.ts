import { z } from 'zod';
import {
  EMAIL_MAX,
  EMAIL_PATTERN,
  POSTAL_CODE,
  STATE,
  STATES,
  seenOf,
  storedEmail,
  storedPostalCode,
  storedUrl,
  turnsText,
} from './forms.ts';

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

const codePoints = (value: string): number => {
  let count = value.length;
  for (let at = 1; at < value.length; at += 1) {
    if ((value.charCodeAt(at) & 0xfc00) === 0xdc00 && (value.charCodeAt(at - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
};

/** Forms of text that take more than a pattern to check: the server brings the checks and runs them with the others. */
export type TextForm =
  | 'free_text'
  | 'free_object'
  | 'tax_id'
  | 'phone'
  | 'color'
  | 'cover_color'
  | 'network'
  | 'card_number'
  | 'card_cvc';

/** The fields whose text has a form; of a free object each text in it, its numbers and the names of its fields. */
export const textForms = z.registry<{ form: TextForm }>();

/** What a form is called as `format` of JSON Schema; the pattern of a color says it all. */
const formats: Readonly<Record<TextForm, string | undefined>> = {
  free_text: undefined,
  free_object: undefined,
  tax_id: 'tax-id',
  phone: 'phone',
  color: undefined,
  cover_color: undefined,
  network: 'network',
  card_number: 'card-number',
  card_cvc: 'card-cvc',
};

/** A text that must have a form. */
export function ofForm<T extends z.ZodType>(schema: T, form: TextForm): T {
  const format = formats[form];
  const formed = format === undefined ? schema : schema.meta({ format });
  textForms.add(formed, { form });
  return formed;
}

/** What is left of a text of at least `min` characters once it is trimmed, as far as JSON Schema has words for it. */
const trimmedPattern = (min: number): string => (min === 1 ? '\\S' : `\\S[\\s\\S]{${min - 2},}\\S`);

interface Limits {
  readonly min?: number;
  readonly max: number;
}

/** Free text: trimmed, measured in code points, without NUL or lone surrogates; what shows nothing is empty (docs/product/requests.md#text). */
function freeText({ min = 1, max }: Limits, { isLine }: { isLine: boolean }) {
  const schema = z
    .string()
    .trim()
    .superRefine((value, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', message, input: value });
      // First, so that nothing else is looked for in what is far too long.
      const count = value.length > max ? codePoints(value) : 0;
      if (count > max) return refuse(`must have at most ${max} characters, has ${count}`);
      if (value.includes('\0')) return refuse('must not contain NUL characters');
      if (LONE_SURROGATE.test(value)) return refuse('must be well-formed Unicode (it has a lone surrogate)');
      if (isLine && turnsText(value)) return refuse('must not contain characters that change the direction of text');
      if (codePoints(seenOf(value)) < min)
        refuse(min === 1 ? 'must not be empty' : `must have at least ${min} characters`);
    })
    .meta({ minLength: min, maxLength: max, ...(min > 0 && { pattern: trimmedPattern(min) }) });
  return ofForm(schema, 'free_text');
}

/** A text in one line, such as a name or a code: it is read in one direction. */
export const text = (limits: Limits) => freeText(limits, { isLine: true });

/** Not blank and without control characters, in words that the regular expressions of every language know. */
const PRINTED_PATTERN =
  '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** A text in one line without control characters, such as what others are shown as a name. */
export const printedText = (limits: Limits) =>
  text(limits)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .meta({ pattern: PRINTED_PATTERN });

/** A text that may have several lines. */
export const paragraph = (limits: { max: number }) => freeText(limits, { isLine: false });

const EMAIL_RULE = 'must be an e-mail address';

function readEmail(value: string, context: z.core.$RefinementCtx<string>): string {
  const stored = storedEmail(value);
  if (stored !== null) return stored;
  // A query has a blank where a plus was written.
  const message = value.includes(' ') ? `${EMAIL_RULE}, without blanks (in a query + is one: write %2B)` : EMAIL_RULE;
  context.addIssue({ code: 'custom', message, input: value });
  return z.NEVER;
}

/** An e-mail address; the document shows its pattern, for generators have narrower ideas of one. */
export const emailAddress = ofForm(
  text({ max: EMAIL_MAX })
    .transform(readEmail)
    .pipe(z.string())
    .meta({ minLength: 1, maxLength: EMAIL_MAX, pattern: EMAIL_PATTERN }),
  'free_text',
);

const URL_MAX = 2_048;

function readUrl(value: string, context: z.core.$RefinementCtx<string>): string {
  const stored = storedUrl(value);
  const problem = 'problem' in stored ? stored.problem : null;
  if (problem === null && 'value' in stored && stored.value.length <= URL_MAX) return stored.value;
  const message = problem ?? `must have at most ${URL_MAX} characters as a URL is written`;
  context.addIssue({ code: 'custom', message, input: value });
  return z.NEVER;
}

/** A web address: http or https with its host, stored as the parser of URLs reads it. */
export const webUrl = ofForm(
  text({ max: URL_MAX }).transform(readUrl).pipe(z.string()).meta({ minLength: 1, maxLength: URL_MAX, format: 'uri' }),
  'free_text',
);

/** The digits of a CEP, which may be written with a hyphen. */
export const postalCode = z
  .string()
  .trim()
  .regex(POSTAL_CODE, 'must be a CEP: 5 digits, an optional hyphen, 3 digits')
  .transform(storedPostalCode)
  .pipe(z.string())
  .meta({ pattern: POSTAL_CODE.source });

/** A state of Brazil. */
export const state = z
  .string()
  .trim()
  .regex(STATE, `must be a state (UF), one of ${STATES.join(', ')}`);
