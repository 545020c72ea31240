import type { Collection } from '@fatura/sdk';
import { type Column, Rows } from '../../parts/list.tsx';
import { Panel } from '../../parts/page.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { paymentTexts } from '../../texts/payments.ts';
import { collectionTexts } from './texts.ts';

type Row = Collection['recovery'][number] & { readonly id: string };

function useColumns(): readonly Column<Row>[] {
  const { recovery: texts } = useTexts(collectionTexts);
  const { declines } = useTexts(paymentTexts);
  const { money, number, percent } = useFormat();
  return [
    { id: 'reason', name: texts.reason, isHead: true, show: ({ reason }) => declines[reason] },
    {
      id: 'share',
      name: texts.share,
      align: 'end',
      isCorner: true,
      show: ({ declined, recovered }) => <strong>{percent(recovered.count / declined.count)}</strong>,
    },
    {
      id: 'invoices',
      name: texts.invoices,
      align: 'end',
      show: ({ declined, recovered }) => texts.of(number(recovered.count), number(declined.count)),
    },
    {
      id: 'amount',
      name: texts.amount,
      align: 'end',
      show: ({ declined, recovered }) => texts.of(money(recovered.amount), money(declined.amount)),
    },
  ];
}

/** Which declined renewals were paid since, by the reason of their first decline. */
export function Recovery({ recovery }: Pick<Collection, 'recovery'>) {
  const { recovery: texts } = useTexts(collectionTexts);
  const columns = useColumns();
  const rows = recovery.map((row) => ({ id: row.reason, ...row }));
  return (
    <Panel title={texts.title}>
      <p className="soft">{rows.length === 0 ? texts.empty : texts.about}</p>
      {rows.length > 0 && <Rows label={texts.title} rows={rows} columns={columns} hasOwnKeys={false} />}
    </Panel>
  );
}
