import { createHash, randomBytes } from 'node:crypto';
import { type Connection, run, statement } from '../db/statement.ts';

const TOKEN_BYTES = 32;

/** What only its holder knows, and how the database knows it again. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

export type TokenKind = 'reset' | 'challenge' | 'oidc';

const insertToken = statement(
  'insert_staff_token',
  `INSERT INTO staff_token (hash, kind, staff_id, data, expires_at)
   VALUES (:hash, :kind, :staffId, :data::jsonb, now() + make_interval(secs => :seconds))`,
);

/** What was left unused goes with the next that is made. */
const deleteOld = statement('delete_old_staff_tokens', 'DELETE FROM staff_token WHERE expires_at < now()');

interface Found {
  readonly staffId: string | null;
  readonly data: unknown;
}

const readToken = statement<Found>(
  'read_staff_token',
  'SELECT staff_id AS "staffId", data FROM staff_token WHERE hash = :hash AND kind = :kind AND expires_at > now()',
);

const deleteToken = statement<Found>(
  'take_staff_token',
  'DELETE FROM staff_token WHERE hash = :hash AND kind = :kind AND expires_at > now() RETURNING staff_id AS "staffId", data',
);

const forgetTokens = statement('forget_staff_tokens', 'DELETE FROM staff_token WHERE staff_id = :staffId');

interface Wanted {
  readonly kind: TokenKind;
  readonly staffId?: string | null;
  readonly data?: unknown;
  readonly seconds: number;
}

/** Makes a token that is good once, until its time ends. */
export async function makeToken(
  pool: Connection,
  { kind, staffId = null, data = null, seconds }: Wanted,
): Promise<string> {
  const token = newToken();
  await run(pool, deleteOld, {});
  await run(pool, insertToken, { hash: tokenHash(token), kind, staffId, data: JSON.stringify(data), seconds });
  return token;
}

/** What a token was made for, without its being used; null: no such token. */
export async function lookAtToken(pool: Connection, kind: TokenKind, token: string): Promise<Found | null> {
  const [found = null] = await run(pool, readToken, { hash: tokenHash(token), kind });
  return found;
}

/** Uses a token: of two at once one finds it. */
export async function takeToken(pool: Connection, kind: TokenKind, token: string): Promise<Found | null> {
  const [found = null] = await run(pool, deleteToken, { hash: tokenHash(token), kind });
  return found;
}

/** Ends all tokens of a person. */
export const endTokens = async (pool: Connection, staffId: string): Promise<void> => {
  await run(pool, forgetTokens, { staffId });
};
