import type { Invoice, PaymentIntent, PaymentIntentListParams } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useInvoicesOf } from '../../api/objects-of.ts';
import { type ListQuery, useReadList } from '../../api/queries.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { AmountFilter, ChoiceFilter, FilterBar, NothingFound } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { Page } from '../../parts/page.tsx';
import { PaymentStatus, usePaymentMethod } from '../../parts/payment.tsx';
import { useToday } from '../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../parts/period-filter.tsx';
import { Sum } from '../../parts/sum.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { paymentTexts } from '../../texts/payments.ts';
import { Figures } from './figures.tsx';
import { isUnpaid, paramsOf } from './filters.ts';
import { methods, type SalesFilters, statuses } from './search.ts';
import { type SalesTexts, salesTexts } from './texts.ts';

const route = getRouteApi('/frame/sales');

const itemOf =
  (texts: SalesTexts) =>
  (invoice: Invoice | undefined): string => {
    const [first, ...others] = invoice?.line_items.data ?? [];
    return [first?.description, others.length > 0 && texts.andMore(others.length)].filter(Boolean).join(' ');
  };

function useColumns(filters: SalesFilters, query: ListQuery<PaymentIntent>): readonly Column<PaymentIntent>[] {
  const texts = useTexts(salesTexts);
  const methodOf = usePaymentMethod();
  const item = itemOf(texts);
  const invoiceOf = useInvoicesOf(query);
  return [
    {
      id: 'when',
      name: isUnpaid(filters) ? texts.whenCreated : texts.when,
      show: ({ status_transitions: { paid_at }, created }) => <When at={isUnpaid(filters) ? created : paid_at} />,
    },
    {
      id: 'customer',
      isHead: true,
      name: texts.customer,
      show: ({ invoice }) => invoiceOf(invoice)?.customer_name ?? '…',
    },
    { id: 'item', name: texts.item, show: ({ invoice }) => item(invoiceOf(invoice)) },
    { id: 'method', name: texts.method, show: methodOf },
    { id: 'amount', name: texts.amount, align: 'end', isCorner: true, show: ({ amount }) => <Money cents={amount} /> },
    { id: 'status', name: texts.status, show: (payment) => <PaymentStatus {...payment} /> },
  ];
}

function Filters({ filters }: { filters: SalesFilters }) {
  const texts = useTexts(salesTexts);
  const payments = useTexts(paymentTexts);
  return (
    <FilterBar filters={{ ...filters, period: filters.period === 'today' ? undefined : filters.period }}>
      <PeriodFilter label={isUnpaid(filters) ? texts.whenCreated : texts.when} value={filters.period} />
      <ChoiceFilter
        label={texts.method}
        name="method"
        value={filters.method}
        options={methods.map((one) => [one, payments.methods[one]] as const)}
      />
      <ChoiceFilter
        label={texts.status}
        name="status"
        value={filters.status}
        options={statuses.map((one) => [one, payments.intents[one]] as const)}
      />
      <AmountFilter min={filters.min} max={filters.max} />
    </FilterBar>
  );
}

function useNothingFound({ period, method, status, min, max }: SalesFilters) {
  const texts = useTexts(paymentTexts);
  const periodName = usePeriodName();
  const amounts = [min && `≥ R$ ${min}`, max && `≤ R$ ${max}`];
  return (
    <NothingFound
      filters={[periodName(period), method && texts.methods[method], status && texts.intents[status], ...amounts]}
    />
  );
}

function Payments({ filters, params }: { filters: SalesFilters; params: PaymentIntentListParams }) {
  const texts = useTexts(salesTexts);
  const query = useReadList(['payment_intents', params], (fatura, cursor, options) =>
    fatura.paymentIntents.list({ ...params, ...cursor }, options),
  );
  return (
    <List
      label={texts.list}
      query={query}
      columns={useColumns(filters, query)}
      link={({ id, invoice }) => ({ to: '/invoices/$id', params: { id: invoice }, search: { payment: id } })}
      empty={useNothingFound(filters)}
      footer={(rows) => (
        <Sum
          of={['payment_intents', params]}
          rows={rows}
          centsOf={({ amount }) => amount}
          hasMore={query.hasNextPage}
          read={(fatura, options) => fatura.paymentIntents.list({ ...params, limit: 100 }, options)}
        />
      )}
    />
  );
}

/** What was paid, when and how; by default today. */
export function Sales() {
  const texts = useTexts(salesTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const today = useToday();
  return (
    <Page
      title={texts.title}
      actions={
        today !== undefined && <ExportButton order={{ type: 'payment_intents', filters: paramsOf(filters, today) }} />
      }
    >
      <Figures />
      <Filters filters={filters} />
      {today !== undefined && <Payments filters={filters} params={paramsOf(filters, today)} />}
    </Page>
  );
}
