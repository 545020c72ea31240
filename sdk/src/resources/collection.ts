import type { Answer } from '../answer.ts';
import type { CollectedInvoice, CollectedInvoiceListParams, Collection as Unpaid } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** What is unpaid behind its due date. Amounts are integer cents, instants Unix seconds. */
export class Collection {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads how many invoices are late and what they come to, by the days of collection of the account. */
  retrieve(options?: RequestOptions): Answer<Unpaid> {
    return this.#transport.send('collection.retrieve', {}, options);
  }

  /**
   * Open invoices behind their due date, newest first, of all stages or of one (an `id` of `retrieve`), each with what is
   * done with it next.
   * @throws {FaturaError} `PARAMETER_INVALID` for a stage that the account has not, `CURSOR_INVALID`.
   */
  listInvoices(params: CollectedInvoiceListParams = {}, options?: RequestOptions): List<CollectedInvoice> {
    return new List(
      (cursor) => this.#transport.request('collection.listInvoices', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
