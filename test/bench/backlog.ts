import type pg from 'pg';
import { combine, run } from '../../server/db/statement.ts';
import { channelOf } from '../../server/jobs/notifications.ts';
import { REAL_CLOCK } from '../../server/kernel/time.ts';
import { factWrites, freeze, type ResourceView } from '../../server/unit-of-work/facts.ts';

const FACTS_A_STATEMENT = 500;

/** An account, and what is told of it. */
export interface Shop {
  readonly accountId: string;
  readonly product: ResourceView;
}

/** Facts of a product as the service records them, with their deliveries; answers their ids. */
async function recordFacts(client: pg.ClientBase, { accountId, product }: Shop, count: number): Promise<string[]> {
  const scope = { accountId, liveMode: false, clock: REAL_CLOCK };
  const created = Math.floor(Date.now() / 1_000);
  const facts = Array.from({ length: count }, () => freeze('product.updated', product, { created, liveMode: false }));
  const { statement, values } = combine(factWrites(scope, facts, { created }));
  await run(client, statement, values);
  return facts.map(({ id }) => id);
}

async function inTransaction<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const done = await work(client);
    await client.query('COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** As many facts of each shop, all visible to the worker once `onCommit` was called. */
export const commitBacklog = (
  pool: pg.Pool,
  { shops, facts, onCommit }: { shops: readonly Shop[]; facts: number; onCommit: () => void },
): Promise<void> =>
  inTransaction(pool, async (client) => {
    for (const shop of shops)
      for (let made = 0; made < facts; made += FACTS_A_STATEMENT)
        await recordFacts(client, shop, Math.min(FACTS_A_STATEMENT, facts - made));
    await client.query(`NOTIFY ${channelOf('facts', 'sandbox')}`);
    onCommit();
  });

/** Some facts of one shop in a transaction of their own, as a sale records them; answers their ids. */
export async function commitFacts(pool: pg.Pool, shop: Shop, facts: number): Promise<string[]> {
  const ids = await inTransaction(pool, (client) => recordFacts(client, shop, facts));
  await pool.query(`NOTIFY ${channelOf('facts', 'sandbox')}`);
  return ids;
}
