import type { Mail, MailListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** What was written to buyers and to you. */
export class Mails {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * E-mails, newest first, sent or not. `invoices.send` writes to a buyer again.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: MailListParams = {}, options?: RequestOptions): List<Mail> {
    return new List(
      (cursor) => this.#transport.request('mails.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
