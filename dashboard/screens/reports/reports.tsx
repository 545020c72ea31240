import type { CalendarDate } from '@internationalized/date';
import { getRouteApi } from '@tanstack/react-router';
import { Choice } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { daysOf, useToday } from '../../parts/period.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSetFilters } from '../../parts/use-filters.ts';
import { useTexts } from '../../texts/language.tsx';
import { Aging } from './aging.tsx';
import { CashFlow } from './cash-flow.tsx';
import { PixReceipts } from './pix.tsx';
import { intervals, type ReportFilters, type ReportName, reportNames } from './search.ts';
import { Subscriptions } from './subscriptions.tsx';
import { reportTexts } from './texts.ts';

const route = getRouteApi('/frame/reports');

/** As many days as the API reports at once. */
const DAYS_MAX = 366;

function Filters({ report, period, by = 'day' }: ReportFilters) {
  const texts = useTexts(reportTexts);
  const setFilters = useSetFilters();
  return (
    <div className="filters">
      <PeriodFilter label={texts.period} value={period} isBounded />
      {report !== 'pix' && (
        <Choice
          label={texts.by}
          value={by}
          options={intervals.map((one) => [one, texts.intervals[one]] as const)}
          onChange={(taken) => setFilters({ by: taken === 'day' ? undefined : taken })}
        />
      )}
    </div>
  );
}

function OfPeriod({ report, today, ...filters }: ReportFilters & { report: ReportName; today: CalendarDate }) {
  const texts = useTexts(reportTexts);
  const days = daysOf(filters.period, today);
  if (days === null) return <p className="empty">{texts.noPeriod}</p>;
  if (report === 'pix') return <PixReceipts days={days} />;
  const many = days.until.compare(days.from) + 1;
  if (many < 1 || many > DAYS_MAX) return <p className="empty">{texts.tooLong}</p>;
  const { by = 'day' } = filters;
  if (report === 'subscriptions') return <Subscriptions days={days} by={by} />;
  return report === 'aging' ? <Aging /> : <CashFlow report={report} days={days} by={by} />;
}

function Report({ report, ...filters }: ReportFilters & { report: ReportName }) {
  const today = useToday();
  if (report === 'aging') return <Aging />;
  return (
    <>
      <Filters {...filters} report={report} />
      {today !== undefined && <OfPeriod {...filters} report={report} today={today} />}
    </>
  );
}

/** What whoever keeps the books wants to know of a period. */
export function Reports() {
  const texts = useTexts(reportTexts);
  const { account: _account, mode: _mode, report: selected = 'sales', ...filters } = route.useSearch();
  const setFilters = useSetFilters();
  return (
    <Page title={texts.title}>
      <Tabs
        label={texts.title}
        selected={selected}
        onSelect={(report) => setFilters({ report: report === 'sales' ? undefined : report })}
        tabs={reportNames.map((id) => ({
          id,
          title: texts.reports[id],
          content: () => <Report {...filters} report={id} />,
        }))}
      />
    </Page>
  );
}
