import type { Answer } from '../answer.ts';
import type { Search as Found, SearchParams } from '../generated/types.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** One box for names, e-mails, numbers, amounts, cards, codes and ids. */
export class Search {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Finds what `query` names: parts of a name or an e-mail, a CPF, CNPJ or phone number or its first 6 digits, an amount (`99,90`),
   * the last 4 digits of a card, an external code, a txid, an end-to-end id, or any id. Each group holds up to `limit` objects
   * (5 by default, at most 10); a customer that is found brings its newest invoices, charges, subscriptions and sessions along.
   * @throws {FaturaError} `PARAMETER_INVALID` when `query` has less than 3 or more than 200 characters.
   */
  retrieve(params: SearchParams, options?: RequestOptions): Answer<Found> {
    return this.#transport.send('search.retrieve', { query: params }, options);
  }
}
