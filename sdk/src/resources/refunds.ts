import type { Answer } from '../answer.ts';
import type { Refund, RefundCreate, RefundListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Money returned of payments: one object for each payment intent, under its id. All amounts are integer cents. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns money of a payment, whole or in up to 200 parts, to the amount paid. By card it is `refunded` at once; by
   * PIX, within 90 days of the payment, it is `refunding` until `payment_intent.refunded` or, when the bank says no,
   * `payment_intent.refund_failed`. The answer's `amount` is of the part just made.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when nothing was paid, `REFUND_EXCEEDS_BALANCE`,
   * `REMAINING_CHANGED` when less or more is left than `expected_remaining` says, `REFUND_WINDOW_CLOSED`,
   * `REFUND_REFUSED` by the card's acquirer, `ACQUIRER_UNAVAILABLE` (nothing happened), `ACQUIRER_TIMEOUT` (unknown:
   * repeat with the error's `idempotencyKey`).
   */
  create(refund: RefundCreate, options?: WriteOptions): Answer<Refund> {
    return this.#transport.send('refunds.create', { body: refund }, options);
  }

  /**
   * Reads all that was returned of one payment intent, by its id, with its `parts`.
   * @throws {FaturaError} `RESOURCE_MISSING`, also while nothing was returned or is on its way.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Refund> {
    return this.#transport.send('refunds.retrieve', { id }, options);
  }

  /**
   * Refunds, newest first, by instant of creation (Unix seconds); one for each payment intent.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: RefundListParams = {}, options?: RequestOptions): List<Refund> {
    return new List(
      (cursor) => this.#transport.request('refunds.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
