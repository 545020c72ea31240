import type { Subscription, SubscriptionStatus } from '@fatura/sdk';
import type { Catalogue } from './catalogue.ts';

type Interval = Subscription['item']['price']['interval'];

const ptUnits: Readonly<Record<Interval, readonly [one: string, more: string]>> = {
  day: ['dia', 'dias'],
  week: ['semana', 'semanas'],
  month: ['mês', 'meses'],
};

const enUnits: typeof ptUnits = { day: ['day', 'days'], week: ['week', 'weeks'], month: ['month', 'months'] };

const pt = {
  statuses: {
    pending: 'Aguarda o 1º pagamento',
    active: 'Ativa',
    paused: 'Pausada',
    suspended: 'Suspensa',
    inactive: 'Encerrada',
    scheduled: 'Agendada',
    trialing: 'Em teste',
  } satisfies Record<SubscriptionStatus, string>,
  /** A pending one that was paid before. */
  reactivated: 'Aguarda pagamento',
  /** Its trial begins with a card. */
  awaitsCard: 'Aguarda o cartão',
  every: (interval: Interval, count: number) =>
    count === 1 ? `por ${ptUnits[interval][0]}` : `a cada ${count} ${ptUnits[interval][1]}`,
};

export const subscriptionTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    statuses: {
      pending: 'Awaits its 1st payment',
      active: 'Active',
      paused: 'Paused',
      suspended: 'Suspended',
      inactive: 'Ended',
      scheduled: 'Scheduled',
      trialing: 'Trial',
    },
    awaitsCard: 'Awaits a card',
    reactivated: 'Awaits payment',
    every: (interval, count) => (count === 1 ? `a ${enUnits[interval][0]}` : `every ${count} ${enUnits[interval][1]}`),
  },
};
