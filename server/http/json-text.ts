import { InexactNumber, JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../../contract/json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** Where the string ends that begins at a place; in a text that breaks off, behind its end. */
function endOfString(text: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * Of what a JSON text in UTF-8 has more than a body may, whichever is passed first: levels, fields, or fields and list entries
 * together; null: of none. It is counted without being parsed, which would take the thread many times as long. Of a text that
 * is not JSON the count says nothing.
 */
export function excessOf(text: Uint8Array): 'levels' | 'fields' | 'values' | null {
  let [level, fields, values, isEmpty] = [0, 0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? SPACE;
    if (byte <= SPACE) continue;
    if (isEmpty && !isClosing(byte)) values += 1;
    isEmpty = isOpening(byte);
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) fields += 1;
    else if (isEmpty) level += 1;
    else if (isClosing(byte)) level -= 1;
    if (level > JSON_DEPTH_MAX) return 'levels';
    if (fields > JSON_FIELDS_MAX) return 'fields';
    if (values > JSON_VALUES_MAX) return 'values';
  }
  return null;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A number's digits without zeros at either end, and the power of ten that they are counted in. */
function decimalOf(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/(?<!0)0+$/, '');
  return kept === '' ? '0' : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

const isHeld = (value: number, literal: string): boolean =>
  String(value) === literal || decimalOf(String(value)) === decimalOf(literal);

/** Reviver of `JSON.parse`: a number whose value would change without a word is put in as what it was written as. */
export const withInexactNumbers = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && !isHeld(value, context.source)
    ? new InexactNumber(context.source)
    : value;
