import { JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../../contract/json.ts';

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
