import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';

/** Where a profiled run leaves what it saw. */
export interface Profile {
  readonly folder: string;
}

const SAMPLE_EVERY_MS = 20;
const STATEMENTS_SHOWN = 25;

export function openProfile(folder: string): Profile {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  return { folder: path };
}

export const profileSettings = (profile: Profile | null): Record<string, string> =>
  profile === null
    ? {}
    : {
        shared_preload_libraries: 'pg_stat_statements',
        'pg_stat_statements.track_planning': 'on',
        track_io_timing: 'on',
        track_wal_io_timing: 'on',
      };

const WAITS = `
  SELECT coalesce(wait_event_type || '/' || wait_event, 'on CPU') AS waits_for, datname AS database, count(*)::int AS backends
  FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle' GROUP BY 1, 2`;

const STATEMENTS = `
  SELECT calls, round(total_exec_time)::bigint AS total_ms, round(mean_exec_time::numeric, 3) AS mean_ms,
    round(total_plan_time)::bigint AS plan_ms, plans, rows, wal_bytes, left(query, 110) AS query
  FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT ${STATEMENTS_SHOWN}`;

const WAL = 'SELECT wal_records, wal_fpi, wal_bytes FROM pg_stat_wal';
const WAL_IO = `SELECT backend_type, writes, round(write_time) AS write_ms, fsyncs, round(fsync_time) AS fsync_ms
  FROM pg_stat_io WHERE object = 'wal' AND (writes > 0 OR fsyncs > 0)`;

/** Counts what the server's busy backends wait for; at the end the counts and the dearest statements are written down. */
export async function watchPostgres(profile: Profile, pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const seen = new Map<string, number>();
  let samples = 0;
  let sampling: Promise<void> = Promise.resolve();
  const sample = async (): Promise<void> => {
    const { rows } = await pool.query<{ waits_for: string; database: string; backends: number }>(WAITS);
    samples += 1;
    for (const row of rows) {
      const key = `${row.database}\t${row.waits_for}`;
      seen.set(key, (seen.get(key) ?? 0) + row.backends);
    }
  };
  const timer = setInterval(() => {
    sampling = sampling.then(sample).catch(() => {});
  }, SAMPLE_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await sampling;
    const waits = [...seen]
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, count]) => `${(count / samples).toFixed(2)}\t${key}`);
    const reports = await Promise.all([STATEMENTS, WAL, WAL_IO].map((query) => pool.query(query)));
    const tables = reports.map(({ rows }) => rows.map((row: object) => Object.values(row).join('\t')).join('\n'));
    const text = [`busy backends, mean of ${samples} samples: database, waits for`, ...waits, '', ...tables].join('\n');
    writeFileSync(join(profile.folder, 'postgres.txt'), `${text}\n`);
  };
}
