import { errorMeanings } from '../../generated/tools.ts';
import { FaturaError } from '../../index.ts';

type RefusalCode =
  | 'TOOL_UNKNOWN'
  | 'READ_ONLY'
  | 'PARAMETER_INVALID'
  | 'CARD_NUMBER_REFUSED'
  | 'NOT_CONFIRMED'
  | 'CONFIRMATION_INVALID'
  | 'CONFIRMATION_EXPIRED'
  | 'CONFIRMATION_MISMATCH'
  | 'TOO_MANY_GUESSES'
  | 'SUBSCRIPTION_NOT_PENDING'
  | 'MAX_AMOUNT'
  | 'TOO_MANY_CALLS';

/** What this server refuses by itself; the service has not been asked for it. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

const meaningOf = (code: string) =>
  Object.hasOwn(errorMeanings, code) ? errorMeanings[code as keyof typeof errorMeanings] : undefined; // a key of it

/** Only what there is: each word is paid for. */
const present = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

function ofService(error: FaturaError): object {
  const { code, message, param, status, declineReason, paymentIntent, requestId, docUrl, retryAfterSeconds } = error;
  const meaning = meaningOf(code);
  return present({
    code,
    message,
    param,
    status,
    decline_reason: declineReason,
    payment_intent: paymentIntent,
    meaning: meaning?.meaning,
    retry: meaning?.retry,
    retry_after_seconds: retryAfterSeconds,
    doc_url: docUrl,
    request_id: requestId,
  });
}

/** What a model is told of a failure. */
export function failureOf(error: unknown): { readonly error: object } {
  if (error instanceof FaturaError) return { error: ofService(error) };
  if (error instanceof Refusal) return { error: { code: error.code, message: error.message } };
  // The client throws it for what it cannot send, such as an id that is none.
  if (error instanceof TypeError) return { error: { code: 'PARAMETER_INVALID', message: error.message } };
  return { error: { code: 'INTERNAL_ERROR', message: 'The MCP server failed; its log on stderr says how.' } };
}

/**
 * What a request tells of its call: `unknown`: it may have been carried out all the same; `declined`: the call itself was made
 * and came to nothing, which each repeat under its key is told too; `refused`: this request did nothing.
 */
export type Outcome = 'done' | 'declined' | 'refused' | 'unknown';

/** What a failure tells of its call. An answer that is not the API's may be that of a gateway which passed the request on. */
export function outcomeOf(error: unknown): Exclude<Outcome, 'done'> {
  if (error instanceof Refusal) return 'refused';
  if (!(error instanceof FaturaError)) return 'unknown';
  const { code, type, status } = error;
  if (code === 'CARD_DECLINED' || code === 'REFUND_REFUSED') return 'declined';
  const isKnown = type !== 'client_error' && status !== null && status < 500 && code !== 'IDEMPOTENCY_KEY_IN_USE';
  return isKnown ? 'refused' : 'unknown';
}
