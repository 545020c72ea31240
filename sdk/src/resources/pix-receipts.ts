import type { PixReceipt, PixReceiptListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** What banks received for your QR codes. All amounts are integer cents. */
export class PixReceipts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * PIX receipts with their txid and end-to-end id, newest first by the instant of the bank (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: PixReceiptListParams = {}, options?: RequestOptions): List<PixReceipt> {
    return new List(
      (cursor) => this.#transport.request('pixReceipts.list', { query: { ...params, ...cursor } }, options),
      {},
    );
  }
}
