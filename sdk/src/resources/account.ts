import type { Answer } from '../answer.ts';
import type { AccountUpdate, Account as MerchantAccount } from '../generated/types.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Your account: one for both modes, shown to buyers on pages and in e-mails. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads the account of the API key. */
  retrieve(options?: RequestOptions): Answer<MerchantAccount> {
    return this.#transport.send('account.retrieve', {}, options);
  }

  /**
   * Changes the fields sent; null clears all but `name`. A `logo_url` is fetched before the answer: give it time.
   * @throws {FaturaError} `LOGO_REFUSED` when what is there is no PNG, JPEG or WebP within its limits,
   * `INVALID_STATE` while the test clock advances.
   */
  update(changes: AccountUpdate, options?: WriteOptions): Answer<MerchantAccount> {
    return this.#transport.send('account.update', { body: changes }, options);
  }
}
