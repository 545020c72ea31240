import type { Account as AccountView } from '../../contract/account.ts';
import type { AccountMail, AccountProfile } from '../kernel/account.ts';
import { publishableKey } from '../kernel/publishable-key.ts';

const EVERY_OCCASION: AccountView['mail_settings']['occasions'] = {
  paid: true,
  refunded: true,
  subscription_begun: true,
  trial_begun: true,
  trial_ending: true,
  plan_changed: true,
  renewal_ahead: true,
  suspended: true,
  reactivated: true,
  canceled: true,
  reminder: true,
  dispute_decided: true,
  pix_returned: true,
};

const viewOccasions = (off: readonly string[]): AccountView['mail_settings']['occasions'] => ({
  ...EVERY_OCCASION,
  ...Object.fromEntries(off.map((name) => [name, false])),
});

const viewMailSettings = ({
  senderName = null,
  sentence = null,
  attachReceipt = false,
  off = [],
}: AccountMail): AccountView['mail_settings'] => ({
  sender_name: senderName,
  sentence,
  attach_receipt: attachReceipt,
  occasions: viewOccasions(off),
});

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
  mail_settings: viewMailSettings(profile.mailSettings),
  created: profile.created,
  publishable_key: publishableKey({ accountId: profile.id, liveMode: profile.liveMode }),
  live_mode: profile.liveMode,
});
