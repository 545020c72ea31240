import type { Answer } from '../answer.ts';
import type { Coupon, CouponCreate, CouponListParams, CouponUpdate } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** The terms of discounts that are redeemed by an id, or by promotion codes. */
export class Coupons {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a coupon. What it takes off, off what and how often never changes.
   * @throws {FaturaError} `RESOURCE_MISSING` for a product or price that it applies to, `EXTERNAL_CODE_TAKEN`,
   * `INVALID_STATE` while the test clock advances.
   */
  create(coupon: CouponCreate, options?: WriteOptions): Answer<Coupon> {
    return this.#transport.send('coupons.create', { body: coupon }, options);
  }

  /**
   * Reads one coupon.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Coupon> {
    return this.#transport.send('coupons.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one. What was redeemed keeps its terms.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: CouponUpdate, options?: WriteOptions): Answer<Coupon> {
    return this.#transport.send('coupons.update', { id, body: changes }, options);
  }

  /**
   * Coupons, newest first, by `active`, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: CouponListParams = {}, options?: RequestOptions): List<Coupon> {
    const fetchPage = (cursor: CouponListParams) =>
      this.#transport.request('coupons.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }
}
