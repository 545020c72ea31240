import type { Subscription, SubscriptionListParams } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { getRouteApi } from '@tanstack/react-router';
import { useCustomersOf } from '../../api/objects-of.ts';
import { type ListQuery, useReadList } from '../../api/queries.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { ChoiceFilter, FilterBar, NothingFound, TextFilter } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { Page } from '../../parts/page.tsx';
import { usePaymentMethod } from '../../parts/payment.tsx';
import { daysOf, secondsOfDays, useToday } from '../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../parts/period-filter.tsx';
import { SubscriptionStatusBadge } from '../../parts/subscription.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionTexts } from '../../texts/subscriptions.ts';
import { monthlyOf } from './charges.ts';
import { useChosenCustomer } from './customer-filter.tsx';
import { FirstItem } from './items.tsx';
import { type SubscriptionFilters, statuses } from './search.ts';
import { subscriptionsTexts } from './texts.ts';

const route = getRouteApi('/frame/subscriptions');

function paramsOf(
  { status, period }: SubscriptionFilters,
  { today, customer }: { today: CalendarDate; customer: string | undefined },
): SubscriptionListParams {
  const days = daysOf(period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(status !== undefined && { status }),
    ...(customer !== undefined && { customer_id: customer }),
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
  };
}

function useColumns(query: ListQuery<Subscription>): readonly Column<Subscription>[] {
  const customerOf = useCustomersOf(query);
  const texts = useTexts(subscriptionsTexts);
  const methodOf = usePaymentMethod();
  return [
    {
      id: 'customer',
      name: texts.customer,
      isHead: true,
      show: ({ customer }) => customerOf(customer)?.name ?? '…',
    },
    {
      id: 'item',
      name: texts.item,
      show: (subscription) => <FirstItem {...subscription} />,
    },
    {
      id: 'next',
      name: texts.nextCharge,
      show: ({ status, current_period_end: end }) => <When at={status === 'active' ? end : null} as="date" />,
    },
    { id: 'method', name: texts.method, show: methodOf },
    {
      id: 'month',
      name: texts.perMonth,
      align: 'end',
      isCorner: true,
      show: (subscription) => {
        const monthly = monthlyOf(subscription);
        return monthly === null ? '—' : <Money cents={monthly} />;
      },
    },
    { id: 'status', name: texts.status, show: (subscription) => <SubscriptionStatusBadge {...subscription} /> },
  ];
}

function Found({ filters, params }: { filters: SubscriptionFilters; params: SubscriptionListParams }) {
  const texts = useTexts(subscriptionsTexts);
  const { statuses: names } = useTexts(subscriptionTexts);
  const periodName = usePeriodName();
  const { status, customer, period } = filters;
  const query = useReadList(['subscriptions', params], (fatura, cursor, options) =>
    fatura.subscriptions.list({ ...params, ...cursor }, options),
  );
  return (
    <List
      label={texts.title}
      query={query}
      columns={useColumns(query)}
      link={({ id }) => ({ to: '/subscriptions/$id', params: { id } })}
      empty={<NothingFound filters={[status && names[status], customer, periodName(period)]} />}
      footer={() => <p className="soft">{texts.perMonthNote}</p>}
    />
  );
}

/** The API takes no shorter text. */
const LETTERS_MIN = 3;

function Filters({ filters }: { filters: SubscriptionFilters }) {
  const texts = useTexts(subscriptionsTexts);
  const { statuses: names } = useTexts(subscriptionTexts);
  return (
    <FilterBar filters={{ ...filters }}>
      <ChoiceFilter
        label={texts.status}
        name="status"
        value={filters.status}
        options={statuses.map((one) => [one, names[one]] as const)}
      />
      <TextFilter
        label={texts.customer}
        name="customer"
        value={filters.customer}
        placeholder={texts.findCustomer}
        isWide
        read={(text) => (text.trim().length < LETTERS_MIN ? null : text.trim())}
      />
      <PeriodFilter label={texts.created} value={filters.period} />
    </FilterBar>
  );
}

/** Who pays again and again, what comes next of it, and what it brings a month. */
export function Subscriptions() {
  const texts = useTexts(subscriptionsTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const today = useToday();
  const { isSettled, id: customer, question } = useChosenCustomer(filters.customer);
  const params = today !== undefined && isSettled ? paramsOf(filters, { today, customer }) : null;
  return (
    <Page
      title={texts.title}
      actions={params !== null && <ExportButton order={{ type: 'subscriptions', filters: params }} />}
    >
      <Filters filters={filters} />
      {question}
      {params !== null && <Found filters={filters} params={params} />}
    </Page>
  );
}
