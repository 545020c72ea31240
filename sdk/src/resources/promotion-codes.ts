import type { Answer } from '../answer.ts';
import type {
  PromotionCode,
  PromotionCodeCreate,
  PromotionCodeListParams,
  PromotionCodeUpdate,
} from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** What buyers type to redeem a coupon. */
export class PromotionCodes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a promotion code of a coupon, in capitals.
   * @throws {FaturaError} `RESOURCE_MISSING` for the coupon or the customer, `EXTERNAL_CODE_TAKEN` where another active
   * code has this text, `INVALID_STATE` for an anonymized customer, or while the test clock advances.
   */
  create(code: PromotionCodeCreate, options?: WriteOptions): Answer<PromotionCode> {
    return this.#transport.send('promotionCodes.create', { body: code }, options);
  }

  /**
   * Reads one promotion code.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<PromotionCode> {
    return this.#transport.send('promotionCodes.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN` where another active code has its text meanwhile,
   * `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: PromotionCodeUpdate, options?: WriteOptions): Answer<PromotionCode> {
    return this.#transport.send('promotionCodes.update', { id, body: changes }, options);
  }

  /**
   * Promotion codes, newest first, by `active`, text, coupon, customer or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: PromotionCodeListParams = {}, options?: RequestOptions): List<PromotionCode> {
    const fetchPage = (cursor: PromotionCodeListParams) =>
      this.#transport.request('promotionCodes.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }
}
