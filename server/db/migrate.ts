import type { Database } from './database.ts';
import { ensurePartitions } from './partitions.ts';
import { fillStandings } from './standings.ts';

/** Any number that every process of this service agrees on. */
const MIGRATION_LOCK = 7_106_518;

/** Brings the schema up to date; two processes at once wait for each other. */
export async function migrate(database: Database): Promise<void> {
  const lock = await database.pool.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await database.orm.migrator.up();
    await ensurePartitions(database.pool);
    await fillStandings(database.pool);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    lock.release();
  }
}
