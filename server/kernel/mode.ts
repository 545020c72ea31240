import { BillingError } from './errors.ts';

/** The modes of an account: each has keys, objects and money of its own. A process serves one of them or both. */
export const MODES = ['live', 'sandbox'] as const;

export type Mode = (typeof MODES)[number];

export const modeOf = ({ liveMode }: { readonly liveMode: boolean }): Mode => (liveMode ? 'live' : 'sandbox');

export const isLive = (mode: Mode): boolean => mode === 'live';

/** What each mode has of its own. */
export type PerMode<T> = Readonly<Record<Mode, T>>;

export const perMode = <T>(make: (mode: Mode) => T): PerMode<T> => ({ live: make('live'), sandbox: make('sandbox') });

/** The refusal of a key, link or callback whose mode this process does not serve. */
export const modeNotServed = (served: readonly Mode[]): BillingError =>
  new BillingError('MODE_NOT_SERVED', { message: `This service serves ${served.join(' and ')} mode alone` });
