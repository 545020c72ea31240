/**
 * The forms of texts that requests, pages and settings share. Pages load this file, so it imports nothing.
 */

/** Blanks, controls, the braille blank, and what readers pass over. */
const UNSEEN = '[\\s\\p{Cc}\\u2800\\p{Default_Ignorable_Code_Point}]';
const UNSEEN_ENDS = new RegExp(`^${UNSEEN}+|(?<!${UNSEEN})${UNSEEN}+$`, 'gu');

/** What of a text is seen: nothing of one that has only blanks, controls and what readers pass over. */
export const seenOf = (text: string): string => text.replace(UNSEEN_ENDS, '');

const TURNING = /\p{Bidi_Control}/u;

/** Whether a text has characters that change in which direction it is read. */
export const turnsText = (text: string): boolean => TURNING.test(text);

export const EMAIL_MAX = 254;

const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?';
const TOP_LABEL = '(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9\\-]{0,58}[A-Za-z0-9])';
const LOCAL_PART = `${ATEXT}+(?:\\.${ATEXT}+)*`;
const EMAIL = new RegExp(`^(?=[^@]{1,64}@)${LOCAL_PART}@(?:${LABEL}\\.)+${TOP_LABEL}$`);

const LETTER = '[A-Za-z0-9\\u0080-\\uffff]';
const ACCENTED_LABEL = `${LETTER}(?:[A-Za-z0-9\\u0080-\\uffff\\-]{0,61}${LETTER})?`;

/** An address before its domain is written in ASCII, as a pattern of JSON Schema: other languages know no way to bound its local part. */
export const EMAIL_PATTERN = `^${LOCAL_PART}@(?:${ACCENTED_LABEL}\\.)+(?:[A-Za-z\\u0080-\\uffff]{2,63}|[Xx][Nn]--[A-Za-z0-9\\-]{0,58}[A-Za-z0-9])$`;

const ASCII = /^[\x20-\x7e]*$/;
/** What would end the host of a URL, or be read as something else there. */
const NO_HOST = /[\s/?#@:\\[\]%]/;

/** The domain as mail servers know it: an accented one in punycode. */
function asciiDomain(domain: string): string {
  if (ASCII.test(domain)) return domain;
  const url = `http://${domain}`;
  return NO_HOST.test(domain) || !URL.canParse(url) ? '' : new URL(url).hostname;
}

/** An e-mail address as it is stored (RFC 5322 dot-atoms, RFC 5321 lengths); null for what is none. */
export function storedEmail(text: string): string | null {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > EMAIL_MAX) return null;
  const address = `${text.slice(0, at)}@${asciiDomain(text.slice(at + 1))}`;
  return address.length <= EMAIL_MAX && EMAIL.test(address) ? address : null;
}

/** The states of Brazil and its federal district. */
export const STATES = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

export const STATE = new RegExp(`^(?:${STATES.join('|')})$`);

/** A CEP as it is written. */
export const POSTAL_CODE = /^[0-9]{5}-?[0-9]{3}$/;

/** A CEP as it is stored: its digits. */
export const storedPostalCode = (text: string): string => text.replace('-', '');

const WRITTEN_URL = /^https?:\/\/[^/?#\\]/i;
const BARE_ORIGIN = /^https?:\/\/[^/?#\\]+$/i;

/** A web address as the parser of URLs reads it, or what is wrong with the text. */
export function storedUrl(text: string): { value: string } | { problem: string } {
  if (!WRITTEN_URL.test(text)) return { problem: 'must begin with https:// or http:// and a host' };
  if (!URL.canParse(text)) return { problem: 'must be a URL' };
  const { username, password, port, origin, href } = new URL(text);
  if (username !== '' || password !== '') return { problem: 'must not carry a user name or password' };
  if (port === '0') return { problem: 'must have a port from 1 to 65535' };
  return { value: BARE_ORIGIN.test(text) ? origin : href };
}

/** Corners are rounded by so many pixels at most. */
export const CORNER_RADIUS_MAX = 24;

/** What pages are written in: faces that devices have, so that none is loaded. */
export const PAGE_FONTS = ['sans', 'serif', 'rounded'] as const;

export type PageFont = (typeof PAGE_FONTS)[number];
