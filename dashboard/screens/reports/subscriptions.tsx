import type { SubscriptionsReport, SubscriptionsReportRow } from '@fatura/sdk';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Money } from '../../parts/money.tsx';
import { Pending } from '../../parts/pending.tsx';
import { type Days, periodText } from '../../parts/period.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { type ReportColumn, ReportTable } from './report-table.tsx';
import { useRowDays } from './row-days.ts';
import type { Interval } from './search.ts';
import { reportTexts } from './texts.ts';

type Row = SubscriptionsReportRow & { readonly before: number; readonly isTotal?: boolean };

/** What was lost of those who were there before; null: nobody was. */
const churnOf = (canceled: number, before: number): number | null => (before === 0 ? null : canceled / before);

function Figure({ name, value, children }: { name: string; value: ReactNode; children?: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {children}
      </dd>
    </div>
  );
}

function Now({ now, totals }: Pick<SubscriptionsReport, 'now' | 'totals'>) {
  const texts = useTexts(reportTexts);
  const { number, percent } = useFormat();
  const churn = churnOf(totals.canceled, totals.subscribers_before);
  return (
    <dl className="figures">
      <Figure name={texts.mrr} value={<Money cents={now.mrr} />}>
        <small>{texts.mrrHint}</small>
      </Figure>
      <Figure name={texts.active} value={number(now.active)}>
        <small>{texts.pending(now.pending)}</small>
      </Figure>
      <Figure name={texts.suspended} value={number(now.suspended)}>
        <small>{texts.suspendedHint}</small>
      </Figure>
      <Figure name={texts.churn} value={churn === null ? '—' : percent(churn)}>
        <small>{texts.churnHint(totals.canceled, totals.subscribers_before)}</small>
      </Figure>
    </dl>
  );
}

function useColumns(): readonly ReportColumn<Row>[] {
  const texts = useTexts(reportTexts);
  const daysOf = useRowDays();
  const count = (many: number) => ({ kind: 'count', count: many }) as const;
  return [
    {
      id: 'days',
      name: texts.when,
      cell: (row) => (row.isTotal === true ? { kind: 'text', text: texts.total } : daysOf(row)),
    },
    { id: 'started', name: texts.started, cell: ({ started }) => count(started) },
    { id: 'canceled', name: texts.canceled, cell: ({ canceled }) => count(canceled) },
    {
      id: 'churn',
      name: texts.churnColumn,
      cell: ({ canceled, before }) => ({ kind: 'share', share: churnOf(canceled, before) }),
    },
    {
      id: 'subscribers',
      name: texts.subscribers,
      hasBar: true,
      isCorner: true,
      cell: ({ subscribers }) => count(subscribers),
    },
  ];
}

/** Who began and who left, and what those who are there bill a month. */
export function Subscriptions({ days, by }: { days: Days; by: Interval }) {
  const texts = useTexts(reportTexts);
  const columns = useColumns();
  const period = { from: days.from.toString(), until: days.until.toString(), by };
  const { data, error, refetch } = useRead(['reports', 'subscriptions', period], (fatura, options) =>
    fatura.reports.subscriptions(period, options),
  );
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const { from, until, totals } = data;
  const rows = data.rows.map((row) => ({ ...row, before: row.subscribers - row.started + row.canceled }));
  return (
    <>
      <Now {...data} />
      <ReportTable
        label={texts.reports.subscriptions}
        columns={columns}
        rows={rows}
        totals={{ ...totals, from, until, before: totals.subscribers_before, isTotal: true }}
        about={texts.about.subscriptions}
        file={`${texts.files.subscriptions}-${periodText(days)}`}
      />
    </>
  );
}
