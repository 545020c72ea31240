import type { SettingsView } from '../../contract/account-settings.ts';
import { readLook } from '../accounts/look.ts';
import { run, statement, unixSeconds } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { pspsOf } from '../payments/live/pix/psps.ts';
import { LOGOS } from '../web/logos.ts';
import { viewLogo } from '../web/look.ts';

const readSettings = statement<Omit<SettingsView, 'sends_mail' | 'logo' | 'live_acquirers' | 'psps'>>(
  'read_shown_account_settings',
  `SELECT a.email, a.city, a.pix_validity_seconds, a.refund_limit
   FROM account a WHERE a.id = :accountId`,
);

const readAcquirers = statement<SettingsView['live_acquirers'][number]>(
  'read_shown_live_acquirers',
  `SELECT l.method, l.profile, ${unixSeconds('l.certificate_ends_at')} AS certificate_ends_at, l.swept_until AS listed_until,
     ${unixSeconds('l.changed_at')} AS changed_at FROM live_acquirer l WHERE l.account_id = :accountId ORDER BY l.method DESC`,
);

interface Asked {
  readonly accountId: string;
  /** Whose logo is shown. */
  readonly liveMode: boolean;
}

/** What is set of an account, without anything secret. */
export async function shownAccountSettings(
  { pool, mailer, settings }: Pick<Deps, 'pool' | 'mailer' | 'settings'>,
  { accountId, liveMode }: Asked,
): Promise<SettingsView> {
  const [set] = await run(pool, readSettings, { accountId });
  if (set === undefined) throw new Error('the account is gone');
  const look = await readLook(pool, { accountId, liveMode });
  const logo = viewLogo(look, `${settings.publicUrl.replace(/\/$/, '')}/${LOGOS}`);
  const acquirers = await run(pool, readAcquirers, { accountId });
  return {
    ...set,
    sends_mail: mailer !== null,
    logo,
    live_acquirers: acquirers,
    psps: pspsOf(acquirers.map(({ profile }) => profile)),
  };
}
