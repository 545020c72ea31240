import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import base62 from '@sindresorhus/base62';

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

/** Whether a text can be a key at all: a mistyped one is refused without asking the database. */
export function isApiKeyForm(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

export const apiKeyHash = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The end of a key, which lets a merchant tell keys apart. */
export const apiKeyHint = (key: string): string => key.slice(-HINT_LENGTH);
