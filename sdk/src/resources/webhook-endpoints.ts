import type { Answer } from '../answer.ts';
import type {
  DeletedWebhookEndpoint,
  EndpointDelivery,
  EndpointDeliveryListParams,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointListParams,
  WebhookEndpointUpdate,
  WebhookRecoverBody,
  WebhookRecovery,
  WebhookTest,
} from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Where events are delivered: at most 5 in each mode. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Registers an endpoint. The answer alone shows its `secret`: keep it, `unwrap` needs it.
   * @throws {FaturaError} `WEBHOOK_URL_REFUSED`, `WEBHOOK_ENDPOINT_LIMIT`, `INVALID_STATE` while the test clock
   * advances.
   */
  create(endpoint: WebhookEndpointCreate, options?: WriteOptions): Answer<WebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.create', { body: endpoint }, options);
  }

  /**
   * Reads one endpoint, without its secret.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<WebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one.
   * @throws {FaturaError} `RESOURCE_MISSING`, `WEBHOOK_URL_REFUSED`, `INVALID_STATE` while the test clock advances.
   */
  update(id: string, changes: WebhookEndpointUpdate, options?: WriteOptions): Answer<WebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.update', { id, body: changes }, options);
  }

  /**
   * Endpoints, newest first, without their secrets.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: WebhookEndpointListParams = {}, options?: RequestOptions): List<WebhookEndpoint> {
    return new List(
      (cursor) => this.#transport.request('webhookEndpoints.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Gives an endpoint another secret, which the answer alone shows. For 24 hours deliveries are signed with both, so
   * that receivers can be moved; `unwrap` takes either.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while the test clock advances.
   */
  rotateSecret(id: string, options?: WriteOptions): Answer<WebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.rotateSecret', { id }, options);
  }

  /**
   * Sends a signed `webhook.test` and answers what the receiver said; nothing of it is stored.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while the test clock advances.
   */
  test(id: string, options?: WriteOptions): Answer<WebhookTest> {
    return this.#transport.send('webhookEndpoints.test', { id }, options);
  }

  /**
   * Switches an endpoint on and forgets its failures; what it missed is not sent by itself.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while the test clock advances.
   */
  enable(id: string, options?: WriteOptions): Answer<WebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.enable', { id }, options);
  }

  /**
   * Sends again what an endpoint did not accept since an instant: the same events under the same ids, oldest first.
   * `retrieveRecovery` tells how far it is. `since`: Unix seconds, at most 30 days back.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is disabled or a recovery is running.
   */
  recover(id: string, body: WebhookRecoverBody, options?: WriteOptions): Answer<WebhookRecovery> {
    return this.#transport.send('webhookEndpoints.recover', { id, body }, options);
  }

  /**
   * The newest recovery of an endpoint.
   * @throws {FaturaError} `RESOURCE_MISSING`, also where there was none.
   */
  retrieveRecovery(id: string, options?: RequestOptions): Answer<WebhookRecovery> {
    return this.#transport.send('webhookEndpoints.retrieveRecovery', { id }, options);
  }

  /**
   * Events that were meant for an endpoint, newest first, each with every attempt to deliver it; for 30 days.
   * @throws {FaturaError} `RESOURCE_MISSING`, `CURSOR_INVALID`.
   */
  deliveries(id: string, params: EndpointDeliveryListParams = {}, options?: RequestOptions): List<EndpointDelivery> {
    return new List(
      (cursor) =>
        this.#transport.request('webhookEndpoints.deliveries', { id, query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Deletes an endpoint; what was still to be delivered to it is not.
   * @throws {FaturaError} `RESOURCE_MISSING`, also when the answer to a first try was lost and the retry finds it gone,
   * `INVALID_STATE` while the test clock advances.
   */
  delete(id: string, options?: RequestOptions): Answer<DeletedWebhookEndpoint> {
    return this.#transport.send('webhookEndpoints.delete', { id }, options);
  }
}
