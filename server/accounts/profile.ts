import { acrossAccounts, statement } from '../db/statement.ts';
import type { AccountProfile } from '../kernel/account.ts';

const COLUMNS = `a.id, a.name, a.tax_id AS "taxId", a.support_email AS "supportEmail", a.support_phone AS "supportPhone",
  a.color, a.logo_url AS "logoUrl", a.created`;

export const readProfile = statement<AccountProfile>(
  'read_account_profile',
  `SELECT ${COLUMNS} FROM account a WHERE a.id = :accountId`,
);

/** The same, kept from other changes until the transaction ends. */
export const lockProfile = statement<AccountProfile>(
  'lock_account_profile',
  `SELECT ${COLUMNS} FROM account a WHERE a.id = :accountId FOR NO KEY UPDATE`,
);

/**
 * Takes an object of columns as JSON: each that it names is set, null clears. The others keep what they have, whoever
 * changes them at the same moment.
 */
export const changeProfile = statement<AccountProfile>(
  'change_account_profile',
  `UPDATE account a SET (name, tax_id, support_email, support_phone, color, logo_url) =
     (SELECT c.name, c.tax_id, c.support_email, c.support_phone, c.color, c.logo_url
      FROM jsonb_populate_record(a, :changes::jsonb) c)
   WHERE a.id = :accountId RETURNING ${COLUMNS}`,
);

/** A logo as buyers are shown it. */
export interface Logo {
  readonly mediaType: string;
  readonly digest: string;
  readonly content: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export const putLogo = statement(
  'put_account_logo',
  `INSERT INTO account_logo (account_id, media_type, digest, content, width, height)
   VALUES (:accountId, :mediaType, :digest, :content, :width, :height)
   ON CONFLICT (account_id) DO UPDATE SET media_type = excluded.media_type, digest = excluded.digest,
     content = excluded.content, width = excluded.width, height = excluded.height`,
);

/** Which image is kept; none: no row. */
export const readLogoDigest = statement<Pick<Logo, 'digest'>>(
  'read_account_logo_digest',
  'SELECT l.digest FROM account_logo l WHERE l.account_id = :accountId',
);

export const removeLogo = statement('remove_account_logo', 'DELETE FROM account_logo WHERE account_id = :accountId');

/** Several accounts may have one logo. */
export const findLogo = acrossAccounts<Pick<Logo, 'mediaType' | 'content'>>(
  'find_account_logo',
  `SELECT media_type AS "mediaType", content FROM account_logo WHERE digest = :digest LIMIT 1`,
);
