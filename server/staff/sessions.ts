import type pg from 'pg';
import type { Role } from '../../contract/roles.ts';
import type { AccountLimits } from '../accounts/entity.ts';
import { accountTerms } from '../accounts/scope.ts';
import { acrossAccounts, type Connection, run, statement, unixSeconds } from '../db/statement.ts';
import type { AccountTerms } from '../kernel/account.ts';
import { briefly } from '../kernel/brief-cache.ts';
import { newId } from '../kernel/ids.ts';
import { clip, oneLine } from '../kernel/text.ts';
import { DAY, HOUR, MINUTE, realTime, type Timestamp } from '../kernel/time.ts';
import { newToken, tokenHash } from './tokens.ts';

/** A session that nobody uses ends, and every session ends in time. */
const IDLE_SECONDS = 12 * HOUR;
const LIFE_SECONDS = 7 * DAY;
/** How long a login counts as fresh (docs/product/dashboard.md#a-fresh-login). */
export const FRESH_SECONDS = 10 * MINUTE;
/** Open sessions of one person: the one that was seen longest ago makes room. */
const SESSIONS_MAX = 50;
const USER_AGENT_MAX = 200;
/** When a session was last seen is known to about this. */
const SEEN_EVERY_SECONDS = MINUTE;
/** A removed person is refused within a second in every process. */
const CACHE_MS = 900;
const CACHED_MAX = 1_000;

/** An account in which a person works. */
export interface Membership {
  readonly accountId: string;
  readonly role: Role;
  readonly name: string;
  /** Cents. */
  readonly refundLimit: number;
  /** Of its live mode. */
  readonly hasAcquirer: boolean;
  readonly limits: AccountLimits;
  readonly live: AccountTerms;
  readonly sandbox: AccountTerms;
}

/** An open session, and who it is of. */
export interface OpenSession {
  readonly id: string;
  readonly staffId: string;
  readonly email: string;
  readonly name: string;
  readonly freshAt: Timestamp;
  readonly seenAt: Timestamp;
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  readonly passkeys: number;
  /** The oldest first. */
  readonly memberships: readonly Membership[];
}

const terms = (liveMode: boolean): string =>
  accountTerms({ accountId: 'a.id', liveMode: String(liveMode) }).replace(/ AS account$/, '');

const isOpen = `s.seen_at > now() - interval '${IDLE_SECONDS} seconds' AND s.created_at > now() - interval '${LIFE_SECONDS} seconds'`;

const findSession = acrossAccounts<OpenSession>(
  'find_staff_session',
  `SELECT s.id, s.staff_id AS "staffId", p.email, p.name, ${unixSeconds('s.fresh_at')} AS "freshAt", ${unixSeconds('s.seen_at')} AS "seenAt",
     p.password_hash IS NOT NULL AS "hasPassword", p.totp_since IS NOT NULL AS "hasTotp",
     (SELECT count(*)::int FROM staff_passkey k WHERE k.staff_id = s.staff_id) AS passkeys,
     coalesce((SELECT json_agg(json_build_object('accountId', m.account_id, 'role', m.role,
         'name', (SELECT l.name FROM account_look l WHERE l.account_id = a.id ORDER BY l.live_mode DESC LIMIT 1),
         'refundLimit', a.refund_limit,
         'hasAcquirer', EXISTS(SELECT FROM live_acquirer q WHERE q.account_id = a.id), 'limits', a.limits, 'live', ${terms(true)}, 'sandbox', ${terms(false)})
         ORDER BY m.created_at, m.account_id)
       FROM staff_member m JOIN account a ON a.id = m.account_id WHERE m.staff_id = s.staff_id), '[]') AS memberships
   FROM staff_session s JOIN staff p ON p.id = s.staff_id WHERE s.token_hash = :hash AND ${isOpen}`,
);

const insertSession = statement(
  'insert_staff_session',
  `WITH opened AS (INSERT INTO staff_session (id, staff_id, token_hash, address, user_agent)
     VALUES (:id, :staffId, :hash, :address, :userAgent) RETURNING staff_id)
   UPDATE staff SET seen_at = now() FROM opened WHERE staff.id = opened.staff_id`,
);
const deleteOver = statement(
  'delete_ended_staff_sessions',
  `DELETE FROM staff_session s WHERE NOT (${isOpen}) OR s.id IN
     (SELECT o.id FROM staff_session o WHERE o.staff_id = :staffId ORDER BY o.seen_at DESC, o.id DESC OFFSET ${SESSIONS_MAX - 1})`,
);
const seeSession = statement(
  'see_staff_session',
  `WITH seen AS (UPDATE staff_session SET seen_at = now()
     WHERE id = :id AND seen_at < now() - interval '${SEEN_EVERY_SECONDS} seconds' RETURNING staff_id)
   UPDATE staff SET seen_at = now() FROM seen WHERE staff.id = seen.staff_id`,
);
const freshenSession = statement('freshen_staff_session', 'UPDATE staff_session SET fresh_at = now() WHERE id = :id');
const deleteSession = statement<{ id: string }>(
  'delete_staff_session',
  'DELETE FROM staff_session WHERE id = :id AND staff_id = :staffId RETURNING id',
);
const deleteOthers = statement(
  'delete_other_staff_sessions',
  'DELETE FROM staff_session WHERE staff_id = :staffId AND id <> :but',
);

interface ListedSession {
  readonly id: string;
  readonly created: Timestamp;
  readonly seenAt: Timestamp;
  readonly address: string | null;
  readonly userAgent: string | null;
}

const listOpen = statement<ListedSession>(
  'list_staff_sessions',
  `SELECT s.id, ${unixSeconds('s.created_at')} AS created, ${unixSeconds('s.seen_at')} AS "seenAt", s.address, s.user_agent AS "userAgent"
   FROM staff_session s WHERE s.staff_id = :staffId AND ${isOpen} ORDER BY s.seen_at DESC, s.id DESC`,
);

/** Where a session is opened from. */
export interface Device {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Opens a session, and answers the token that its browser keeps: a new one with each, whatever the browser brought. */
export async function openSession(pool: Connection, staffId: string, { address, userAgent }: Device): Promise<string> {
  const token = newToken();
  await run(pool, deleteOver, { staffId });
  const agent = userAgent === null ? null : clip(oneLine(userAgent), USER_AGENT_MAX);
  await run(pool, insertSession, { id: newId('ses'), staffId, hash: tokenHash(token), address, userAgent: agent });
  return token;
}

export const listOpenSessions = (pool: pg.Pool, staffId: string): Promise<ListedSession[]> =>
  run(pool, listOpen, { staffId });

/** Ends a session of a person; answers whether they had it. */
export const endSession = async (pool: Connection, of: { id: string; staffId: string }): Promise<boolean> =>
  (await run(pool, deleteSession, of)).length > 0;

/** Ends all sessions of a person, but for one. */
export async function endSessions(pool: Connection, staffId: string, but = ''): Promise<void> {
  await run(pool, deleteOthers, { staffId, but });
}

/** Says that the person of a session has just shown who they are. */
export async function freshen(pool: Connection, id: string): Promise<void> {
  await run(pool, freshenSession, { id });
}

/** Until when the login of a session counts as fresh; 0: it does not. */
export function freshUntil({ freshAt }: Pick<OpenSession, 'freshAt'>): Timestamp {
  const until = freshAt + FRESH_SECONDS;
  return until > realTime() ? until : 0;
}

/** Finds open sessions by their tokens. */
export function createSessions(pool: pg.Pool) {
  const load = async (hash: string): Promise<OpenSession | null> => {
    const [found = null] = await run(pool, findSession, { hash: Buffer.from(hash, 'hex') });
    if (found !== null && found.seenAt < realTime() - SEEN_EVERY_SECONDS) await run(pool, seeSession, { id: found.id });
    return found;
  };
  const known = briefly(load, { ms: CACHE_MS, max: CACHED_MAX, keeps: (session) => session !== null });
  const keyOf = (token: string): string => tokenHash(token).toString('hex');
  return {
    /** What a session is at most a second later; null: none is open. */
    find: (token: string): Promise<OpenSession | null> => known(keyOf(token)),
    /** The same as it stands now, for whoever has just changed it. */
    read: (token: string): Promise<OpenSession | null> => load(keyOf(token)),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
