import type { PixReceipt } from '@fatura/sdk';
import { useReadList } from '../../api/queries.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { type Days, secondsOfDays } from '../../parts/period.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { Sum } from '../../parts/sum.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { reportTexts } from './texts.ts';

const tones: Readonly<Record<PixReceipt['result'], Tone>> = { settled: 'good', surplus: 'warn', undecided: 'calm' };

function useColumns(): readonly Column<PixReceipt>[] {
  const texts = useTexts(reportTexts);
  return [
    { id: 'when', name: texts.bankDate, show: ({ paid_at }) => <When at={paid_at} /> },
    { id: 'customer', name: texts.customer, isHead: true, show: ({ customer_name }) => customer_name },
    {
      id: 'codes',
      name: texts.codes,
      show: ({ id, txid }) => (
        <span className="stacked codes">
          <Copyable text={id} name={texts.endToEnd} />
          <Copyable text={txid} name="txid" />
        </span>
      ),
    },
    {
      id: 'amount',
      name: texts.received,
      align: 'end',
      isCorner: true,
      show: ({ amount }) => <Money cents={amount} />,
    },
    { id: 'difference', name: texts.difference, align: 'end', show: ({ difference }) => <Money cents={difference} /> },
    {
      id: 'result',
      name: texts.result,
      show: ({ result, amount_refunded: refunded, amount_disputed: disputed }) => (
        <span className="stacked">
          <Status tone={tones[result]}>{texts.results[result]}</Status>
          {refunded > 0 && (
            <small>
              {texts.refunded} <Money cents={refunded} />
            </small>
          )}
          {disputed > 0 && (
            <small>
              {texts.taken} <Money cents={disputed} />
            </small>
          )}
        </span>
      ),
    },
  ];
}

/** Each PIX as the bank received it, to be ticked off a bank statement. */
export function PixReceipts({ days }: { days: Days }) {
  const texts = useTexts(reportTexts);
  const { gte, lte } = secondsOfDays(days);
  const params = { paid_at_gte: gte, paid_at_lte: lte };
  const query = useReadList(['pix_receipts', params], (fatura, cursor, options) =>
    fatura.pixReceipts.list({ ...params, ...cursor }, options),
  );
  return (
    <div className="list">
      <div className="about">
        <p className="soft">{texts.about.pix}</p>
        <ExportButton order={{ type: 'pix_receipts', filters: params }} />
      </div>
      <List
        label={texts.reports.pix}
        query={query}
        columns={useColumns()}
        link={({ invoice, payment_intent: payment }) => ({
          to: '/invoices/$id',
          params: { id: invoice },
          ...(payment !== null && { search: { payment } }),
        })}
        empty={<p>{texts.noPix}</p>}
        footer={(rows) => (
          <Sum
            of={['pix_receipts', params]}
            rows={rows}
            centsOf={({ amount }) => amount}
            hasMore={query.hasNextPage}
            read={(fatura, options) => fatura.pixReceipts.list({ ...params, limit: 100 }, options)}
          />
        )}
      />
    </div>
  );
}
