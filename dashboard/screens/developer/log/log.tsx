import type { AuditLogListParams } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useReadList } from '../../../api/queries.ts';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { ChoiceFilter, FilterBar, NothingFound, TextFilter } from '../../../parts/filters.tsx';
import { LoadMore } from '../../../parts/load-more.tsx';
import { Page } from '../../../parts/page.tsx';
import { Pending } from '../../../parts/pending.tsx';
import { dayOf, daysOf, secondsOfDays } from '../../../parts/period.ts';
import { PeriodFilter, usePeriodName } from '../../../parts/period-filter.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { auditActionTexts } from './actions.ts';
import { Entry } from './entry.tsx';
import { auditLogTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/log');

const MS_IN_SECOND = 1_000;

interface Filters {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly object?: string | undefined;
  readonly period?: string | undefined;
}

/** The log has real time, wherever the test clock is. */
function paramsOf({ action, actor, object, period }: Filters): AuditLogListParams {
  const days = daysOf(period, dayOf(Date.now() / MS_IN_SECOND));
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(object !== undefined && { object_id: object }),
    ...(gte !== undefined && { created_gte: gte }),
    ...(lte !== undefined && { created_lte: lte }),
  };
}

function Found({ filters }: { filters: Filters }) {
  const texts = useTexts(auditLogTexts);
  const actions = useTexts(auditActionTexts);
  const { parts } = useSharedTexts();
  const periodName = usePeriodName();
  const params = paramsOf(filters);
  const query = useReadList(['audit_log', params], (fatura, cursor, options) =>
    fatura.auditLog.list({ ...params, ...cursor }, options),
  );
  const { data, error, refetch, isPlaceholderData } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const entries = data.pages.flatMap((page) => page.data);
  const { action, actor, object, period } = filters;
  if (entries.length === 0) {
    return (
      <div className="empty">
        <NothingFound filters={[action && (actions[action] ?? action), actor, object, periodName(period)]} />
      </div>
    );
  }
  return (
    <div className="list" aria-busy={isPlaceholderData}>
      <ul className="folds" aria-label={texts.list}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      <div className="list-foot">
        <span className="soft">{parts.rows(entries.length)}</span>
        <LoadMore of={query} />
      </div>
    </div>
  );
}

/** What a person asked for has the name of the change that it makes; the change stands in the log then. */
function optionsOf(actions: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const all = Object.entries(actions);
  return all
    .filter(([, text], at) => all.findIndex(([, one]) => one === text) === at)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

/** Who did what to the account: each entry in words, and what changed by it. */
export function AuditLogScreen() {
  const texts = useTexts(auditLogTexts);
  const actions = useTexts(auditActionTexts);
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  return (
    <Page title={texts.title}>
      <p className="soft">{texts.about}</p>
      <FilterBar filters={filters}>
        <ChoiceFilter label={texts.action} name="action" value={filters.action} options={optionsOf(actions)} />
        <PeriodFilter label={texts.when} value={filters.period} />
        <TextFilter label={texts.actor} name="actor" value={filters.actor} placeholder={texts.actorHint} isWide />
        <TextFilter label={texts.object} name="object" value={filters.object} placeholder={texts.objectHint} isWide />
      </FilterBar>
      <Found filters={filters} />
    </Page>
  );
}
