import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** What an account lets its buyers do by themselves (docs/product/portal.md#what-the-account-allows). */
export interface PortalSettings {
  readonly cancel: 'period_end' | 'none';
  /** The prices that they may change to. */
  readonly changePrices: readonly string[];
  readonly pause: boolean;
}

const DEFAULTS: PortalSettings = { cancel: 'period_end', changePrices: [], pause: false };

export const readPortalSettings = async (_deps: Deps, _scope: Scope): Promise<PortalSettings> => DEFAULTS;
