import type { AuditLogEntry, AuditLogListParams } from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** Who did what to the account, and from where. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Entries of the mode of this client's key, and of both modes, newest first.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: AuditLogListParams = {}, options?: RequestOptions): List<AuditLogEntry> {
    return new List(
      (cursor) => this.#transport.request('auditLog.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
