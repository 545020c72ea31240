import type { AccountUpdate, Account as AccountView } from '../../contract/account.ts';
import {
  changeProfile,
  type Logo,
  lockProfile,
  putLogo,
  readLogoDigest,
  readProfile,
  removeLogo,
} from '../accounts/profile.ts';
import { storedPhone, storedTaxId } from '../customers/rules.ts';
import { differences } from '../db/audit-log.ts';
import type { Shown } from '../db/redaction.ts';
import { readIn, type Statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { AccountProfile } from '../kernel/account.ts';
import { fetchLogo } from './logo.ts';
import { storedColor } from './rules.ts';
import { viewAccount } from './view.ts';

function theOnly([profile]: readonly AccountProfile[]): AccountProfile {
  if (profile === undefined) throw new Error('the account is gone');
  return profile;
}

/** The account of whoever asks. */
export const retrieveProfile = async ({ pool }: Pick<Deps, 'pool'>, scope: Scope): Promise<AccountView> =>
  viewAccount(theOnly(await readIn(pool, scope, readProfile, {})), scope);

const stored = <T>(text: string | null | undefined, form: (text: string) => T): T | null | undefined =>
  typeof text === 'string' ? form(text) : text;

/** Changes that passed validation, as columns of the account: those that are not named are not among them. */
export const columnsOf = ({ tax_id, support_phone, color, ...others }: AccountUpdate): string =>
  JSON.stringify({
    ...others,
    tax_id: stored(tax_id, storedTaxId),
    support_phone: stored(support_phone, storedPhone),
    color: stored(color, storedColor),
  });

type LogoWrite = readonly [Statement<unknown>, Readonly<Record<string, unknown>>];

/** What becomes of the logo that is kept: it is replaced, removed (null), or left as it is (undefined). */
export function logoWrites(logo: Logo | null | undefined): readonly LogoWrite[] {
  if (logo === undefined) return [];
  return logo === null ? [[removeLogo, {}]] : [[putLogo, { ...logo }]];
}

/**
 * What the log tells of the logo that is kept and of the one to come: its address may lead to another image each time.
 * `read` answers which one is kept, behind the lock of the account: one that is stored at the same moment is seen.
 */
export async function logoDigests(
  logo: Logo | null | undefined,
  read: () => Promise<Pick<Logo, 'digest'>[]>,
): Promise<{ readonly before: Shown; readonly after: Shown }> {
  if (logo === undefined) return { before: {}, after: {} };
  const [kept] = await read();
  return { before: { logo_digest: kept?.digest ?? null }, after: { logo_digest: logo?.digest ?? null } };
}

/** Changes the fields sent. A logo is fetched first, with no transaction open (docs/product/account.md#logo). */
export async function updateProfile(deps: Deps, scope: Scope, changes: AccountUpdate): Promise<AccountView> {
  const { logo_url: url } = changes;
  const logo = typeof url === 'string' ? await fetchLogo(deps.sender, url, scope) : url;
  return deps.transaction(scope, async (tx) => {
    const before = theOnly(await tx.query(lockProfile, {}));
    const logos = await logoDigests(logo, () => tx.query(readLogoDigest, {}));
    const profile = theOnly(await tx.query(changeProfile, { changes: columnsOf(changes) }));
    for (const write of logoWrites(logo)) tx.write(...write);
    const differing = differences(
      { ...viewAccount(before, scope), ...logos.before },
      { ...viewAccount(profile, scope), ...logos.after },
    );
    tx.log({ action: 'account.updated', object: profile.id, ...differing });
    return tx.answer(viewAccount(profile, scope));
  });
}
