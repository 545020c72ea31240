import type { Answer } from '../answer.ts';
import type {
  AgingReport,
  CashFlowReport,
  CashFlowReportParams,
  SubscriptionsReport,
  SubscriptionsReportParams,
} from '../generated/types.ts';
import type { RequestOptions, Transport } from '../transport.ts';

/** Sums over days and months in America/Sao_Paulo. All amounts are integer cents. */
export class Reports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Money by the instant that it came and went, a row for each day or month from `from` until `until` (`yyyy-mm-dd`, both within).
   * @throws {FaturaError} `PARAMETER_INVALID` when the period is longer than 366 days, or ends before it begins.
   */
  cashFlow(params: CashFlowReportParams, options?: RequestOptions): Answer<CashFlowReport> {
    return this.#transport.send('reports.cashFlow', { query: params }, options);
  }

  /** Open invoices as they stand now, by how many days late they are. */
  aging(options?: RequestOptions): Answer<AgingReport> {
    return this.#transport.send('reports.aging', {}, options);
  }

  /**
   * Subscriptions that began and ended, a row for each day or month from `from` until `until`, and how all stand now.
   * @throws {FaturaError} `PARAMETER_INVALID` when the period is longer than 366 days, or ends before it begins.
   */
  subscriptions(params: SubscriptionsReportParams, options?: RequestOptions): Answer<SubscriptionsReport> {
    return this.#transport.send('reports.subscriptions', { query: params }, options);
  }
}
