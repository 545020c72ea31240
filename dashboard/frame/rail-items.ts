import type { OperationName } from '../../contract/roles.ts';
import type { Texts } from '../texts/pt.ts';

type RailName = keyof Omit<Texts['rail'], 'label' | 'menu'>;

export interface RailItem {
  readonly name: RailName;
  readonly to: string;
  readonly under?: readonly RailItem[];
  /** Absent: everybody may look at it. */
  readonly operation?: OperationName;
}

/** The rail, in groups. */
export const railGroups: readonly (readonly RailItem[])[] = [
  [
    { name: 'home', to: '/' },
    { name: 'sales', to: '/sales', under: [{ name: 'disputes', to: '/disputes' }] },
    { name: 'customers', to: '/customers' },
    { name: 'subscriptions', to: '/subscriptions' },
    { name: 'collection', to: '/collection' },
    {
      name: 'links',
      to: '/links',
      under: [
        { name: 'charges', to: '/links/charges' },
        { name: 'products', to: '/products' },
        { name: 'coupons', to: '/coupons' },
      ],
    },
    { name: 'reports', to: '/reports' },
  ],
  [
    {
      name: 'developer',
      to: '/developer',
      under: [
        { name: 'webhooks', to: '/developer/webhooks' },
        { name: 'events', to: '/developer/events' },
        { name: 'keys', to: '/developer/keys', operation: 'apiKeys.list' },
        { name: 'log', to: '/developer/log' },
        { name: 'testClock', to: '/developer/sandbox' },
      ],
    },
  ],
  [
    {
      name: 'settings',
      to: '/settings',
      under: [
        { name: 'team', to: '/settings/team' },
        { name: 'look', to: '/settings/look' },
        { name: 'mails', to: '/settings/mails' },
        { name: 'collectionSettings', to: '/settings/collection' },
        { name: 'acquirer', to: '/settings/acquirer' },
      ],
    },
  ],
];

/** What a phone has at the bottom of its window, beside the whole menu. */
export const BOTTOM: readonly RailName[] = ['sales', 'customers', 'subscriptions', 'collection'];

/** Drawn in a square of 20, as lines. */
export const icons: Partial<Record<RailName | 'menu', string>> = {
  home: 'M3 9l7-6 7 6v8H3zM8 17v-5h4v5',
  sales: 'M3 15l4-5 4 3 6-8M13 5h4v4',
  customers: 'M10 10a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 17c1-4 13-4 14 0',
  subscriptions: 'M16 7a6.5 6.5 0 00-12 1M4 13a6.5 6.5 0 0012-1M16 3v4h-4M4 17v-4h4',
  collection: 'M10 3a7 7 0 110 14 7 7 0 010-14zM10 6v4l3 2',
  links: 'M8 12l4-4M9 6l2-2a3.5 3.5 0 015 5l-2 2M11 14l-2 2a3.5 3.5 0 01-5-5l2-2',
  reports: 'M4 17V9M8 17V4M12 17v-6M16 17V7',
  developer: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4',
  menu: 'M3 5h14M3 10h14M3 15h14',
};
