import type { AgingRow } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type ReportColumn, ReportTable } from './report-table.tsx';
import { reportTexts } from './texts.ts';

type Row = Pick<AgingRow, 'amount' | 'count'> & { readonly age: AgingRow['age'] | 'total' };

/** Open invoices by how late they are, as they stand now. */
export function Aging() {
  const texts = useTexts(reportTexts);
  const { data, error, refetch } = useRead(['reports', 'aging'], (fatura, options) => fatura.reports.aging(options));
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const columns: readonly ReportColumn<Row>[] = [
    {
      id: 'age',
      name: texts.age,
      cell: ({ age }) => ({ kind: 'text', text: age === 'total' ? texts.total : texts.ages[age] }),
    },
    { id: 'count', name: texts.invoices, cell: ({ count }) => ({ kind: 'count', count }) },
    {
      id: 'amount',
      name: texts.toPay,
      hasBar: true,
      isCorner: true,
      cell: ({ amount }) => ({ kind: 'money', cents: amount }),
    },
  ];
  return (
    <ReportTable
      label={texts.reports.aging}
      columns={columns}
      rows={data.rows}
      totals={{ ...data.totals, age: 'total' }}
      about={texts.about.aging}
      file={`${texts.files.aging}-${data.date}`}
    />
  );
}
