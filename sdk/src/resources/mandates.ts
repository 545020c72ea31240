import type { Answer } from '../answer.ts';
import type { Mandate, MandateInput, MandateListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** What buyers authorised to be debited each period: Pix Automático. */
export class Mandates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Asks the buyer of a running subscription for a mandate alone; `qr` is what they authorise by, within seven days.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` of one that is neither active nor in its trial,
   * `MANDATE_EXISTS`, `MANDATE_INTERVAL_UNSUPPORTED`, `MANDATE_UNSUPPORTED`, `ACQUIRER_UNAVAILABLE`, `ACQUIRER_TIMEOUT`.
   */
  create(subscriptionId: string, mandate: MandateInput, options?: WriteOptions): Answer<Mandate> {
    return this.#transport.send('mandates.create', { id: subscriptionId, body: mandate }, options);
  }

  /**
   * Reads one mandate, with the QR code while it is pending.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Mandate> {
    return this.#transport.send('mandates.retrieve', { id }, options);
  }

  /**
   * Lists mandates, newest first.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: MandateListParams = {}, options?: RequestOptions): List<Mandate> {
    const fetchPage = (cursor: MandateListParams) =>
      this.#transport.request('mandates.list', { query: { ...params, ...cursor } }, options);
    return new List(fetchPage, params);
  }

  /**
   * Ends a mandate: nothing is debited by it any more, and the subscription goes on, paid by PIX. One that is over is
   * answered as it is.
   * @throws {FaturaError} `RESOURCE_MISSING`, `PAYMENT_IN_PROGRESS` while a debit cannot be cancelled any more,
   * `INVALID_STATE` while the test clock advances.
   */
  cancel(id: string, options?: WriteOptions): Answer<Mandate> {
    return this.#transport.send('mandates.cancel', { id }, options);
  }
}
