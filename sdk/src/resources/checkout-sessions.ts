import type { Answer } from '../answer.ts';
import type { CheckoutSessionCreate } from '../forms.ts';
import type { CheckoutSession, CheckoutSessionListParams, CreatedCheckoutSession } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Purchases that buyers pay on the hosted page. Amounts are integer cents, instants Unix seconds. */
export class CheckoutSessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a session of one-time prices (`mode: 'payment'`) or of recurring ones (`mode: 'subscription'`), for
   * an existing customer (`customer_id`), a new one (`customer`) or a buyer who fills in the page. Send the buyer to
   * its `url` within an hour, and fulfil on the event `checkout_session.completed`. Limited to 5 a minute and key.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `TOO_MANY_LINE_ITEMS`, `PRICE_INACTIVE`,
   * `PRICE_TYPE_MISMATCH`, `INTERVALS_DIFFER`, `DISCOUNT_EXCEEDS_SUBTOTAL`, `COUPON_NOT_APPLICABLE`, `COUPON_EXHAUSTED`,
   * `PROMOTION_CODE_INVALID`, `LATE_FEES_ABOVE_LIMIT`, `INVALID_STATE` for an anonymized customer.
   */
  create(session: CheckoutSessionCreate, options?: WriteOptions): Answer<CreatedCheckoutSession> {
    return this.#transport.send('checkoutSessions.create', { body: session }, options);
  }

  /**
   * Reads one session.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<CheckoutSession> {
    return this.#transport.send('checkoutSessions.retrieve', { id }, options);
  }

  /**
   * Sessions, newest first, by customer, mode, status, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: CheckoutSessionListParams = {}, options?: RequestOptions): List<CheckoutSession> {
    return new List(
      (cursor) => this.#transport.request('checkoutSessions.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Closes an open session: its invoice is voided, its pending subscription ends. An expired one is answered as is.
   * @throws {FaturaError} `RESOURCE_MISSING`, `SESSION_NOT_OPEN` when it is complete, `PAYMENT_IN_PROGRESS` while a
   * payment is on its way, `INVALID_STATE` while the test clock advances.
   */
  expire(id: string, options?: WriteOptions): Answer<CheckoutSession> {
    return this.#transport.send('checkoutSessions.expire', { id }, options);
  }
}
