import type { SettingsView } from '../../../../contract/account-settings.ts';
import { profileNames, profileOf } from '../../acquirer/api-pix/profiles.ts';

/** The PSPs that are reached without an operator, and what an operator has set. */
export const pspsOf = (set: readonly string[]): SettingsView['psps'] =>
  profileNames
    .map((profile) => ({ profile, ...profileOf(profile) }))
    .filter(({ profile, baseUrl }) => baseUrl !== null || set.includes(profile))
    .map(({ profile, title, tokenStyle, extras }) => ({
      profile,
      title,
      needs_secret: tokenStyle !== 'form_without_secret',
      extras: extras.map(({ name, meaning, isRequired }) => ({ name, meaning, is_required: isRequired })),
    }));
