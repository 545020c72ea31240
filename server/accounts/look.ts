import type pg from 'pg';
import { acrossAccounts, mine, readIn, statement } from '../db/statement.ts';
import type { AccountProfile, PageLook } from '../kernel/account.ts';
import type { ClockScope } from '../kernel/time.ts';
import { table } from '../unit-of-work/table.ts';
import { LookSchema } from './entity.ts';

/** The looks of accounts, a row of the account's id for each mode. */
export const looks = table(LookSchema, { noun: 'account', fixed: [] });

/** The look `look`, as one column. */
export const ACCOUNT_LOOK = `json_build_object('name', look.name, 'taxId', look.tax_id, 'supportEmail', look.support_email,
  'supportPhone', look.support_phone, 'color', look.color, 'coverColor', look.cover_color, 'cornerRadius', look.corner_radius,
  'font', look.font, 'termsUrl', look.terms_url, 'privacyUrl', look.privacy_url, 'logoDigest', look.logo_digest,
  'logoSize', CASE WHEN look.logo_digest IS NOT NULL THEN json_build_object('width', look.logo_width, 'height', look.logo_height) END) AS look`;

const findLook = statement<{ look: PageLook }>(
  'read_account_look',
  `SELECT ${ACCOUNT_LOOK} FROM account_look look WHERE ${mine('look')}`,
);

/** What buyers see of an account in a mode. */
export const readLook = async (pool: pg.Pool, scope: Pick<ClockScope, 'accountId' | 'liveMode'>): Promise<PageLook> =>
  theOnly(await readIn(pool, scope, findLook, {}));

function theOnly([row]: readonly { look: PageLook }[]): PageLook {
  if (row === undefined) throw new Error('the account is gone');
  return row.look;
}

/** A logo as buyers are shown it. */
export interface Logo {
  readonly mediaType: string;
  readonly digest: string;
  readonly content: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Several accounts may have one logo. */
export const findLogo = acrossAccounts<Pick<Logo, 'mediaType' | 'content'>>(
  'find_account_logo',
  `SELECT look.logo_media_type AS "mediaType", look.logo_content AS content FROM account_look look WHERE look.logo_digest = :digest LIMIT 1`,
);

/** The columns of what an account tells of itself in a mode, without the image of its logo. */
export const PROFILE = `look.id, look.live_mode AS "liveMode", look.created, look.name, look.tax_id AS "taxId",
  look.support_email AS "supportEmail", look.support_phone AS "supportPhone", look.color, look.logo_url AS "logoUrl",
  look.cover_color AS "coverColor", look.corner_radius AS "cornerRadius", look.font, look.terms_url AS "termsUrl",
  look.privacy_url AS "privacyUrl", look.mail_settings AS "mailSettings"`;

export const readProfile = statement<AccountProfile>(
  'read_account_profile',
  `SELECT ${PROFILE} FROM account_look look WHERE ${mine('look')}`,
);
