import { afterAll, beforeAll } from 'vitest';
import type * as wire from '../../../sdk/src/generated/types.ts';
import type { PriceCreate } from '../../../sdk/src/index.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { send } from '../requests.ts';

/** An API with one merchant, who has one product. */
export class CatalogScene {
  #running: { api: TestApi; merchant: Merchant; productId: string } | null = null;

  constructor() {
    beforeAll(async () => {
      const api = await startApi();
      const merchant = await api.newMerchant();
      const { id: productId } = await merchant.fatura.products.create({ name: 'Plano Ouro' });
      this.#running = { api, merchant, productId };
    });
    afterAll(() => this.api.stop());
  }

  get #started() {
    if (this.#running === null) throw new Error('the API starts before the first test');
    return this.#running;
  }
  get api(): TestApi {
    return this.#started.api;
  }
  get merchant(): Merchant {
    return this.#started.merchant;
  }
  get productId(): string {
    return this.#started.productId;
  }

  readonly post = (path: string, body: unknown) =>
    send(this.api, { method: 'POST', path, key: this.merchant.sandboxKey, body });
  readonly patch = (path: string, body: unknown) =>
    send(this.api, { method: 'PATCH', path, key: this.merchant.sandboxKey, body });

  /** A new price of the product; a refused one may lack its recurrence, or have one too many. */
  readonly oneTime = (overrides: Partial<wire.PriceCreate> = {}): PriceCreate =>
    ({ product_id: this.productId, unit_amount: 9990, type: 'one_time', ...overrides }) as PriceCreate;
  readonly monthly = (overrides: Partial<wire.PriceCreate> = {}): PriceCreate =>
    this.oneTime({ type: 'recurring', recurring: { interval: 'month' }, ...overrides });
}
