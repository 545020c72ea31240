import type { CollectionSettings } from '../../contract/collection-settings.ts';
import { readCollectionSettings, viewCollectionSettings } from '../accounts/collection-settings.ts';
import { readIn } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** What an account lets its buyers do by themselves (docs/product/portal.md#what-the-account-allows). */
export interface PortalSettings {
  readonly cancel: CollectionSettings['portal']['cancel'];
  /** The prices that they may change to. */
  readonly changePrices: readonly string[];
  readonly pause: boolean;
}

export async function readPortalSettings({ pool }: Pick<Deps, 'pool'>, scope: Scope): Promise<PortalSettings> {
  const [settings] = await readIn(pool, scope, readCollectionSettings, {});
  if (settings === undefined) throw new Error('the account is gone');
  const { cancel, pause, change_prices: changePrices } = viewCollectionSettings(settings).portal;
  return { cancel, pause, changePrices };
}
