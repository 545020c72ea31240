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

const MISSING = 'give the secret of the webhook endpoint, whsec_…; is the environment variable set that holds it?';

function bytesOf(secret: unknown): Uint8Array<ArrayBuffer> {
  if (secret === undefined || secret === null || secret === '') {
    throw new WebhookVerificationError('SECRET_INVALID', `a secret is empty: ${MISSING}`);
  }
  const [, base64] = /^whsec_(.+)$/.exec(String(secret)) ?? [];
  try {
    const bytes = Uint8Array.from(atob(base64 ?? ''), (character) => character.charCodeAt(0));
    if (bytes.length > 0) return bytes;
  } catch {
    // Not base64.
  }
  throw new WebhookVerificationError('SECRET_INVALID', 'a secret must have the form whsec_<base64>');
}

/** The keys of the secrets. Throws `SECRET_INVALID` where there is none, or where one has another form. */
export function secretBytes(secrets: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const list = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length > 0) return list.map(bytesOf);
  throw new WebhookVerificationError('SECRET_INVALID', `secrets has none: ${MISSING}`);
}
