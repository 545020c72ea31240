import type { Dispute, DisputeListParams, DisputeStatus } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { getRouteApi } from '@tanstack/react-router';
import { useInvoicesOf } from '../../api/objects-of.ts';
import { type ListQuery, useReadList } from '../../api/queries.ts';
import { ChoiceFilter, FilterBar, NothingFound } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Page } from '../../parts/page.tsx';
import { daysOf, secondsOfDays, useToday } from '../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../parts/period-filter.tsx';
import { Sum } from '../../parts/sum.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { DisputeStatusBadge } from './parts.tsx';
import { disputeStatuses } from './statuses.ts';
import { disputeTexts } from './texts.ts';

const route = getRouteApi('/frame/disputes');

interface Filters {
  readonly period?: string | undefined;
  readonly status?: DisputeStatus | undefined;
}

function paramsOf({ period, status }: Filters, today: CalendarDate): DisputeListParams {
  const days = daysOf(period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
    ...(status !== undefined && { status }),
  };
}

function useColumns(query: ListQuery<Dispute>): readonly Column<Dispute>[] {
  const invoiceOf = useInvoicesOf(query);
  const texts = useTexts(disputeTexts);
  return [
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} /> },
    {
      id: 'customer',
      name: texts.customer,
      isHead: true,
      show: ({ invoice }) => invoiceOf(invoice)?.customer_name ?? '…',
    },
    { id: 'reason', name: texts.reason, show: ({ reason }) => texts.reasons[reason] },
    { id: 'amount', name: texts.amount, align: 'end', isCorner: true, show: ({ amount }) => <Money cents={amount} /> },
    {
      id: 'status',
      name: texts.status,
      show: ({ status, funds, evidence_due_by: due }) => (
        <span className="stacked">
          <DisputeStatusBadge status={status} />
          <small>{texts.fundsNames[funds]}</small>
          {due !== null && (
            <small>
              {texts.due} <When at={due} />
            </small>
          )}
        </span>
      ),
    },
    {
      id: 'links',
      name: texts.links,
      show: ({ invoice, payment_intent, customer }) => (
        <span className="links">
          <ObjectLink id={payment_intent}>{texts.payment}</ObjectLink>
          <ObjectLink id={invoice}>{texts.invoice}</ObjectLink>
          <ObjectLink id={customer}>{texts.customer}</ObjectLink>
        </span>
      ),
    },
  ];
}

function Found({ filters, params }: { filters: Filters; params: DisputeListParams }) {
  const texts = useTexts(disputeTexts);
  const periodName = usePeriodName();
  const query = useReadList(['disputes', params], (fatura, cursor, options) =>
    fatura.disputes.list({ ...params, ...cursor }, options),
  );
  return (
    <List
      label={texts.title}
      query={query}
      columns={useColumns(query)}
      link={({ id }) => ({ to: '/disputes/$id', params: { id } })}
      empty={<NothingFound filters={[periodName(filters.period), filters.status && texts.statuses[filters.status]]} />}
      footer={(rows) => (
        <Sum
          of={['disputes', params]}
          rows={rows}
          centsOf={({ amount }) => amount}
          hasMore={query.hasNextPage}
          read={(fatura, options) => fatura.disputes.list({ ...params, limit: 100 }, options)}
        />
      )}
    />
  );
}

/** What banks took back, or may take back, newest first. */
export function Disputes() {
  const texts = useTexts(disputeTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const today = useToday();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.about}</p>
      <FilterBar filters={filters}>
        <PeriodFilter label={texts.created} value={filters.period} />
        <ChoiceFilter
          label={texts.status}
          name="status"
          value={filters.status}
          options={disputeStatuses.map((one) => [one, texts.statuses[one]] as const)}
        />
      </FilterBar>
      {today !== undefined && <Found filters={filters} params={paramsOf(filters, today)} />}
    </Page>
  );
}
