// A store of the event inbox in your PostgreSQL, for `new EventInbox({ store: postgresInbox(pool), onEvent })`.
import type { InboxClaim, InboxStore, InboxVerdict } from '@fatura/sdk/inbox';
import type { Pool } from 'pg';

/** Run it once, with your migrations. */
export const INBOX_TABLE = `
  CREATE TABLE fatura_inbox (
    event text PRIMARY KEY,
    object text NOT NULL,
    position text COLLATE "C" NOT NULL,
    token text NOT NULL,
    claimed_until timestamptz NOT NULL,
    handled_at timestamptz
  );
  CREATE INDEX fatura_inbox_object ON fatura_inbox (object)`;

/** Run it now and then: nothing that old is sent again. */
export const INBOX_CLEANING = `DELETE FROM fatura_inbox WHERE claimed_until < now() - interval '40 days'`;

const JUDGE = `
  SELECT CASE
    WHEN bool_or(event = $1 AND handled_at IS NOT NULL) THEN 'duplicate'
    WHEN bool_or(handled_at IS NOT NULL AND position > $3) AND $4 THEN 'stale'
    WHEN bool_or(handled_at IS NULL AND claimed_until > clock_timestamp()) THEN 'busy'
    ELSE 'claimed' END AS verdict
  FROM fatura_inbox WHERE object = $2`;

const CLAIM = `
  INSERT INTO fatura_inbox (event, object, position, token, claimed_until)
  VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))
  ON CONFLICT (event) DO UPDATE SET token = excluded.token, claimed_until = excluded.claimed_until`;

async function claim(pool: Pool, claim: InboxClaim): Promise<InboxVerdict> {
  const { event, object, position, token, leaseSeconds, dropsStale } = claim;
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    // Until COMMIT nobody else judges an event of this object.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [object]);
    const { rows } = await client.query<{ verdict: InboxVerdict }>(JUDGE, [event, object, position, dropsStale]);
    const verdict = rows[0]?.verdict ?? 'busy';
    if (verdict === 'claimed') await client.query(CLAIM, [event, object, position, token, leaseSeconds]);
    await client.query('COMMIT');
    client.release();
    return verdict;
  } catch (error) {
    client.release(true); // its transaction ends with the connection
    throw error;
  }
}

export const postgresInbox = (pool: Pool): InboxStore => ({
  claim: (wanted) => claim(pool, wanted),
  async done({ event }) {
    await pool.query('UPDATE fatura_inbox SET handled_at = now() WHERE event = $1', [event]);
  },
  async release({ event, token }) {
    await pool.query('DELETE FROM fatura_inbox WHERE event = $1 AND token = $2 AND handled_at IS NULL', [event, token]);
  },
});
