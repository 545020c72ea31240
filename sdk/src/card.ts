import { postCard, type TypedCard } from './card-post.ts';

export type { TypedCard } from './card-post.ts';

/**
 * Why there is no token:
 * - `CARD_INVALID`: the fields of `fields` are at fault; nothing was charged.
 * - `PUBLISHABLE_KEY_INVALID`: the key is none, or names no account there.
 * - `CARD_ENTRY_UNAVAILABLE`: the account has no acquirer for cards, or one that takes them from your server alone.
 * - `CONNECTION_FAILED`: Fatura or the acquirer did not answer; the buyer may try again, for a token charges nothing.
 */
export type CardTokenErrorCode =
  | 'CARD_INVALID'
  | 'PUBLISHABLE_KEY_INVALID'
  | 'CARD_ENTRY_UNAVAILABLE'
  | 'CONNECTION_FAILED';

/** There is no token; nothing of the card is in the message. */
export class CardTokenError extends Error {
  override readonly name = 'CardTokenError';
  readonly code: CardTokenErrorCode;
  /** The fields at fault, for `CARD_INVALID`; else empty. */
  readonly fields: readonly (keyof TypedCard)[];

  constructor(code: CardTokenErrorCode, message: string, fields: readonly (keyof TypedCard)[] = []) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

export interface TokenizeCardOptions {
  /** `publishable_key` of your account: `pk_live_…` or `pk_sandbox_…`. It is no secret. */
  publishableKey: string;
  /** Where your Fatura is, for example `https://pay.example.com`. */
  baseUrl: string;
  card: TypedCard;
}

const INVALID_KEY = [400, 404, 421];
const UNAVAILABLE = 503;

/** Where the cards of an account go, as Fatura tells everybody. */
async function entryUrl({ publishableKey, baseUrl }: TokenizeCardOptions): Promise<string> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/api/v1/card_entry`);
  url.searchParams.set('key', publishableKey);
  let status: number;
  let entry: { kind?: unknown; url?: unknown; shape?: unknown };
  try {
    const answer = await fetch(url, { credentials: 'omit' });
    status = answer.status;
    entry = await answer.json();
  } catch {
    throw new CardTokenError('CONNECTION_FAILED', 'Fatura did not say where cards go');
  }
  if (INVALID_KEY.includes(status))
    throw new CardTokenError('PUBLISHABLE_KEY_INVALID', 'the publishable key names no account at this baseUrl');
  if (status === UNAVAILABLE) throw new CardTokenError('CARD_ENTRY_UNAVAILABLE', 'no acquirer takes cards there now');
  if (status !== 200) throw new CardTokenError('CONNECTION_FAILED', `Fatura answered ${status}`);
  if (entry.kind === 'direct' && entry.shape === 'pagarme-v5' && typeof entry.url === 'string') return entry.url;
  throw new CardTokenError(
    'CARD_ENTRY_UNAVAILABLE',
    'cards of this account do not go from the browser to the acquirer by a way that this version knows',
  );
}

/**
 * Sends a card from the buyer's browser straight to the acquirer of your account, and answers what you give to your server: the
 * `card_token` of a checkout, good once and for a minute. The number passes through no server of yours or of Fatura's; in the
 * sandbox, through Fatura's.
 *
 * @throws {CardTokenError} there is no token.
 */
export async function tokenizeCard(options: TokenizeCardOptions): Promise<string> {
  const posted = await postCard(await entryUrl(options), options.card);
  if (posted.status === 'taken') return posted.token;
  if (posted.status === 'unavailable') throw new CardTokenError('CONNECTION_FAILED', 'the acquirer did not answer');
  throw new CardTokenError(
    'CARD_INVALID',
    `these fields of the card are not valid: ${posted.fields.join(', ')}`,
    posted.fields,
  );
}
