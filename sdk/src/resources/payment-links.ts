import type { Answer } from '../answer.ts';
import type { PaymentLink, PaymentLinkCreate, PaymentLinkListParams, PaymentLinkUpdate } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Pages that sell the same to whoever opens them: each buyer gets a checkout session of their own. */
export class PaymentLinks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a payment link of prices, or of an amount; share its `url`. What it sells never changes.
   * @throws {FaturaError} `RESOURCE_MISSING` for a price that it sells, `EXTERNAL_CODE_TAKEN`, `PRICE_INACTIVE`,
   * `PRICE_TYPE_MISMATCH`, `INTERVALS_DIFFER`, `TOO_MANY_LINE_ITEMS`, `LATE_FEES_ABOVE_LIMIT`,
   * `INVALID_STATE` while the test clock advances.
   */
  create(paymentLink: PaymentLinkCreate, options?: WriteOptions): Answer<PaymentLink> {
    return this.#transport.send('paymentLinks.create', { body: paymentLink }, options);
  }

  /**
   * Reads one payment link, with how often it was paid.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<PaymentLink> {
    return this.#transport.send('paymentLinks.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one. Sessions that are open go on.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: PaymentLinkUpdate, options?: WriteOptions): Answer<PaymentLink> {
    return this.#transport.send('paymentLinks.update', { id, body: changes }, options);
  }

  /**
   * Payment links, newest first, by `active`, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: PaymentLinkListParams = {}, options?: RequestOptions): List<PaymentLink> {
    const fetchPage = (cursor: PaymentLinkListParams) =>
      this.#transport.request('paymentLinks.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }
}
