import type { Answer } from '../answer.ts';
import type { Product, ProductCreate, ProductListParams, ProductUpdate } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** What you sell. */
export class Products {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a product, which then needs a price.
   * @throws {FaturaError} `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  create(product: ProductCreate, options?: WriteOptions): Answer<Product> {
    return this.#transport.send('products.create', { body: product }, options);
  }

  /**
   * Reads one product.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Product> {
    return this.#transport.send('products.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one. With `active: false` no new purchase can use its prices.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: ProductUpdate, options?: WriteOptions): Answer<Product> {
    return this.#transport.send('products.update', { id, body: changes }, options);
  }

  /**
   * Products, newest first, by `active`, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: ProductListParams = {}, options?: RequestOptions): List<Product> {
    return new List(
      (cursor) => this.#transport.request('products.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
