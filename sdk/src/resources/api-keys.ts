import type { Answer } from '../answer.ts';
import type { ApiKey, ApiKeyCreate, ApiKeyListParams, ApiKeyRollBody, ApiKeyUpdate } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** The keys of the account in the mode of this client's own key, which must be one that may do everything. */
export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Makes a key. The answer alone shows its `key`. It ends no later than this client's own key, and may be used from no
   * other networks.
   * @throws {FaturaError} `INVALID_STATE` beyond 20 valid keys, or while the test clock advances.
   */
  create(key: ApiKeyCreate, options?: WriteOptions): Answer<ApiKey> {
    return this.#transport.send('apiKeys.create', { body: key }, options);
  }

  /**
   * Reads one key, without the key itself.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<ApiKey> {
    return this.#transport.send('apiKeys.retrieve', { id }, options);
  }

  /**
   * Keys, newest first, those that ended too.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: ApiKeyListParams = {}, options?: RequestOptions): List<ApiKey> {
    return new List(
      (cursor) => this.#transport.request('apiKeys.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Changes the fields sent.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: ApiKeyUpdate, options?: WriteOptions): Answer<ApiKey> {
    return this.#transport.send('apiKeys.update', { id, body: changes }, options);
  }

  /**
   * Puts another key in the place of one, which stays valid for so many `hours` (default 24). The answer alone shows the
   * new `key`.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is not valid, was rolled already, or would be one of
   * more than 20, or while the test clock advances.
   */
  roll(id: string, body: ApiKeyRollBody = {}, options?: WriteOptions): Answer<ApiKey> {
    return this.#transport.send('apiKeys.roll', { id, body }, options);
  }

  /**
   * Ends a key at once. One that is over already is answered as it stands.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` for the last valid full key, or while the test clock advances.
   */
  revoke(id: string, options?: RequestOptions): Answer<ApiKey> {
    return this.#transport.send('apiKeys.revoke', { id }, options);
  }
}
