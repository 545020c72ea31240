import type {
  AgingReport,
  Dispute,
  Fatura,
  RequestOptions,
  SubscriptionsReport,
  Summary,
  WebhookEndpoint,
} from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { useRead } from '../../api/queries.ts';
import { secondsOfDays } from '../../parts/period.ts';

/** What somebody may have to look at, as it stands now. */
export interface StartFacts {
  readonly summary: Summary;
  readonly aging: AgingReport;
  readonly subscriptions: SubscriptionsReport['now'];
  /** Those that wait for an answer, and those of the last week. */
  readonly waiting: readonly Dispute[];
  readonly recent: readonly Dispute[];
  readonly unstable: readonly WebhookEndpoint[];
  readonly hasUndelivered: boolean;
}

const EVERY_MS = 60_000;
const SHOWN_MAX = 100;
const WEEK = 6;

async function readStart(fatura: Fatura, today: CalendarDate, options: RequestOptions): Promise<StartFacts> {
  const day = today.toString();
  const { gte } = secondsOfDays({ from: today.subtract({ days: WEEK }), until: today });
  const week = { created_gte: gte, limit: SHOWN_MAX };
  const [summary, aging, { now }, waiting, recent, endpoints, undelivered] = await Promise.all([
    fatura.summary.retrieve({}, options),
    fatura.reports.aging(options),
    fatura.reports.subscriptions({ from: day, until: day }, options),
    fatura.disputes.list({ status: 'needs_response', limit: SHOWN_MAX }, options).all({ max: SHOWN_MAX }),
    fatura.disputes.list(week, options).all({ max: SHOWN_MAX }),
    fatura.webhookEndpoints.list({ limit: SHOWN_MAX }, options).all({ max: SHOWN_MAX }),
    fatura.events.list({ delivery_status: 'failed', created_gte: gte, limit: 1 }, options).all({ max: 1 }),
  ]);
  return {
    summary,
    aging,
    subscriptions: now,
    waiting,
    recent,
    unstable: endpoints.filter(({ status }) => status === 'unstable'),
    hasUndelivered: undelivered.length > 0,
  };
}

export const useStart = (today: CalendarDate | undefined) =>
  useRead(
    ['start', today?.toString()],
    (fatura, options) => {
      if (today === undefined) throw new Error('the day is not known yet');
      return readStart(fatura, today, options);
    },
    { enabled: today !== undefined, everyMs: EVERY_MS },
  );

/** How far somebody new has come in the sandbox; ids lead to what is there. */
export interface Steps {
  readonly invoice: string | null;
  readonly paid: string | null;
  readonly isRefunded: boolean;
}

/** The newest invoice, and whether any was paid and returned. */
export const useSteps = (isSandbox: boolean) =>
  useRead(
    ['start', 'steps'],
    async (fatura, options): Promise<Steps> => {
      const one = { limit: 1 };
      const first = { max: 1 };
      const [[invoice], [paid], refunds] = await Promise.all([
        fatura.invoices.list(one, options).all(first),
        fatura.paymentIntents.list({ ...one, paid_at_gte: 0 }, options).all(first),
        fatura.refunds.list(one, options).all(first),
      ]);
      return {
        invoice: invoice?.id ?? null,
        paid: paid?.invoice ?? null,
        isRefunded: refunds.length > 0,
      };
    },
    { enabled: isSandbox },
  );
