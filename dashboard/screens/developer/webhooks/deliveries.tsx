import type { EndpointDelivery, EndpointDeliveryListParams, EventType, LadderStatus } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { Link } from '@tanstack/react-router';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura, useReadList } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { ChoiceFilter, FilterBar, NothingFound } from '../../../parts/filters.tsx';
import { LoadMore } from '../../../parts/load-more.tsx';
import { Pending } from '../../../parts/pending.tsx';
import { daysOf, secondsOfDays, useToday } from '../../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../../parts/period-filter.tsx';
import { When } from '../../../parts/when.tsx';
import { eventTexts } from '../../../texts/events.ts';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { typeOptions } from '../event-types.ts';
import { ladderStatuses } from '../search.ts';
import { Ladders } from './ladders.tsx';
import { LadderBadge } from './status.tsx';
import { webhookTexts } from './texts.ts';

export interface DeliveryFilters {
  readonly status?: LadderStatus | undefined;
  readonly type?: EventType | undefined;
  readonly event?: string | undefined;
  readonly period?: string | undefined;
}

function paramsOf({ status, type, event, period }: DeliveryFilters, today: CalendarDate): EndpointDeliveryListParams {
  const days = daysOf(period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type: [type] }),
    ...(event !== undefined && { event }),
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
  };
}

/** Sends one event to one endpoint again. */
function Resend({ event, endpoint, isOff }: { event: string; endpoint: string; isOff: boolean }) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const role = useRoleRefusal();
  const { run, isPending, error } = useAct(
    (id: string, options) => fatura.events.resend(id, { webhook_endpoint_id: endpoint }, options),
    { done: texts.resent },
  );
  const refused = role('events.resend') ?? (isOff ? texts.offFirst : null);
  return (
    <>
      {error !== null && <ErrorNote error={error} />}
      {refused === null ? (
        <Button isPending={isPending} onPress={() => run(event)}>
          {isPending ? parts.working : texts.resend}
        </Button>
      ) : (
        <span className="soft">{refused}</span>
      )}
    </>
  );
}

function OneDelivery({ delivery, isOff }: { delivery: EndpointDelivery; isOff: boolean }) {
  const texts = useTexts(webhookTexts);
  const sentences = useTexts(eventTexts);
  const { id, type, created, status, ladders, webhook_endpoint: endpoint } = delivery;
  return (
    <li>
      <details className="panel fold-row">
        <summary>
          <span className="fold-head">
            <strong>{sentences[type]}</strong>
            <code className="soft">{type}</code>
            <LadderBadge status={status} />
            <When at={created} />
          </span>
        </summary>
        <div className="stack">
          <Ladders ladders={ladders.data} />
          <div className="actions">
            <Resend event={id} endpoint={endpoint} isOff={isOff} />
            <Link to="/developer/events/$id" params={{ id }} className="button secondary">
              {texts.seeEvent}
            </Link>
          </div>
        </div>
      </details>
    </li>
  );
}

interface FoundProps {
  readonly endpoint: string;
  readonly isOff: boolean;
  readonly filters: DeliveryFilters;
  readonly params: EndpointDeliveryListParams;
}

function Found({ endpoint, isOff, filters, params }: FoundProps) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  const periodName = usePeriodName();
  const query = useReadList(['deliveries', endpoint, params], (fatura, cursor, options) =>
    fatura.webhookEndpoints.deliveries(endpoint, { ...params, ...cursor }, options),
  );
  const { data, error, refetch, isFetching } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const deliveries = data.pages.flatMap((page) => page.data);
  const used = [
    filters.status && texts.ladders[filters.status],
    filters.type,
    filters.event,
    periodName(filters.period),
  ];
  return (
    <>
      {deliveries.length === 0 ? (
        <div className="empty">
          {used.some(Boolean) ? <NothingFound filters={used} /> : <p>{texts.noDeliveries}</p>}
        </div>
      ) : (
        <ul className="folds" aria-label={texts.deliveries}>
          {deliveries.map((delivery) => (
            <OneDelivery key={delivery.id} delivery={delivery} isOff={isOff} />
          ))}
        </ul>
      )}
      <div className="list-foot">
        <span className="soft">{parts.rows(deliveries.length)}</span>
        <LoadMore of={query} />
        <Button kind="quiet" isPending={isFetching} onPress={() => void refetch()}>
          {texts.refresh}
        </Button>
      </div>
    </>
  );
}

/** Events that were meant for an endpoint, each with every attempt. */
export function Deliveries({ endpoint, isOff, filters }: Omit<FoundProps, 'params'>) {
  const texts = useTexts(webhookTexts);
  const today = useToday();
  return (
    <section className="stack" aria-labelledby="deliveries">
      <h2 id="deliveries">{texts.deliveries}</h2>
      <FilterBar filters={{ ...filters }}>
        <ChoiceFilter
          label={texts.ladderStatus}
          name="status"
          value={filters.status}
          options={ladderStatuses.map((one) => [one, texts.ladders[one]] as const)}
        />
        <ChoiceFilter label={texts.type} name="type" value={filters.type} options={typeOptions} />
        <PeriodFilter label={texts.happenedAt} value={filters.period} />
      </FilterBar>
      {today !== undefined && (
        <Found endpoint={endpoint} isOff={isOff} filters={filters} params={paramsOf(filters, today)} />
      )}
    </section>
  );
}
