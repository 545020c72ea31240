import type { Account as AccountView } from '../../contract/account.ts';
import type { AccountProfile } from '../kernel/account.ts';
import { publishableKey } from '../kernel/publishable-key.ts';

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
  cover_color: profile.coverColor ?? null,
  corner_radius: profile.cornerRadius ?? null,
  font: profile.font ?? null,
  terms_url: profile.termsUrl ?? null,
  privacy_url: profile.privacyUrl ?? null,
  created: profile.created,
  publishable_key: publishableKey({ accountId: profile.id, liveMode: profile.liveMode }),
  live_mode: profile.liveMode,
});
