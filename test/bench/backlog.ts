import type pg from 'pg';
import { factWrites, freeze, type ResourceView } from '../../server/db/facts.ts';
import { FACTS_CHANNEL } from '../../server/db/notifications.ts';
import { run } from '../../server/db/statement.ts';
import { REAL_CLOCK } from '../../server/kernel/time.ts';

const FACTS_A_STATEMENT = 500;

/** Records facts of a product as the service would, with their deliveries, all visible to the worker once `onCommit` was called. */
export async function commitBacklog(
  pool: pg.Pool,
  backlog: { accountId: string; product: ResourceView; facts: number; onCommit: () => void },
): Promise<void> {
  const scope = { accountId: backlog.accountId, liveMode: false, clock: REAL_CLOCK };
  const created = Math.floor(Date.now() / 1_000);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (let made = 0; made < backlog.facts; made += FACTS_A_STATEMENT) {
      const count = Math.min(FACTS_A_STATEMENT, backlog.facts - made);
      const facts = Array.from({ length: count }, () =>
        freeze('product.updated', backlog.product, { created, liveMode: false }),
      );
      for (const { statement, values } of factWrites(scope, created, facts)) await run(client, statement, values);
    }
    await client.query(`NOTIFY ${FACTS_CHANNEL}`);
    backlog.onCommit();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
