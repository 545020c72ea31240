import type { Answer } from '../answer.ts';
import type { PaymentIntent, PaymentIntentListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** The charge records of invoices. All amounts are integer cents. */
export class PaymentIntents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads one charge: at most 100 a minute for each key.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<PaymentIntent> {
    return this.#transport.send('paymentIntents.retrieve', { id }, options);
  }

  /**
   * Charges, newest first, by customer, invoice, status, method, amount (cents), or instant of creation or payment (Unix
   * seconds). With `invoice_id` also the surplus payments of that invoice, which are returned to the payer.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: PaymentIntentListParams = {}, options?: RequestOptions): List<PaymentIntent> {
    return new List(
      (cursor) => this.#transport.request('paymentIntents.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
