import type pg from 'pg';

/** Begins to advance an account's test clock, as the API does; a worker does the rest. */
export async function beginAdvance(pool: pg.Pool, accountId: string, to: number): Promise<void> {
  await pool.query(
    `UPDATE account SET clock_held_at = extract(epoch FROM now())::bigint + sandbox_offset_seconds, clock_target = $2, clock_moved_at = now()
     WHERE id = $1`,
    [accountId, to],
  );
  await pool.query(`INSERT INTO outbox (kind, key, account_id) VALUES ('test-clock', $1, $1)`, [accountId]);
  await pool.query('NOTIFY fatura_outbox');
}

/** Whether an account's clock ticks with real time. */
export async function hasArrived(pool: pg.Pool, accountId: string): Promise<boolean> {
  const { rows } = await pool.query('SELECT clock_target FROM account WHERE id = $1', [accountId]);
  return rows[0].clock_target === null;
}
