import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { acrossAccounts, type Connection, run, statement } from '../../db/statement.ts';
import { HOUR, realTime, type Timestamp } from '../../kernel/time.ts';
import { places } from '../../sealing/sealed-columns.ts';
import type { SecretBox } from '../../sealing/secret-box.ts';
import type { Method } from '../acquirer/port.ts';
import type { LiveMethod, LiveSettings, OfMethod } from './method.ts';
import { liveMethod } from './methods.ts';

/** How an account reaches its acquirer of a method, as it is stored. */
export interface LiveAcquirerRow extends OfMethod {
  /** Sealed anew, and so another text, with each change. */
  readonly settings: Buffer;
}

/** Settings that were replaced by those of another acquirer. */
export interface FormerSettings {
  readonly settings: LiveSettings;
  /** Real Unix seconds: what is left there then is nobody's to return. */
  readonly until: Timestamp;
}

/** What the row seals: the settings of the adapter, and the secret of the path that its callbacks come to. */
export interface SealedSettings {
  readonly settings: LiveSettings;
  readonly noticeToken: string;
  /** Of acquirers that still hold money of the account, newest first. */
  readonly former: readonly FormerSettings[];
}

const COLUMNS = `l.account_id AS "accountId", l.method, l.settings`;

const readRow = statement<LiveAcquirerRow>(
  'read_live_acquirer',
  `SELECT ${COLUMNS} FROM live_acquirer l WHERE l.account_id = :accountId AND l.method = :method`,
);

export async function readLiveAcquirer(pool: Connection, of: OfMethod): Promise<LiveAcquirerRow | null> {
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

/** What is sealed alike for every method; the settings themselves are of the form of theirs. */
const Sealed = z.object({
  settings: z.unknown(),
  noticeToken: z.string(),
  former: z.array(z.object({ settings: z.unknown(), until: z.number() })).default([]),
});

/** A version before may have sealed what this one does not take: that is told here. */
export function openSettings(secretBox: SecretBox, { accountId, method, settings }: LiveAcquirerRow): SealedSettings {
  const { settings: form } = liveMethod(method);
  const sealed = Sealed.parse(JSON.parse(secretBox.open(settings, places.acquirer(accountId, method))));
  return {
    ...sealed,
    settings: form.parse(sealed.settings),
    former: sealed.former.map((one) => ({ ...one, settings: form.parse(one.settings) })),
  };
}

const seal = (secretBox: SecretBox, { accountId, method, ...sealed }: SealedSettings & OfMethod): Buffer =>
  secretBox.seal(JSON.stringify(sealed), places.acquirer(accountId, method));

/** SQL: names a row of `live_acquirer l` among those that are due. */
export const DUE_ID = `l.account_id || '/' || l.method`;

export function ofDueId(id: string): OfMethod {
  const [accountId = '', method] = id.split('/');
  return { accountId, method: method as Method }; // the column takes nothing else
}

const upsertRow = statement(
  'set_live_acquirer',
  `INSERT INTO live_acquirer (account_id, method, profile, settings, notice_hash, certificate_ends_at, swept_until)
   VALUES (:accountId, :method, :profile, :settings, :noticeHash, :certificateEndsAt, :sweptUntil)
   ON CONFLICT (account_id, method) DO UPDATE SET
     profile = excluded.profile, settings = excluded.settings, notice_hash = excluded.notice_hash,
     certificate_ends_at = excluded.certificate_ends_at, changed_at = now(),
     certificate_warned = CASE WHEN live_acquirer.certificate_ends_at = excluded.certificate_ends_at THEN live_acquirer.certificate_warned END`,
);

/** An account that had no acquirer for a while was told of nothing that was paid meanwhile. */
async function unsweptSince({ sweep, formerFor }: LiveMethod, pool: Connection, accountId: string): Promise<Timestamp> {
  const now = realTime();
  const waiting = (await sweep?.waitingSince(pool, accountId)) ?? now;
  return Math.max(now - formerFor, Math.min(now - HOUR, waiting));
}

const NOTICE_TOKEN_BYTES = 24;

export interface NewSettings extends OfMethod {
  readonly settings: LiveSettings;
  /** Null: the acquirer is called without one. */
  readonly certificateEndsAt: Date | null;
}

const FORMER_MAX = 3;

/** The settings that are kept beside new ones: of acquirers that the new ones do not reach. */
function formerOf(
  { formerFor, isSameClient }: LiveMethod,
  { settings, former }: SealedSettings,
  { replacing, wasUsed }: { replacing: LiveSettings; wasUsed: boolean },
): FormerSettings[] {
  const now = realTime();
  return [...(wasUsed ? [{ settings, until: now + formerFor }] : []), ...former]
    .filter((one) => one.until > now && !isSameClient(one.settings, replacing))
    .slice(0, FORMER_MAX);
}

/** Stores settings, sealed; a change keeps the path of the callbacks, which the acquirer knows. Every process takes them up within seconds. */
export async function setLiveAcquirer(
  pool: Connection,
  secretBox: SecretBox,
  { accountId, method, settings, certificateEndsAt }: NewSettings,
): Promise<void> {
  const live = liveMethod(method);
  const row = await readLiveAcquirer(pool, { accountId, method });
  const before = row === null ? null : openSettings(secretBox, row);
  const noticeToken = before?.noticeToken ?? randomBytes(NOTICE_TOKEN_BYTES).toString('base64url');
  const former =
    before === null
      ? []
      : formerOf(live, before, { replacing: settings, wasUsed: await live.wasUsed(pool, accountId) });
  await run(pool, upsertRow, {
    accountId,
    method,
    profile: settings.profile,
    settings: seal(secretBox, { accountId, method, settings, noticeToken, former }),
    noticeHash: noticeHash(secretBox, noticeToken),
    certificateEndsAt,
    sweptUntil: await unsweptSince(live, pool, accountId),
  });
}

const deleteRow = statement<{ accountId: string }>(
  'remove_live_acquirer',
  `DELETE FROM live_acquirer WHERE account_id = :accountId AND method = :method RETURNING account_id AS "accountId"`,
);

/** Forgets the acquirers that the account had before; answers how many were kept. */
export async function forgetFormer(pool: Connection, secretBox: SecretBox, of: OfMethod): Promise<number> {
  const row = await readLiveAcquirer(pool, of);
  if (row === null) return 0;
  const sealed = openSettings(secretBox, row);
  await run(pool, replaceSettings, { ...of, settings: seal(secretBox, { ...of, ...sealed, former: [] }) });
  return sealed.former.length;
}

/** Sets anew how often a second runs may ask the acquirer; null: there is none. It stays the same acquirer, in use since it was set. */
export async function setChargesPerSecond(
  pool: Connection,
  secretBox: SecretBox,
  { chargesPerSecond, ...of }: OfMethod & Pick<LiveSettings, 'chargesPerSecond'>,
): Promise<{ before: LiveSettings; after: LiveSettings } | null> {
  const row = await readLiveAcquirer(pool, of);
  if (row === null) return null;
  const sealed = openSettings(secretBox, row);
  const after = { ...sealed.settings, chargesPerSecond };
  await run(pool, replaceSettings, { ...of, settings: seal(secretBox, { ...of, ...sealed, settings: after }) });
  return { before: sealed.settings, after };
}

const replaceSettings = statement(
  'replace_live_acquirer_settings',
  `UPDATE live_acquirer SET settings = :settings WHERE account_id = :accountId AND method = :method`,
);

/** Answers whether there was one. */
export const removeLiveAcquirer = async (pool: Connection, of: OfMethod): Promise<boolean> =>
  (await run(pool, deleteRow, of)).length > 0;
