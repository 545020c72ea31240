import type { Answer } from '../answer.ts';
import type { Price, PriceCreate } from '../forms.ts';
import type { PriceListParams, PriceUpdate } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** What a product costs, once or each period. */
export class Prices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a price. `unit_amount` is in cents, 0 to 999999: R$ 99,90 is 9990. Amount, type and recurrence never
   * change; for others create another price and deactivate this one. With an `external_code` in use, the same fields
   * answer the price that holds it.
   * @throws {FaturaError} `RESOURCE_MISSING` for the product, `EXTERNAL_CODE_TAKEN` with other fields,
   * `INVALID_STATE` while the test clock advances.
   */
  create(price: PriceCreate, options?: WriteOptions): Answer<Price> {
    // The service shows `recurring` exactly with that type.
    return this.#transport.send('prices.create', { body: price }, options) as Answer<Price>;
  }

  /**
   * Reads one price.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Price> {
    return this.#transport.send('prices.retrieve', { id }, options) as Answer<Price>; // as in `create`
  }

  /**
   * Changes the fields sent; null clears an optional one.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: PriceUpdate, options?: WriteOptions): Answer<Price> {
    return this.#transport.send('prices.update', { id, body: changes }, options) as Answer<Price>; // as in `create`
  }

  /**
   * Prices, newest first, by `active`, product, type, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: PriceListParams = {}, options?: RequestOptions): List<Price> {
    const fetchPage = (cursor: PriceListParams) =>
      this.#transport.request('prices.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params) as List<Price>; // as in `create`
  }
}
