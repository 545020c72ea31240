import type pg from 'pg';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';

/**
 * What a transaction wrote while the clock was held and committed after it was released has no instant in real time, and
 * nothing would ever wake it.
 */
const rewakes = {
  subscriptionsWoken: statement(
    'rewake_subscriptions',
    `UPDATE subscription s SET wake_at = s.due_at - a.sandbox_offset_seconds FROM account a
     WHERE s.due_at IS NOT NULL AND s.wake_at IS NULL AND NOT s.live_mode AND a.id = s.account_id AND a.clock_held_at IS NULL RETURNING 1`,
  ),
  invoicesWoken: statement(
    'rewake_invoices',
    `UPDATE invoice i SET wake_at = i.step_at - a.sandbox_offset_seconds FROM account a
     WHERE i.step_at IS NOT NULL AND i.wake_at IS NULL AND NOT i.live_mode AND a.id = i.account_id AND a.clock_held_at IS NULL RETURNING 1`,
  ),
  deliveriesWoken: statement(
    'rewake_deliveries',
    `UPDATE delivery d SET claimable_at = now() FROM account a
     WHERE d.stage = 'fresh' AND d.claimable_at = 'infinity' AND a.id = d.account_id AND a.clock_held_at IS NULL RETURNING 1`,
  ),
} as const;

export type RewakeCounts = Record<keyof typeof rewakes, number>;

/** Wakes what an advance that ended left asleep; answers how much. */
export async function rewake(pool: pg.Pool): Promise<RewakeCounts> {
  const counts: RewakeCounts = { subscriptionsWoken: 0, invoicesWoken: 0, deliveriesWoken: 0 };
  // The keys of a literal are those of its type.
  for (const name of Object.keys(rewakes) as (keyof typeof rewakes)[])
    counts[name] = (await run(pool, rewakes[name], [])).length;
  return counts;
}
