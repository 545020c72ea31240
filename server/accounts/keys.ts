import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import base62 from '@sindresorhus/base62';
import type { Mode } from '../kernel/mode.ts';

const KEY_BYTES = 32;
/** 32 bytes in base62 never need more digits. */
const SECRET_LENGTH = 43;
/** A CRC-32 in base62 never needs more digits. */
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = 4;

const FORM = new RegExp(`^sk_(live|sandbox)_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

const checksum = (text: string): string => base62.encodeInteger(crc32(text)).padStart(CHECKSUM_LENGTH, '0');

/** A new API key: shown once, stored as its hash (docs/product/requests.md#api-keys). */
export function newApiKey(liveMode: boolean): string {
  const secret = base62
    .encodeBigInt(BigInt(`0x${randomBytes(KEY_BYTES).toString('hex')}`))
    .padStart(SECRET_LENGTH, '0');
  const body = `sk_${liveMode ? 'live' : 'sandbox'}_${secret}`;
  return body + checksum(body);
}

const OURS = 'A key of Fatura begins with sk_sandbox_ or sk_live_';

/** What people send in place of a key, by how it begins. */
const STRANGERS: readonly (readonly [begins: RegExp, words: string])[] = [
  [/[^!-~]|["'`<>]/, `${OURS} and has letters and digits alone: send it without quotes and brackets`],
  [/^whsec_/, `This is the secret of a webhook endpoint, which verifies deliveries. ${OURS}`],
  [/^pk_/, `This is a publishable key, which names an account to pages and opens nothing. ${OURS}`],
  [/^key_/, `This is the id of a key, not the key: a key is shown once, when it is made. ${OURS}`],
  [/^(?!sk_(?:live|sandbox)_)/, `This is no key of Fatura, maybe one of another service. ${OURS}`],
];

/** Why a text can be no key, in words that do not repeat it; null: it has the form of one. A mistyped key is refused without asking the database. */
export function faultOfKey(text: string): string | null {
  const [, stranger] = STRANGERS.find(([begins]) => begins.test(text)) ?? [];
  if (stranger !== undefined) return stranger;
  const length = text.replace(/^sk_(?:live|sandbox)_/, '').length;
  const wanted = SECRET_LENGTH + CHECKSUM_LENGTH;
  if (length !== wanted)
    return `The API key is not whole: behind its prefix it has ${length} characters instead of ${wanted}`;
  const isWhole = FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
  return isWhole ? null : 'The API key is mistyped: its last characters do not fit the others';
}

/** The mode of a key, as its prefix says; the key need not exist. */
export const modeOfKey = (key: string): Mode => (key.startsWith('sk_live_') ? 'live' : 'sandbox');

export const apiKeyHash = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The end of a key, which lets a merchant tell keys apart. */
export const apiKeyHint = (key: string): string => key.slice(-HINT_LENGTH);
