import { execFile } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Child } from '../../dev/embedded/child.ts';
import { findPostgresPrograms } from '../../dev/embedded/postgres-programs.ts';
import { startServer } from '../../dev/embedded/server.ts';

const run = promisify(execFile);

/** The replica's own folder beside that of its primary. */
interface Copied {
  /** The superuser's, of the primary. */
  readonly url: string;
  /** The folder that the primary was started in, and an empty one for the replica. */
  readonly from: string;
  readonly to: string;
}

/**
 * A streaming replica: a copy of the primary's files, taken while it runs as a backup is, that follows the primary by its log.
 * No program beside `postgres` is needed.
 */
export async function startReplica({ url, from, to }: Copied): Promise<Child & { readonly port: number }> {
  const programs = await findPostgresPrograms(to);
  const path = join(to, 'postgres');
  await copyWhileItRuns(url, { from: join(from, 'postgres'), to: path });
  writeFileSync(join(path, 'standby.signal'), '');
  if (programs.owner) await run('chown', ['-R', `${programs.owner.uid}:${programs.owner.gid}`, path]);
  const { hostname, port: primaryPort, username, password } = new URL(url);
  const primary = `host=${hostname} port=${primaryPort} user=${username} password=${password}`;
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', primary_conninfo: primary };
  return startServer({
    name: 'the replica',
    port: undefined,
    preferredPort: 5_533,
    onPort: (port) => ({
      command: [
        ...programs.prefix,
        programs.postgres,
        ...['-D', path, '-p', String(port)],
        ...Object.entries({ ...settings, max_connections: '200', fsync: 'off', timezone: 'UTC' }).map(
          ([name, value]) => `--${name}=${value}`,
        ),
      ],
      env: {},
      logFile: join(to, 'postgres.log'),
      user: programs.user,
      stopSignal: 'SIGINT',
      orphanSignal: 'SIGQUIT',
      graceMs: 60_000,
    }),
    isReady: /ready to accept read-only connections/,
    isPassing: /could not bind/,
    limitMs: 60_000,
  });
}

async function copyWhileItRuns(url: string, { from, to }: { from: string; to: string }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('replica', true)`);
    cpSync(from, to, { recursive: true, filter: (file) => !file.endsWith('postmaster.pid') });
    rmSync(join(to, 'postmaster.opts'), { force: true });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}
