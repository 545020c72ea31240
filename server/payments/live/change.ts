import { lockSettings } from '../../accounts/service.ts';
import type { AuditAction, LoggedChange, LoggedTx } from '../../audit-log/audit-log.ts';
import type { Connection } from '../../db/statement.ts';
import type { SecretBox } from '../../sealing/secret-box.ts';
import type { LiveMethod, LiveSettings, OfMethod } from './method.ts';
import { liveMethod } from './methods.ts';
import { changedSettings } from './rules.ts';
import { openSettings, readLiveAcquirer, setChargesPerSecond, setLiveAcquirer } from './store.ts';

/** What an entry of the log says of an account's acquirer. */
export const ofAcquirer = (action: AuditAction, { accountId, method }: OfMethod) => ({
  action,
  account: accountId,
  liveMode: true,
  object: method,
});

/** Null: nothing is configured. */
export async function settingsNow(pool: Connection, box: SecretBox, of: OfMethod): Promise<LiveSettings | null> {
  const row = await readLiveAcquirer(pool, of);
  return row === null ? null : openSettings(box, row).settings;
}

/** Sets the acquirer of an account; what was set before is replaced as a whole. */
export async function changeAcquirer(
  tx: LoggedTx,
  box: SecretBox,
  { settings, ...of }: OfMethod & { readonly settings: LiveSettings },
): Promise<void> {
  const live = liveMethod(of.method);
  await lockSettings(tx, of.accountId);
  const before = await settingsNow(tx.pool, box, of);
  const certificateEndsAt = live.certificateOf(settings)?.endsAt ?? null;
  await setLiveAcquirer(tx.pool, box, { ...of, settings, certificateEndsAt });
  await tx.log({ ...ofAcquirer('acquirer.set', of), ...replacement(live, before, settings) });
}

/** Changes how often a second runs may ask the acquirer of an account; null: there is none. */
export async function changeRate(
  tx: LoggedTx,
  box: SecretBox,
  { chargesPerSecond, ...of }: OfMethod & Pick<LiveSettings, 'chargesPerSecond'>,
): Promise<LiveSettings | null> {
  await lockSettings(tx, of.accountId);
  const changed = await setChargesPerSecond(tx.pool, box, { ...of, chargesPerSecond });
  if (changed === null) return null;
  const { before, after } = changed;
  await tx.log({ ...ofAcquirer('acquirer.set', of), ...replacement(liveMethod(of.method), before, after) });
  return after;
}

/** A former secret and a new one look alike in the log, so it says by name what is another. */
const replacement = (
  { show }: LiveMethod,
  before: LiveSettings | null,
  after: LiveSettings,
): Pick<LoggedChange, 'before' | 'after'> =>
  before === null
    ? { before, after: { ...show(after) } }
    : { before: { ...show(before) }, after: { ...show(after), changed: changedSettings(before, after) } };
