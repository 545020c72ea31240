import type { Answer } from '../answer.ts';
import type { StoredPaymentMethod, StoredPaymentMethodListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Cards that customers left for what renews. */
export class PaymentMethods {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The stored cards of a customer, newest first, with the subscriptions that are charged to each.
   * @throws {FaturaError} `RESOURCE_MISSING`, `CURSOR_INVALID`.
   */
  list(
    customerId: string,
    params: StoredPaymentMethodListParams = {},
    options?: RequestOptions,
  ): List<StoredPaymentMethod> {
    const fetchPage = (cursor: StoredPaymentMethodListParams) =>
      this.#transport.request('paymentMethods.list', { id: customerId, query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }

  /**
   * Reads one stored card.
   * @throws {FaturaError} `RESOURCE_MISSING`, also once it was deleted.
   */
  retrieve(id: string, options?: RequestOptions): Answer<StoredPaymentMethod> {
    return this.#transport.send('paymentMethods.retrieve', { id }, options);
  }

  /**
   * Makes a card the default of its customer: subscriptions that name none of their own are charged to it from now on.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while the test clock advances.
   */
  setDefault(id: string, options?: WriteOptions): Answer<StoredPaymentMethod> {
    return this.#transport.send('paymentMethods.setDefault', { id }, options);
  }

  /**
   * Deletes a card, at the acquirer too; what it paid can still be returned. Answers it as it was.
   * @throws {FaturaError} `RESOURCE_MISSING`, `PAYMENT_METHOD_IN_USE` while a subscription is charged to it, `INVALID_STATE`
   * while the test clock advances.
   */
  delete(id: string, options?: WriteOptions): Answer<StoredPaymentMethod> {
    return this.#transport.send('paymentMethods.delete', { id }, options);
  }
}
