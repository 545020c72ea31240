import type { Answer } from '../answer.ts';
import type { InvoiceItem, InvoiceItemCreate, InvoiceItemListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Charges and credits that wait for the next bill of a subscription. */
export class InvoiceItems {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a charge or a credit (amounts in cents) that the next bill of a subscription, or of any of a customer, takes.
   * @throws {FaturaError} `RESOURCE_MISSING`, `PRICE_TYPE_MISMATCH` or `PRICE_INACTIVE` of a price, `INVALID_STATE` of an inactive
   * subscription or an anonymized customer, or while the test clock advances.
   */
  create(item: InvoiceItemCreate, options?: WriteOptions): Answer<InvoiceItem> {
    return this.#transport.send('invoiceItems.create', { body: item }, options);
  }

  /**
   * Reads one item.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<InvoiceItem> {
    return this.#transport.send('invoiceItems.retrieve', { id }, options);
  }

  /**
   * Items, newest first, by customer, subscription, type, status or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: InvoiceItemListParams = {}, options?: RequestOptions): List<InvoiceItem> {
    const fetchPage = (cursor: InvoiceItemListParams) =>
      this.#transport.request('invoiceItems.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }

  /**
   * Takes back an item that no bill took anything of; it stays readable as `deleted`.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` once a bill took some of it, or while the test clock advances.
   */
  delete(id: string, options?: WriteOptions): Answer<InvoiceItem> {
    return this.#transport.send('invoiceItems.delete', { id }, options);
  }
}
