import { clip } from './clip.ts';

/** Characters of an answer; what is longer is cut, and says so. */
export const ANSWER_MAX = 16_000;
const TEXT_MAX = 500;
const DEPTH_MAX = 32;

/** Fields that no answer to a model needs: images, addresses, secrets, and links by which a buyer's card is changed. */
const LEFT_OUT = new Set(['qr_code', 'address', 'billing_details', 'secret', 'update_payment_url']);

const maskEnd = (text: string): string => `${'*'.repeat(Math.max(0, text.length - 2))}${text.slice(-2).toWellFormed()}`;
const maskEmail = (text: string): string => text.replace(/^(.)[^@]*@/u, '$1***@');

/** What a person decides by is told whole. */
const WHOLE = new Set(['confirmation_needed']);

/** Personal data that tells people apart without naming their documents. */
const MASKS: Readonly<Record<string, (text: string) => string>> = {
  identifier: maskEnd,
  document: maskEnd,
  phone: maskEnd,
  email: maskEmail,
  customer_email: maskEmail,
};

function shorten(text: string): string {
  return clip(text, TEXT_MAX, `… (${text.length - TEXT_MAX} more characters)`);
}

/** A value as a model may see it (docs/product/mcp.md#personal-data). */
export function shown(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return '…';
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return value.map((item) => shown(item, depth + 1));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => {
      const mask = Object.hasOwn(MASKS, key) ? MASKS[key] : undefined;
      if (WHOLE.has(key)) return [key, item];
      return [key, mask !== undefined && typeof item === 'string' ? mask(item) : shown(item, depth + 1)];
    }),
  );
}

/** A page of a list, of which only what fits is told. */
export interface ListAnswer {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
}

const isList = (value: unknown): value is ListAnswer =>
  typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data) && 'has_more' in value;

/** As many objects of a list as fit, and where the next page begins. */
function listText({ data, has_more }: ListAnswer): string {
  for (let count = data.length; count > 0; count -= 1) {
    const more = has_more || count < data.length;
    const next = more ? { next_page: { starting_after: data[count - 1]?.id } } : {};
    const left = count < data.length ? { left_out_of_this_page: data.length - count } : {};
    const text = JSON.stringify({
      data: data.slice(0, count).map((item) => shown(item)),
      has_more: more,
      ...next,
      ...left,
    });
    if (text.length <= ANSWER_MAX) return text;
  }
  return cut(JSON.stringify({ data: data.map((item) => shown(item)), has_more }));
}

const cut = (text: string): string => clip(text, ANSWER_MAX, `… (cut: ${text.length - ANSWER_MAX} more characters)`);

/** The text of an answer: personal data masked, and never longer than a model should read. */
export const answerText = (value: unknown): string =>
  isList(value) ? listText(value) : cut(JSON.stringify(shown(value)));
