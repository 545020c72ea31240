import type pg from 'pg';
import type {
  CollectionSettingsUpdate,
  CollectionSettings as SettingsView,
} from '../../contract/collection-settings.ts';
import { type Changer, changeLogged, differences } from '../audit-log/audit-log.ts';
import { mine, run, statement } from '../db/statement.ts';
import { type CollectionDays, checkCollectionDays } from '../kernel/collection-days.ts';
import { missing } from '../kernel/errors.ts';
import { checkLateFees } from '../kernel/late-fee-limits.ts';
import { withoutUndefined } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import { type CollectionSettings, CollectionSettingsSchema } from './entity.ts';

/** How accounts collect, a row of the account's id for each mode. */
export const collectionSettings = table(CollectionSettingsSchema, { noun: 'account', fixed: [] });

export const readCollectionSettings = statement<CollectionSettings>(
  'read_collection_settings',
  `SELECT ${collectionSettings.columns('s')} FROM collection_settings s WHERE ${mine('s')}`,
);

const listOfAccounts = statement<CollectionSettings>(
  'list_collection_settings_of_accounts',
  `SELECT ${collectionSettings.columns('s')} FROM collection_settings s WHERE s.account_id = ANY (:accountIds)`,
);

/** How each of some accounts collects, in both modes. */
export const collectionSettingsOf = (
  pool: pg.Pool | pg.ClientBase,
  accountIds: readonly string[],
): Promise<CollectionSettings[]> => run(pool, listOfAccounts, { accountIds });

export const viewCollectionSettings = (settings: CollectionSettings): SettingsView => ({
  object: 'collection_settings',
  overdue_days: settings.overdueDays,
  suspend_days: settings.suspendDays,
  cancel_days: settings.cancelDays,
  retry_days: [...settings.retryDays],
  reminder_days: [...settings.reminderDays],
  penalty_on_unpaid: settings.penaltyOnUnpaid,
  late_fees: settings.lateFees ?? null,
  portal: {
    cancel: settings.portalCancel,
    pause: settings.portalPause,
    change_prices: [...settings.portalChangePrices],
  },
  live_mode: settings.liveMode,
});

/** As operators and the log are shown them. */
export function shownCollectionSettings(settings: CollectionSettings) {
  const { object, live_mode, ...shown } = viewCollectionSettings(settings);
  return shown;
}

/** Puts changes on settings, of which what is not named stays; the days are checked as a whole. */
export function changeCollectionSettings(
  settings: CollectionSettings,
  { portal = {}, late_fees: lateFees, penalty_on_unpaid: penaltyOnUnpaid, ...days }: CollectionSettingsUpdate,
): void {
  const chosen = {
    overdueDays: days.overdue_days,
    suspendDays: days.suspend_days,
    cancelDays: days.cancel_days,
    retryDays: days.retry_days,
    reminderDays: days.reminder_days,
  };
  changeDays(settings, chosen, 'collection_settings');
  checkLateFees(lateFees, 'collection_settings.late_fees');
  const { cancel: portalCancel, pause: portalPause, change_prices: prices } = portal;
  const portalChangePrices = prices === undefined ? undefined : [...new Set(prices)];
  Object.assign(
    settings,
    withoutUndefined({ portalCancel, portalPause, portalChangePrices, lateFees, penaltyOnUnpaid }),
  );
}

/** Days of which some are chosen; the others stay. */
export type ChosenDays = { readonly [Name in keyof CollectionDays]?: CollectionDays[Name] | undefined };

function changeDays(settings: CollectionSettings, days: ChosenDays, at?: string): void {
  const changed = withoutUndefined(days);
  if (Object.keys(changed).length === 0) return;
  checkCollectionDays({ ...settings, ...changed }, at);
  Object.assign(settings, changed);
}

/** Changes the days of both modes of an account, as an operator does. */
export const setCollectionDays = (
  changer: Changer,
  { accountId, days }: { accountId: string; days: ChosenDays },
): Promise<void> =>
  changeLogged(changer, async (tx) => {
    for (const liveMode of [true, false]) {
      const [settings] = await run(tx.pool, collectionSettings.lock.one, { key: accountId, accountId, liveMode });
      if (settings === undefined) throw missing('account', accountId);
      const before = shownCollectionSettings(settings);
      changeDays(settings, days);
      const { update } = collectionSettings;
      await run(tx.pool, update.one, update.values(settings));
      const change = differences(before, shownCollectionSettings(settings));
      await tx.log({
        action: 'collection_settings.updated',
        account: accountId,
        liveMode,
        object: accountId,
        ...change,
      });
    }
  });
