import type { Answer } from '../answer.ts';
import type { CollectionSettings as CollectionSettingsObject, CollectionSettingsUpdate } from '../generated/types.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** How unpaid invoices are collected, and what buyers may do by themselves, in the mode of the key. */
export class CollectionSettings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads the settings. */
  retrieve(options?: RequestOptions): Answer<CollectionSettingsObject> {
    return this.#transport.send('collectionSettings.retrieve', {}, options);
  }

  /**
   * Changes the fields sent; an open invoice keeps its days.
   * @throws {FaturaError} `RESOURCE_MISSING` when a price of `portal.change_prices` does not exist, `PRICE_TYPE_MISMATCH` when
   * it does not recur, `LATE_FEES_ABOVE_LIMIT` of a fine above 2 percent or interest above 1 percent a month, `INVALID_STATE` while the test clock advances.
   */
  update(changes: CollectionSettingsUpdate, options?: WriteOptions): Answer<CollectionSettingsObject> {
    return this.#transport.send('collectionSettings.update', { body: changes }, options);
  }
}
