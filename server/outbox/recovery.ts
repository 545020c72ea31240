import type pg from 'pg';
import { run } from '../db/database.ts';
import type { OutboxKind } from '../db/facts.ts';
import { type Statement, statement } from '../db/statement.ts';

/** A case that is late by less may simply be at work. */
const LATE_SECONDS = 180;
/** Asked for in one run; what is left is asked for in the next. */
const ROWS_MAX = 5_000;

/** What is under way by the database has a case; one that Temporal lost is asked for again. Harmless where it exists. */
const recoveries = {
  'webhook-delivery': statement(
    'recover_ladders',
    `INSERT INTO outbox (kind, key, account_id)
     SELECT 'webhook-delivery', d.event_id || '/' || d.endpoint_id || '/' || d.ladder, d.account_id FROM delivery d
     WHERE d.stage = 'ladder' AND d.claimable_at < now() - interval '${LATE_SECONDS} seconds' ORDER BY d.claimable_at LIMIT ${ROWS_MAX}
     ON CONFLICT (kind, key) DO NOTHING RETURNING 1`,
  ),
  'refund-settlement': statement(
    'recover_refunds',
    `INSERT INTO outbox (kind, key, account_id)
     SELECT DISTINCT ON (p.intent_id) 'refund-settlement', p.intent_id, p.account_id FROM refund_part p
     JOIN account a ON a.id = p.account_id
     WHERE p.status = 'refunding' AND coalesce(p.retry_at, p.created) + ${LATE_SECONDS}
       < extract(epoch FROM now()) + CASE WHEN p.live_mode THEN 0 ELSE a.sandbox_offset_seconds END
     LIMIT ${ROWS_MAX}
     ON CONFLICT (kind, key) DO NOTHING RETURNING 1`,
  ),
  'pix-settlement': statement(
    'recover_settlements',
    `INSERT INTO outbox (kind, key, account_id)
     SELECT 'pix-settlement', c.id, c.account_id FROM pix_charge c JOIN account a ON a.id = c.account_id
     WHERE c.confirmed_at IS NOT NULL AND c.confirmed_at + ${LATE_SECONDS}
       < extract(epoch FROM now()) + CASE WHEN c.live_mode THEN 0 ELSE a.sandbox_offset_seconds END
     UNION SELECT 'pix-settlement', r.txid, r.account_id FROM pix_receipt r WHERE r.intent_id IS NULL
     LIMIT ${ROWS_MAX}
     ON CONFLICT (kind, key) DO NOTHING RETURNING 1`,
  ),
  'pix-expiry': statement(
    'recover_expiries',
    `INSERT INTO outbox (kind, key, account_id)
     SELECT 'pix-expiry', c.id, c.account_id FROM pix_charge c WHERE c.state = 'retiring' LIMIT ${ROWS_MAX}
     ON CONFLICT (kind, key) DO NOTHING RETURNING 1`,
  ),
} as const satisfies Record<OutboxKind, Statement>;

/** Asks anew for every case that should be at work and is late; answers how many of each kind. */
export async function recoverCases(pool: pg.Pool): Promise<Record<OutboxKind, number>> {
  const counted = { 'webhook-delivery': 0, 'refund-settlement': 0, 'pix-settlement': 0, 'pix-expiry': 0 };
  // The keys of a literal are those of its type.
  for (const kind of Object.keys(recoveries) as OutboxKind[]) {
    counted[kind] = (await run(pool, recoveries[kind], [])).length;
  }
  return counted;
}
