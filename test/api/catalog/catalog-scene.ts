import { afterAll, beforeAll } from 'vitest';
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

  /** A new price of the product. */
  readonly oneTime = (overrides: Partial<PriceCreate> = {}): PriceCreate => ({
    product_id: this.productId,
    unit_amount: 9990,
    type: 'one_time',
    ...overrides,
  });
  readonly monthly = (overrides: Partial<PriceCreate> = {}): PriceCreate =>
    this.oneTime({ type: 'recurring', recurring: { interval: 'month' }, ...overrides });
}
