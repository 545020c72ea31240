import type { Account as AccountView } from '../../contract/account.ts';
import type { AccountProfile } from '../kernel/account.ts';

/** The account as a key of the profile's mode sees it. */
export const viewAccount = (profile: AccountProfile): AccountView => ({
  id: profile.id,
  object: 'account',
  name: profile.name,
  tax_id: profile.taxId ?? null,
  support_email: profile.supportEmail ?? null,
  support_phone: profile.supportPhone ?? null,
  color: profile.color ?? null,
  logo_url: profile.logoUrl ?? null,
  created: profile.created,
  live_mode: profile.liveMode,
});
