import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { places } from '../../db/sealed-columns.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { acrossAccounts, run, type run as runStatement, statement } from '../../db/statement.ts';
import { DAY, HOUR, MINUTE, realTime, type Timestamp } from '../../kernel/time.ts';
import { ApiPixSettings, isSameClient } from '../acquirer/api-pix/settings.ts';
import type { Method } from '../acquirer/port.ts';

type Connection = Parameters<typeof runStatement>[0];

/** How an account reaches its acquirer of a method, as it is stored. */
export interface LiveAcquirerRow {
  readonly accountId: string;
  readonly method: Method;
  /** Sealed anew, and so another text, with each change. */
  readonly settings: Buffer;
}

/** Settings that were replaced by those of another acquirer. */
export interface FormerSettings {
  readonly settings: ApiPixSettings;
  /** Real Unix seconds: what is left there then is nobody's to return. */
  readonly until: Timestamp;
}

/** What the row seals: the settings of the adapter, and the secret of the path that its callbacks come to. */
export interface SealedSettings {
  readonly settings: ApiPixSettings;
  readonly noticeToken: string;
  /** Of acquirers that still hold money of the account, newest first. */
  readonly former: readonly FormerSettings[];
}

const COLUMNS = `l.account_id AS "accountId", l.method, l.settings`;

const readRow = statement<LiveAcquirerRow>(
  'read_live_acquirer',
  `SELECT ${COLUMNS} FROM live_acquirer l WHERE l.account_id = :accountId AND l.method = :method`,
);

export async function readLiveAcquirer(
  pool: Connection,
  of: { accountId: string; method: Method },
): Promise<LiveAcquirerRow | null> {
  const [row] = await run(pool, readRow, of);
  return row ?? null;
}

const readRows = acrossAccounts<LiveAcquirerRow>(
  'read_live_acquirers',
  `SELECT ${COLUMNS} FROM live_acquirer l ORDER BY l.account_id, l.method`,
);

export const readLiveAcquirers = (pool: Connection): Promise<LiveAcquirerRow[]> => run(pool, readRows, {});

const readByNotice = acrossAccounts<LiveAcquirerRow>(
  'read_live_acquirer_by_notice',
  `SELECT ${COLUMNS} FROM live_acquirer l WHERE l.notice_hash = :hash`,
);

const noticeHash = (secretBox: SecretBox, token: string): Buffer => secretBox.fingerprint(['acquirer notice', token]);

/** Whose callbacks come to the path of a token; null: nobody's. */
export async function findByNotice(
  pool: Connection,
  { secretBox, token }: { secretBox: SecretBox; token: string },
): Promise<LiveAcquirerRow | null> {
  const [row] = await run(pool, readByNotice, { hash: noticeHash(secretBox, token) });
  return row ?? null;
}

/** A version before may have sealed what this one does not take: that is told where it is opened. */
const Sealed = z.object({
  settings: ApiPixSettings,
  noticeToken: z.string(),
  former: z.array(z.object({ settings: ApiPixSettings, until: z.number() })).default([]),
});

export function openSettings(secretBox: SecretBox, { accountId, method, settings }: LiveAcquirerRow): SealedSettings {
  return Sealed.parse(JSON.parse(secretBox.open(settings, places.acquirer(accountId, method))));
}

const seal = (
  secretBox: SecretBox,
  { accountId, method, ...sealed }: SealedSettings & { accountId: string; method: Method },
): Buffer => secretBox.seal(JSON.stringify(sealed), places.acquirer(accountId, method));

const upsertRow = statement(
  'set_live_acquirer',
  `INSERT INTO live_acquirer (account_id, method, profile, settings, notice_hash, certificate_ends_at, swept_until)
   VALUES (:accountId, :method, :profile, :settings, :noticeHash, :certificateEndsAt, :sweptUntil)
   ON CONFLICT (account_id, method) DO UPDATE SET
     profile = excluded.profile, settings = excluded.settings, notice_hash = excluded.notice_hash,
     certificate_ends_at = excluded.certificate_ends_at, changed_at = now(),
     certificate_warned = CASE WHEN live_acquirer.certificate_ends_at = excluded.certificate_ends_at THEN live_acquirer.certificate_warned END`,
);

const oldestWaiting = statement<{ at: number | null }>(
  'oldest_waiting_live_qr',
  `SELECT min(c.created)::float8 AS at FROM pix_charge c WHERE c.account_id = :accountId AND c.live_mode AND c.state <> 'ended'`,
);

/** An account that had no acquirer for a while was told of nothing that was paid meanwhile. */
async function unsweptSince(pool: Connection, accountId: string): Promise<Timestamp> {
  const [waiting] = await run(pool, oldestWaiting, { accountId });
  const now = realTime();
  return Math.max(now - FORMER_FOR, Math.min(now - HOUR, waiting?.at ?? now));
}

const NOTICE_TOKEN_BYTES = 24;

export interface NewSettings {
  readonly accountId: string;
  readonly method: Method;
  readonly profile: string;
  readonly settings: ApiPixSettings;
  readonly certificateEndsAt: Date;
}

/** A PIX is returned for 90 days, and a return takes its time. */
const FORMER_FOR = 100 * DAY;
const FORMER_MAX = 3;

/** A charge that was made since the settings were set: what never made one holds nothing. */
const wasUsed = statement<{ id: string }>(
  'live_acquirer_was_used',
  `SELECT c.id FROM live_acquirer l JOIN pix_charge c ON c.account_id = l.account_id AND c.live_mode
   WHERE l.account_id = :accountId AND l.method = 'pix' AND c.copy_paste IS NOT NULL AND c.created >= floor(extract(epoch FROM l.changed_at)) - ${MINUTE} LIMIT 1`,
);

/** The settings that are kept beside new ones: of acquirers that the new ones do not reach. */
function formerOf({ settings, former }: SealedSettings, replacing: ApiPixSettings, wasUsed: boolean): FormerSettings[] {
  const now = realTime();
  return [...(wasUsed ? [{ settings, until: now + FORMER_FOR }] : []), ...former]
    .filter((one) => one.until > now && !isSameClient(one.settings, replacing))
    .slice(0, FORMER_MAX);
}

/** Stores settings, sealed; a change keeps the path of the callbacks, which the acquirer knows. Every process takes them up within seconds. */
export async function setLiveAcquirer(
  pool: Connection,
  secretBox: SecretBox,
  { accountId, method, profile, settings, certificateEndsAt }: NewSettings,
): Promise<void> {
  const row = await readLiveAcquirer(pool, { accountId, method });
  const before = row === null ? null : openSettings(secretBox, row);
  const noticeToken = before?.noticeToken ?? randomBytes(NOTICE_TOKEN_BYTES).toString('base64url');
  const former =
    before === null ? [] : formerOf(before, settings, (await run(pool, wasUsed, { accountId })).length > 0);
  await run(pool, upsertRow, {
    accountId,
    method,
    profile,
    settings: seal(secretBox, { accountId, method, settings, noticeToken, former }),
    noticeHash: noticeHash(secretBox, noticeToken),
    certificateEndsAt,
    sweptUntil: await unsweptSince(pool, accountId),
  });
}

const deleteRow = statement<{ accountId: string }>(
  'remove_live_acquirer',
  `DELETE FROM live_acquirer WHERE account_id = :accountId AND method = :method RETURNING account_id AS "accountId"`,
);

/** Forgets the acquirers that the account had before; answers how many were kept. */
export async function forgetFormer(
  pool: Connection,
  secretBox: SecretBox,
  of: { accountId: string; method: Method },
): Promise<number> {
  const row = await readLiveAcquirer(pool, of);
  if (row === null) return 0;
  const sealed = openSettings(secretBox, row);
  await run(pool, replaceSettings, { ...of, settings: seal(secretBox, { ...of, ...sealed, former: [] }) });
  return sealed.former.length;
}

const replaceSettings = statement(
  'replace_live_acquirer_settings',
  `UPDATE live_acquirer SET settings = :settings WHERE account_id = :accountId AND method = :method`,
);

/** Answers whether there was one. */
export const removeLiveAcquirer = async (
  pool: Connection,
  of: { accountId: string; method: Method },
): Promise<boolean> => (await run(pool, deleteRow, of)).length > 0;
