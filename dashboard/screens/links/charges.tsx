import type { Invoice, InvoiceListParams } from '@fatura/sdk';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRoleRefusal } from '../../api/may.ts';
import { useReadList } from '../../api/queries.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Choice } from '../../parts/field.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { Page } from '../../parts/page.tsx';
import { InvoiceStatusBadge } from '../../parts/payment.tsx';
import { useNow } from '../../parts/period.ts';
import { useSetFilters } from '../../parts/use-filters.ts';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { type ShownCharges, shownCharges } from './shown.ts';
import { linkTexts } from './texts.ts';

const route = getRouteApi('/frame/links/charges');

const paramsOf: Readonly<Record<ShownCharges, InvoiceListParams>> = {
  open: { status: 'open' },
  paid: { status: 'paid' },
  any: {},
};

const itemOf = ({ description, line_items }: Invoice): string | null =>
  description ?? line_items.data[0]?.description ?? null;

function useColumns(): readonly Column<Invoice>[] {
  const texts = useTexts(linkTexts);
  const now = useNow();
  return [
    { id: 'customer', name: texts.customer, isHead: true, show: ({ customer_name: name }) => name },
    { id: 'item', name: texts.item, show: itemOf },
    { id: 'due', name: texts.due, show: ({ due_at: due }) => <When at={due} as="date" /> },
    { id: 'amount', name: texts.amount, align: 'end', isCorner: true, show: ({ total }) => <Money cents={total} /> },
    { id: 'status', name: texts.status, show: (invoice) => <InvoiceStatusBadge {...invoice} now={now} /> },
    {
      id: 'link',
      name: texts.link,
      show: ({ payment_url: url, customer_name: name }) =>
        url === null ? texts.noLink : <Copyable text={url} shown="" name={texts.linkOf(name)} />,
    },
  ];
}

/** The way to a new charge, for whoever may make one. */
export function NewChargeLink({ kind = 'primary' }: { kind?: 'primary' | 'secondary' }) {
  const texts = useTexts(linkTexts);
  const refused = useRoleRefusal()('invoices.create');
  if (refused !== null) return <span className="soft">{refused}</span>;
  return (
    <Link to="/links/new" className={`button ${kind}`}>
      {texts.newCharge}
    </Link>
  );
}

/** Charges that were made, so that the link of each is found again. */
export function Charges() {
  const texts = useTexts(linkTexts);
  const { status: shown = 'open' } = route.useSearch();
  const setFilters = useSetFilters();
  const query = useReadList(['invoices', paramsOf[shown]], (fatura, cursor, options) =>
    fatura.invoices.list({ ...paramsOf[shown], ...cursor }, options),
  );
  return (
    <Page title={texts.charges} actions={<NewChargeLink />}>
      <div className="filters">
        <Choice
          label={texts.show}
          value={shown}
          options={shownCharges.map((one) => [one, texts.shown[one]] as const)}
          onChange={(status) => setFilters({ status })}
        />
      </div>
      <List
        label={texts.charges}
        query={query}
        columns={useColumns()}
        link={({ id }) => ({ to: '/invoices/$id', params: { id } })}
        empty={<p>{texts.empty}</p>}
      />
    </Page>
  );
}
