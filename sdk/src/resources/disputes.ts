import type { Answer } from '../answer.ts';
import type { Dispute, DisputeListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** Money of payments that a bank took back unasked, such as by the rules of MED. All amounts are integer cents. */
export class Disputes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads one dispute.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Dispute> {
    return this.#transport.send('disputes.retrieve', { id }, options);
  }

  /**
   * Disputes, newest first, by payment intent, invoice, customer, status or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: DisputeListParams = {}, options?: RequestOptions): List<Dispute> {
    return new List(
      (cursor) => this.#transport.request('disputes.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
