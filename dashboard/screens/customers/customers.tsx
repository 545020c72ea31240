import type { Customer, CustomerListParams } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { getRouteApi } from '@tanstack/react-router';
import { useReadList } from '../../api/queries.ts';
import { ExportButton } from '../../parts/export-button.tsx';
import { FilterBar, NothingFound, TextFilter } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { daysOf, secondsOfDays, useToday } from '../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../parts/period-filter.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { maskedTaxId, phoneNumber } from '../../texts/numbers.ts';
import { customerTexts } from './texts.ts';

const route = getRouteApi('/frame/customers');

interface Filters {
  readonly name?: string | undefined;
  readonly identifier?: string | undefined;
  readonly period?: string | undefined;
}

function paramsOf({ name, identifier, period }: Filters, today: CalendarDate): CustomerListParams {
  const days = daysOf(period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(name !== undefined && { query: name }),
    ...(identifier !== undefined && { identifier }),
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
  };
}

export function useCustomerColumns(): readonly Column<Customer>[] {
  const texts = useTexts(customerTexts);
  return [
    { id: 'name', name: texts.name, isHead: true, show: ({ name }) => name },
    {
      id: 'tax-id',
      name: texts.taxId,
      show: ({ identifier }) => (identifier === null ? texts.anonymized : maskedTaxId(identifier)),
    },
    { id: 'email', name: texts.email, show: ({ email }) => email },
    { id: 'phone', name: texts.phone, show: ({ phone }) => (phone === null ? null : phoneNumber(phone)) },
    { id: 'created', name: texts.createdAt, show: ({ created }) => <When at={created} as="date" /> },
  ];
}

function Found({ filters, params }: { filters: Filters; params: CustomerListParams }) {
  const texts = useTexts(customerTexts);
  const periodName = usePeriodName();
  const query = useReadList(['customers', params], (fatura, cursor, options) =>
    fatura.customers.list({ ...params, ...cursor }, options),
  );
  const { name, identifier, period } = filters;
  const used = [name && texts.found(name), identifier && maskedTaxId(identifier), periodName(period)];
  return (
    <List
      label={texts.title}
      query={query}
      columns={useCustomerColumns()}
      link={({ id }) => ({ to: '/customers/$id', params: { id } })}
      empty={<NothingFound filters={used} />}
    />
  );
}

/** The API takes no shorter text. */
const LETTERS_MIN = 3;

/** Everybody who bought or was charged, found by what one knows of them. */
export function Customers() {
  const texts = useTexts(customerTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const today = useToday();
  return (
    <Page
      title={texts.title}
      actions={today !== undefined && <ExportButton order={{ type: 'customers', filters: paramsOf(filters, today) }} />}
    >
      <FilterBar filters={filters}>
        <TextFilter
          label={texts.find}
          name="name"
          value={filters.name}
          placeholder={texts.findHint}
          isWide
          read={(text) => (text.trim().length < LETTERS_MIN ? null : text.trim())}
        />
        <PeriodFilter label={texts.createdAt} value={filters.period} />
      </FilterBar>
      {today !== undefined && <Found filters={filters} params={paramsOf(filters, today)} />}
    </Page>
  );
}
