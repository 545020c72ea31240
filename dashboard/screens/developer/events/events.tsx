import type { DeliveryStatus, Event, EventListParams, EventType } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { getRouteApi } from '@tanstack/react-router';
import { useReadList } from '../../../api/queries.ts';
import { ChoiceFilter, FilterBar, NothingFound, TextFilter } from '../../../parts/filters.tsx';
import { type Column, List } from '../../../parts/list.tsx';
import { ObjectLink } from '../../../parts/object-link.tsx';
import { Page } from '../../../parts/page.tsx';
import { daysOf, secondsOfDays, useToday } from '../../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../../parts/period-filter.tsx';
import { When } from '../../../parts/when.tsx';
import { eventTexts } from '../../../texts/events.ts';
import { useTexts } from '../../../texts/language.tsx';
import { typeOptions } from '../event-types.ts';
import { deliveryStatuses } from '../search.ts';
import { webhookTexts } from '../webhooks/texts.ts';
import { developerEventTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/events');

interface Filters {
  readonly type?: EventType | undefined;
  readonly delivery?: DeliveryStatus | undefined;
  readonly object?: string | undefined;
  readonly period?: string | undefined;
}

function paramsOf({ type, delivery, object, period }: Filters, today: CalendarDate): EventListParams {
  const days = daysOf(period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(type !== undefined && { type: [type] }),
    ...(delivery !== undefined && { delivery_status: delivery }),
    ...(object !== undefined && { related_object: object }),
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
  };
}

export const eventLink = ({ id }: Pick<Event, 'id'>) => ({ to: '/developer/events/$id', params: { id } });

export function useEventColumns(): readonly Column<Event>[] {
  const texts = useTexts(developerEventTexts);
  const sentences = useTexts(eventTexts);
  return [
    { id: 'what', name: texts.what, isHead: true, show: ({ type }) => sentences[type] },
    { id: 'type', name: texts.type, show: ({ type }) => <code>{type}</code> },
    { id: 'object', name: texts.object, show: ({ data: { object } }) => <ObjectLink id={object.id} /> },
    { id: 'when', name: texts.when, show: ({ created }) => <When at={created} /> },
  ];
}

function Found({ filters, params }: { filters: Filters; params: EventListParams }) {
  const texts = useTexts(developerEventTexts);
  const { results } = useTexts(webhookTexts);
  const periodName = usePeriodName();
  const query = useReadList(['events', params], (fatura, cursor, options) =>
    fatura.events.list({ ...params, ...cursor }, options),
  );
  const { type, delivery, object, period } = filters;
  return (
    <List
      label={texts.list}
      query={query}
      columns={useEventColumns()}
      link={eventLink}
      empty={<NothingFound filters={[type, delivery && results[delivery], object, periodName(period)]} />}
    />
  );
}

const AN_ID = /^[a-z]+_[0-9a-z]{26}$/;

/** Whatever happened on the account, for 30 days. */
export function Events() {
  const texts = useTexts(developerEventTexts);
  const { results } = useTexts(webhookTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const today = useToday();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.about}</p>
      <FilterBar filters={filters}>
        <ChoiceFilter label={texts.type} name="type" value={filters.type} options={typeOptions} />
        <ChoiceFilter
          label={texts.delivery}
          name="delivery"
          value={filters.delivery}
          options={deliveryStatuses.map((one) => [one, results[one]] as const)}
        />
        <PeriodFilter label={texts.when} value={filters.period} />
        <TextFilter
          label={texts.object}
          name="object"
          value={filters.object}
          placeholder={texts.objectHint}
          isWide
          read={(text) => (AN_ID.test(text.trim()) ? text.trim() : null)}
        />
      </FilterBar>
      {today !== undefined && <Found filters={filters} params={paramsOf(filters, today)} />}
    </Page>
  );
}
