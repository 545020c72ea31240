import type pg from 'pg';
import { openPool } from '../../server/db/database.ts';
import { run, statement } from '../../server/db/statement.ts';
import { LAG_MAX } from '../../server/unit-of-work/late-reads.ts';

const readLag = statement<{ seconds: number | null }>(
  'audit_read_replica_lag',
  `SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
     ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp()) END::float8 AS seconds`,
);

/** The replica, where there is one that is near; else the primary: what it has yet to replay would show as undone. */
export async function openNear(primaryUrl: string, readUrl: string | null): Promise<pg.Pool> {
  const primary = () => openPool(primaryUrl, { size: 1, reachesEverybody: true });
  if (readUrl === null) return primary();
  const replica = openPool(readUrl, { size: 1, reachesEverybody: true, isReplica: true });
  const [lag] = await run(replica, readLag, {}).catch(() => []);
  if (lag !== undefined && lag.seconds !== null && lag.seconds <= LAG_MAX) return replica;
  console.error('The replica of DATABASE_READ_URL is away or too far behind: the primary is audited.');
  await replica.end();
  return primary();
}
