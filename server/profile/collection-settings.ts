import type {
  CollectionSettingsUpdate,
  CollectionSettings as SettingsView,
} from '../../contract/collection-settings.ts';
import {
  changeCollectionSettings,
  collectionSettings,
  readCollectionSettings,
  shownCollectionSettings,
  viewCollectionSettings,
} from '../accounts/collection-settings.ts';
import { differences, differs } from '../audit-log/audit-log.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';

/** How the account of whoever asks collects, in the mode of the key. */
export async function retrieveCollectionSettings({ pool }: Pick<Deps, 'pool'>, scope: Scope): Promise<SettingsView> {
  const [settings] = await readIn(pool, scope, readCollectionSettings, {});
  if (settings === undefined) throw new Error('the account is gone');
  return viewCollectionSettings(settings);
}

/** Changes the fields sent; what is scheduled keeps its day (docs/product/collection.md#days). */
export const updateCollectionSettings = (
  deps: Deps,
  scope: Scope,
  changes: CollectionSettingsUpdate,
): Promise<SettingsView> =>
  deps.transaction(scope, async (tx) => {
    const settings = await tx.lock(collectionSettings, scope.accountId);
    await refuseUnlessRecurring(tx, changes.portal?.change_prices ?? []);
    const before = shownCollectionSettings(settings);
    changeCollectionSettings(settings, changes);
    const change = differences(before, shownCollectionSettings(settings));
    if (differs(change)) tx.log({ action: 'collection_settings.updated', object: settings.id, ...change });
    return tx.answer(viewCollectionSettings(settings));
  });

const findOffered = statement<{ id: string; type: 'one_time' | 'recurring' }>(
  'find_prices_offered_to_buyers',
  `SELECT p.id, p.type FROM price p WHERE ${mine('p')} AND p.id = ANY (:ids::text[])`,
);

/** Buyers change to what recurs, and to nothing that does not exist. */
async function refuseUnlessRecurring(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = new Map((await tx.query(findOffered, { ids: [...ids] })).map(({ id, type }) => [id, type]));
  for (const [at, id] of ids.entries()) {
    const param = `collection_settings.portal.change_prices[${at}]`;
    const type = found.get(id);
    if (type === undefined) throw missing('price', id, param);
    if (type === 'recurring') continue;
    const message = `${param} must be a recurring price, ${id} is ${type}`;
    throw new BillingError('PRICE_TYPE_MISMATCH', { message, param });
  }
}
