import type { AccountUpdate, Account as AccountView } from '../../contract/account.ts';
import { type SwitchedOccasion, switchedOccasions } from '../../contract/mails.ts';
import type { Look } from '../accounts/entity.ts';
import { type Logo, looks, readProfile } from '../accounts/look.ts';
import { differences, differs } from '../audit-log/audit-log.ts';
import type { Shown } from '../audit-log/redaction.ts';
import { storedPhone, storedTaxId } from '../customers/rules.ts';
import { readIn } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { AccountMail } from '../kernel/account.ts';
import { hook } from '../unit-of-work/hooks.ts';
import { withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { fetchLogo } from './logo.ts';
import { storedColor } from './rules.ts';
import { viewAccount } from './view.ts';

/** The account of whoever asks. */
export async function retrieveProfile({ pool }: Pick<Deps, 'pool'>, scope: Scope): Promise<AccountView> {
  const [profile] = await readIn(pool, scope, readProfile, {});
  if (profile === undefined) throw new Error('the account is gone');
  return viewAccount(profile);
}

const stored = <T>(text: string | null | undefined, form: (text: string) => T): T | null | undefined =>
  typeof text === 'string' ? form(text) : text;

/** Changes that passed validation, and the logo that was fetched for them; null: none is kept any more. */
export interface LookChanges {
  readonly changes: AccountUpdate;
  readonly logo: Logo | null | undefined;
}

const logoOf = (logo: Logo | null) => ({
  logoMediaType: logo?.mediaType ?? null,
  logoDigest: logo?.digest ?? null,
  logoContent: logo === null ? null : Buffer.from(logo.content),
  logoWidth: logo?.width ?? null,
  logoHeight: logo?.height ?? null,
});

/** As buyers and the log are shown it, field by field: the address of a logo may lead to another image each time. */
function shownLook(look: Look): Shown {
  const { mail_settings: mails, ...fields } = viewAccount(look);
  const { occasions, ...rest } = mails;
  const named = Object.entries({ ...rest, ...occasions }).map(([name, value]) => [`mail_${name}`, value] as const);
  return { ...fields, logo_digest: look.logoDigest ?? null, ...Object.fromEntries(named) };
}

/** What of a look was another before a change, and is now. */
export interface LookChange {
  readonly look: Look;
  readonly before: Shown;
  readonly after: Shown;
}

/** Called when a look was changed. */
export const lookChanged = hook<(tx: Tx, change: LookChange) => Promise<void>>('look-changed');

/** What letters are to be, of which what is not named stays. */
function mailOf(before: AccountMail, changes: AccountUpdate['mail_settings']): AccountMail | undefined {
  if (changes === undefined) return undefined;
  const { sender_name: senderName, sentence, attach_receipt: attachReceipt, occasions = {} } = changes;
  const { off = [] } = before;
  const isOff = (name: SwitchedOccasion): boolean => !(occasions[name] ?? !off.includes(name));
  return {
    ...before,
    ...withoutUndefined({ senderName, sentence, attachReceipt }),
    off: switchedOccasions.filter(isOff),
  };
}

/** Puts the changes on a look, of which what is not named stays; answers what of it is another then. */
export function changeLook(look: Look, { changes, logo }: LookChanges): LookChange {
  const before = shownLook(look);
  const { name, tax_id, support_email: supportEmail, support_phone, color, logo_url: logoUrl } = changes;
  const { cover_color, corner_radius: cornerRadius, font, terms_url: termsUrl, privacy_url: privacyUrl } = changes;
  const profile = {
    name,
    taxId: stored(tax_id, storedTaxId),
    supportEmail,
    supportPhone: stored(support_phone, storedPhone),
    color: stored(color, storedColor),
    logoUrl,
    coverColor: stored(cover_color, storedColor),
    ...{ cornerRadius, font, termsUrl, privacyUrl },
    mailSettings: mailOf(look.mailSettings, changes.mail_settings),
  };
  const isAnother = logo !== undefined && (logo?.digest ?? null) !== (look.logoDigest ?? null);
  Object.assign(look, withoutUndefined(profile), isAnother ? logoOf(logo) : {});
  return { look, ...differences(before, shownLook(look)) };
}

/** Changes the fields sent. A logo is fetched first, with no transaction open (docs/product/account.md#logo). */
export async function updateProfile(deps: Deps, scope: Scope, changes: AccountUpdate): Promise<AccountView> {
  const { logo_url: url } = changes;
  const logo = typeof url === 'string' ? await fetchLogo(deps.sender, url, scope) : url;
  return deps.transaction(scope, async (tx) => {
    const look = await tx.lock(looks, scope.accountId);
    const change = changeLook(look, { changes, logo });
    if (differs(change)) await tell(tx, change);
    return tx.answer(viewAccount(look));
  });
}

async function tell(tx: Tx, change: LookChange): Promise<void> {
  const { look, before, after } = change;
  tx.record('account.updated', viewAccount(look));
  tx.log({ action: 'account.updated', object: look.id, before, after });
  for (const react of tx.reactionsAt(lookChanged)) await react(tx, change);
}
