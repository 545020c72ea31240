import type { Answer } from '../answer.ts';
import type { Summary as DaySummary, SummaryParams } from '../generated/types.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** The figures of a day in America/Sao_Paulo. All amounts are integer cents. */
export class Summary {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads what was received, falls due, was refunded and was declined on a day (`yyyy-mm-dd`, default today), beside what was
   * received on the same day of the week before.
   * @throws {FaturaError} `PARAMETER_INVALID` when `date` is no day of the calendar.
   */
  retrieve(params: SummaryParams = {}, options?: RequestOptions): Answer<DaySummary> {
    return this.#transport.send('summary.retrieve', { query: params }, options);
  }
}
