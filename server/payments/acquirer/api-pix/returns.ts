import { cents } from '../../../kernel/money.ts';
import type { Timestamp } from '../../../kernel/time.ts';
import { decimal } from '../br-code.ts';
import { isAbsent, isRefusal, isSuccess, unknownBy } from '../http.ts';
import type { AcquirerAnswer, Merchant, PixRefundRequest, RefundStatus } from '../port.ts';
import type { PspClient } from './client.ts';
import { readReturnStatus } from './reading.ts';

type Asked = Pick<PixRefundRequest, 'endToEndId' | 'reference'>;

const segmentsOf = ({ endToEndId, reference }: Asked): string[] => [endToEndId, 'devolucao', reference];

export async function findReturn(
  client: PspClient,
  merchant: Merchant,
  asked: Asked,
): Promise<AcquirerAnswer<RefundStatus>> {
  const exchange = await client.call({ method: 'GET', resource: 'pix', segments: segmentsOf(asked) });
  if (isAbsent(exchange)) return { known: true, value: { status: 'unknown_to_acquirer' } };
  const status = isSuccess(exchange) ? readReturnStatus(exchange.body, merchant.now) : null;
  return status === null ? unknownBy(exchange) : { known: true, value: status };
}

/** A bank shows within this what it was asked for; until then a refusal may be that of a repeat. */
const SHOWN_WITHIN_SECONDS = 60;
const REMEMBERED_MAX = 10_000;

/** When returns that are not there were refused first: a process that starts anew waits anew. */
export class Refusals {
  readonly #firstAt = new Map<string, Timestamp>();

  /** Whether a refusal of this return now is one, and not that of a repeat. */
  isBelieved(reference: string, now: Timestamp): boolean {
    const firstAt = this.#firstAt.get(reference);
    if (firstAt !== undefined) return now - firstAt >= SHOWN_WITHIN_SECONDS;
    if (this.#firstAt.size >= REMEMBERED_MAX) this.#firstAt.clear();
    this.#firstAt.set(reference, now);
    return false;
  }
}

/**
 * Asks for a return. A repeat is answered with the return, or refused because its id was used: whatever is not the
 * return itself is decided by looking. One that is refused, and after a while still is not there, was never made.
 */
export async function askReturn(
  client: PspClient,
  merchant: Merchant,
  { request, refusals }: { request: PixRefundRequest; refusals: Refusals },
): Promise<AcquirerAnswer<RefundStatus>> {
  const body = { valor: decimal(cents(request.amount)) };
  const exchange = await client.call({ method: 'PUT', resource: 'pix', segments: segmentsOf(request), body });
  const status = isSuccess(exchange) ? readReturnStatus(exchange.body, merchant.now) : null;
  if (status !== null) return { known: true, value: status };
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findReturn(client, merchant, request);
  if (!found.known || found.value.status !== 'unknown_to_acquirer') return found;
  const isRefused = isRefusal(exchange) && !isAbsent(exchange) && refusals.isBelieved(request.reference, merchant.now);
  return isRefused ? { known: true, value: { status: 'refused' } } : unknownBy(exchange);
}
