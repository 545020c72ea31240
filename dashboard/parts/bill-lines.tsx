import type { Invoice, InvoicePreview } from '@fatura/sdk';
import { useFormat } from '../texts/format.ts';
import { invoiceItemTexts } from '../texts/invoice-items.ts';
import { useTexts } from '../texts/language.tsx';
import { Money } from './money.tsx';
import { When } from './when.tsx';

type Bill = Pick<Invoice | InvoicePreview, 'line_items' | 'discounts' | 'credits'>;

/** What a line is for, and of which period, where its description alone does not tell. */
function LineKindNote({ line }: { line: Bill['line_items']['data'][number] }) {
  const kind = useTexts(invoiceItemTexts).kinds[line.kind];
  if (kind === null) return null;
  return (
    <small className="soft">
      {' '}
      {kind}
      {line.period_start !== null && (
        <>
          , <When at={line.period_start} as="date" /> – <When at={line.period_end} as="date" />
        </>
      )}
    </small>
  );
}

/** What a bill is made of: its lines, then the discounts and the credits that are taken off. */
export function BillLines({ bill, label }: { bill: Bill; label: string }) {
  const texts = useTexts(invoiceItemTexts);
  const { money, percentage: percentageOf } = useFormat();
  return (
    <ul className="lines" aria-label={label}>
      {bill.line_items.data.map((line, index) => (
        // One price may stand on two lines, and lines never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identifier of its own
        <li key={`line ${index}`}>
          <span>
            {line.description}
            {line.quantity > 1 && (
              <small className="soft">
                {' '}
                {line.quantity} × {money(line.unit_amount)}
              </small>
            )}
            <LineKindNote line={line} />
          </span>
          <Money cents={line.amount} />
        </li>
      ))}
      {bill.discounts.data.map(({ description, percentage, amount_cents: amount }) => (
        <li key={`${description}${percentage}${amount}`} className="soft">
          <span>{texts.discount(description ?? (percentage === null ? '' : percentageOf(percentage)))}</span>
          {amount !== null && <Money cents={-amount} />}
        </li>
      ))}
      {bill.credits.data.map(({ invoice_item: item, description, amount }) => (
        <li key={item} className="soft">
          <span>{description}</span>
          <Money cents={-amount} />
        </li>
      ))}
    </ul>
  );
}
