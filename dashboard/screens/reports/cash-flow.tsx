import type { CashFlowReport, CashFlowRow } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Pending } from '../../parts/pending.tsx';
import { type Days, periodText } from '../../parts/period.ts';
import { useTexts } from '../../texts/language.tsx';
import type { Cell } from './csv.ts';
import { type ReportColumn, ReportTable } from './report-table.tsx';
import { useRowDays } from './row-days.ts';
import type { Interval } from './search.ts';
import { reportTexts } from './texts.ts';

/** Three ways to look at the same money. */
export type MoneyReport = 'sales' | 'receipts' | 'refunds';

type Row = CashFlowRow & { readonly isTotal?: boolean };

const money = (cents: number): Cell => ({ kind: 'money', cents });
const count = (many: number): Cell => ({ kind: 'count', count: many });

function useColumns(report: MoneyReport): readonly ReportColumn<Row>[] {
  const texts = useTexts(reportTexts);
  const daysOf = useRowDays();
  const days: ReportColumn<Row> = {
    id: 'days',
    name: texts.when,
    cell: (row) => (row.isTotal === true ? { kind: 'text', text: texts.total } : daysOf(row)),
  };
  const columns: Readonly<Record<MoneyReport, readonly ReportColumn<Row>[]>> = {
    sales: [
      { id: 'count', name: texts.payments, cell: ({ received }) => count(received.count) },
      { id: 'pix', name: texts.pix, cell: ({ received }) => money(received.pix) },
      { id: 'card', name: texts.card, cell: ({ received }) => money(received.card) },
      {
        id: 'total',
        name: texts.sold,
        hasBar: true,
        isCorner: true,
        cell: ({ received }) => money(received.total),
      },
    ],
    receipts: [
      { id: 'received', name: texts.received, cell: ({ received }) => money(received.total) },
      { id: 'refunded', name: texts.refunded, cell: ({ refunded }) => money(-refunded.amount) },
      {
        id: 'disputed',
        name: texts.disputed,
        cell: ({ disputed, reinstated }) => money(reinstated.amount - disputed.amount),
      },
      { id: 'surplus', name: texts.surplus, cell: (row) => money(row.surplus_received - row.surplus_returned) },
      { id: 'net', name: texts.net, isCorner: true, hasBar: true, cell: ({ net }) => money(net) },
    ],
    refunds: [
      { id: 'count', name: texts.refunds, cell: ({ refunded }) => count(refunded.count) },
      {
        id: 'amount',
        name: texts.amount,
        hasBar: true,
        isCorner: true,
        cell: ({ refunded }) => money(refunded.amount),
      },
    ],
  };
  return [days, ...columns[report]];
}

const linkToSales = ({ from, until }: CashFlowReport | Row) => ({
  to: '/sales',
  params: { id: '' },
  search: { period: `${from}_${until}` },
});

/** Money by day or month: what was sold, what came and went, or what was returned. */
export function CashFlow({ report, days, by }: { report: MoneyReport; days: Days; by: Interval }) {
  const texts = useTexts(reportTexts);
  const columns = useColumns(report);
  const period = { from: days.from.toString(), until: days.until.toString(), by };
  const { data, error, refetch } = useRead(['reports', 'cash_flow', period], (fatura, options) =>
    fatura.reports.cashFlow(period, options),
  );
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const { from, until } = data;
  return (
    <ReportTable
      label={texts.reports[report]}
      columns={columns}
      rows={data.rows}
      totals={{ ...data.totals, from, until, isTotal: true }}
      about={texts.about[report]}
      file={`${texts.files[report]}-${periodText(days)}`}
      {...(report === 'sales' && { link: linkToSales })}
    />
  );
}
