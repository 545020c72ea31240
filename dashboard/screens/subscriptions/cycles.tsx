import type { Invoice } from '@fatura/sdk';
import { Link } from '@tanstack/react-router';
import { useReadList } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/page.tsx';
import { InvoiceStatusBadge } from '../../parts/payment.tsx';
import { Pending } from '../../parts/pending.tsx';
import { useNow } from '../../parts/period.ts';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionsTexts } from './texts.ts';

/** A year by months. */
const FIRST_PAGE = 12;

function Cycle({ invoice, now }: { invoice: Invoice; now: number | undefined }) {
  const texts = useTexts(subscriptionsTexts).one;
  const { period_start: from, period_end: until } = invoice;
  return (
    <li>
      <Link to="/invoices/$id" params={{ id: invoice.id }} className="cycle">
        <span className="soft">
          {from === null ? (
            texts.firstCycle
          ) : (
            <>
              <When at={from} as="date" /> – <When at={until} as="date" />
            </>
          )}
        </span>
        <strong>
          <Money cents={invoice.total} />
        </strong>
        <InvoiceStatusBadge {...invoice} now={now} />
      </Link>
    </li>
  );
}

/** The cycles that were billed, newest first; each leads to its invoice. */
export function Cycles({ id }: { id: string }) {
  const texts = useTexts(subscriptionsTexts).one;
  const now = useNow();
  const query = useReadList(['subscriptions', id, 'cycles'], (fatura, cursor, options) =>
    fatura.invoices.list({ subscription_id: id, limit: FIRST_PAGE, ...cursor }, options),
  );
  const { data, error, refetch } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Panel title={texts.cycles}>
      <ol className="strip" aria-label={texts.cycles}>
        {data.pages
          .flatMap((page) => page.data)
          .map((invoice) => (
            <Cycle key={invoice.id} invoice={invoice} now={now} />
          ))}
      </ol>
      <LoadMore of={query} />
    </Panel>
  );
}
