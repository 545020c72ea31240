import type { Account as AccountView } from '../../contract/account.ts';
import type { AccountProfile } from '../kernel/account.ts';

/** The account as a key of one of its modes sees it. */
export const viewAccount = (profile: AccountProfile, { liveMode }: { readonly liveMode: boolean }): AccountView => ({
  id: profile.id,
  object: 'account',
  name: profile.name,
  tax_id: profile.taxId,
  support_email: profile.supportEmail,
  support_phone: profile.supportPhone,
  color: profile.color,
  logo_url: profile.logoUrl,
  created: profile.created,
  live_mode: liveMode,
});
