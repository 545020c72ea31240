import type { Answer } from '../answer.ts';
import type { Export, ExportCreate, ExportListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Filtered lists as files for Excel in Portuguese, written in the background and kept for 24 hours. */
export class Exports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Has a list written into a file: `type` names it, `filters` are those of its own `list`, `columns` are fields of the API.
   * `export.completed` tells when the file can be fetched from its `url`.
   * @throws {FaturaError} `RATE_LIMITED` while 2 are being written, or 100 are kept, `INVALID_STATE` while the test clock advances.
   */
  create(params: ExportCreate, options?: WriteOptions): Answer<Export> {
    return this.#transport.send('exports.create', { body: params }, options);
  }

  /**
   * Reads one export; `url` is null until it is completed, and once it has expired.
   * @throws {FaturaError} `RESOURCE_MISSING`, also from a day after it was completed.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Export> {
    return this.#transport.send('exports.retrieve', { id }, options);
  }

  /**
   * Exports, newest first.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: ExportListParams = {}, options?: RequestOptions): List<Export> {
    return new List(
      (cursor) => this.#transport.request('exports.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
