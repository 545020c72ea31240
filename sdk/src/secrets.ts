export type WebhookErrorCode =
  | 'SECRET_INVALID'
  | 'HEADER_MISSING'
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'SIGNATURE_MISMATCH'
  | 'PAYLOAD_INVALID';

/**
 * A delivery that is not to be believed; answer it 400.
 * `SECRET_INVALID` is a mistake of your own configuration: none given, or not of the form `whsec_<base64>`.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The keys of the secrets. Throws `SECRET_INVALID` where there is none, or one has another form. */
export function secretBytes(secrets: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const list = [secrets].flat();
  const isGiven = list.length > 0 && list.every(Boolean);
  try {
    if (isGiven) return list.map(bytesOf);
  } catch {}
  const form = 'a secret must have the form whsec_<base64>';
  throw new WebhookVerificationError('SECRET_INVALID', isGiven ? form : `${form}: is its variable set?`);
}

const bytesOf = (secret: string) =>
  Uint8Array.from(atob(secret.match(/^whsec_(.+)$/)?.[1] ?? '!'), (character) => character.charCodeAt(0)); // '!' is no base64
