import type { Subscription } from '@fatura/sdk';
import type { Catalogue } from '../../texts/catalogue.ts';
import { useTexts } from '../../texts/language.tsx';

const pt = {
  title: 'Prazos próprios de cobrança',
  overdue: 'atraso no dia',
  suspend: 'suspensão no dia',
  cancel: 'encerramento no dia',
  retries: 'novas tentativas nos dias',
  reminders: 'lembretes nos dias',
};

const ownDaysTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Collection days of its own',
    overdue: 'overdue on day',
    suspend: 'suspended on day',
    cancel: 'ended on day',
    retries: 'charged again on days',
    reminders: 'reminded of on days',
  },
};

/** The days of collection that a subscription has of its own, in words; null: it has none. */
export function useOwnDays({ collection }: Pick<Subscription, 'collection'>): readonly [string, string | null] {
  const own = useTexts(ownDaysTexts);
  const { overdue_days, suspend_days, cancel_days, retry_days, reminder_days } = collection;
  const single = [
    [own.overdue, overdue_days],
    [own.suspend, suspend_days],
    [own.cancel, cancel_days],
  ] as const;
  const several = [
    [own.retries, retry_days],
    [own.reminders, reminder_days],
  ] as const;
  const said = [
    ...single.flatMap(([what, day]) => (day === null ? [] : [`${what} ${day}`])),
    ...several.flatMap(([what, days]) => (days === null ? [] : [`${what} ${days.join(', ') || '—'}`])),
  ];
  return [own.title, said.length === 0 ? null : said.join('; ')];
}
