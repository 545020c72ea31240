import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { makeGroups } from '../../server/db/roles.ts';
import { createDatabase, createEmptyDatabase } from '../support/database.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const ENCRYPTION_KEY = randomBytes(32).toString('base64');

async function run(program: string, env: Record<string, string>): Promise<{ code: number; err: string }> {
  const child = spawn(process.execPath, [program], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, err };
}

test('regression-45-a migration without its setting ends with one sentence', async () => {
  expect(await run('server/migrate.ts', {})).toEqual({
    code: 1,
    err: 'Set DATABASE_URL to the database to migrate; `npm start` migrates its own.\n',
  });
});

test.each(['server/migrate.ts', 'ops/audit/main.ts'])(
  'regression-45-%s ends with one sentence where a setting is wrong or the database does not answer',
  async (program) => {
    const args = { DATABASE_URL: `postgres://app:secret@127.0.0.1:${await freePort()}/fatura`, ENCRYPTION_KEY };
    const dead = await run(program, args);
    expect(dead.code).toBe(1);
    const wrong = await run(program, { ...args, LOG_LEVEL: 'loud' });
    expect(wrong.code).toBe(1);
    expect(dead.err).toMatch(/^The database .*does not answer: connect ECONNREFUSED \S+\n$/);
    expect(wrong.err).toMatch(/^1 setting is wrong:\n {2}- LOG_LEVEL must be .*\n$/);
  },
);

/** An answer of PostgreSQL to whoever comes while it recovers. */
function notYet(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', ''].join('\0');
  const body = Buffer.from(`${fields}\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A way to a database that recovers for some connections. */
async function recovering(url: string, refusals: number): Promise<string> {
  const { hostname, port } = new URL(url);
  let left = refusals;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (left > 0) {
      left -= 1;
      socket.once('data', () => socket.end(notYet()));
      return;
    }
    const behind = connect(Number(port), hostname).on('error', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const here = server.address() as AddressInfo; // it listens on a port and not on a path
  return Object.assign(new URL(url), { host: `127.0.0.1:${here.port}` }).href;
}

test('a migration waits for a database that recovers, and says so once', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  expect(
    await run('server/migrate.ts', { DATABASE_URL: await recovering(database.urls.migrator, 3), ENCRYPTION_KEY }),
  ).toEqual({
    code: 0,
    err: 'PostgreSQL is not ready yet (the database system is starting up); waiting for it, ten minutes at most.\n',
  });
});

/** Who may do what, of everything that grants can be given on. */
const PRIVILEGES = `SELECT 'database' AS kind, '' AS name, coalesce(datacl, acldefault('d', datdba))::text AS acl FROM pg_database WHERE datname = current_database()
  UNION ALL SELECT 'schema', nspname, nspacl::text FROM pg_namespace WHERE nspname IN ('public', 'sandbox_bank')
  UNION ALL SELECT 'table', c.oid::regclass::text, c.relacl::text || c.relrowsecurity || pg_get_userbyid(c.relowner) FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname IN ('public', 'sandbox_bank') AND relkind IN ('r', 'p', 'v')
  UNION ALL SELECT 'column', a.attrelid::regclass || '.' || a.attname, a.attacl::text FROM pg_attribute a WHERE a.attacl IS NOT NULL
  UNION ALL SELECT 'function', p.oid::regprocedure::text, coalesce(p.proacl::text, '') || pg_get_userbyid(p.proowner) FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'public'
  UNION ALL SELECT 'policy', polrelid::regclass || '.' || polname, pg_get_expr(polqual, polrelid) FROM pg_policy ORDER BY 1, 2`;

/** Several programs, one behind the other. */
const PROGRAMS_MS = 120_000;

test('a database whose own privileges were lost, as a dump loses them, has all of them after a migrate', {
  timeout: PROGRAMS_MS,
}, async () => {
  const [migrated, restored] = [await createEmptyDatabase(), await createDatabase()];
  onTestFinished(async () => {
    await migrated.drop();
    await restored.drop();
  });
  await onDatabase(restored.url, `GRANT TEMPORARY ON DATABASE ${new URL(restored.url).pathname.slice(1)} TO PUBLIC`);
  await onDatabase(restored.url, 'GRANT CREATE ON SCHEMA public TO PUBLIC');
  const lost = await onDatabase(restored.url, PRIVILEGES);
  for (const { urls } of [migrated, restored])
    expect(await run('server/migrate.ts', { DATABASE_URL: urls.migrator, ENCRYPTION_KEY })).toEqual({
      code: 0,
      err: '',
    });

  const privileges = await onDatabase(migrated.url, PRIVILEGES);
  expect(lost).not.toEqual(privileges);
  expect(await onDatabase(restored.url, PRIVILEGES)).toEqual(privileges);
  await expect(onDatabase(restored.urls.api, 'CREATE TEMPORARY TABLE made (id int)')).rejects.toThrow(
    'permission denied',
  );
});

/** What `makeGroups` says to a login with these attributes, by the roles of a server that has none of ours. */
async function groupsMadeBy(attributes: string): Promise<{ warnings: string[]; refusal: string | null }> {
  const database = await createDatabase();
  const [login, group] = [`login_${randomBytes(4).toString('hex')}`, `group_${randomBytes(4).toString('hex')}`];
  await onDatabase(database.url, `CREATE ROLE ${login} LOGIN PASSWORD 'x' ${attributes} IN ROLE pg_monitor`);
  const client = new pg.Client({
    connectionString: Object.assign(new URL(database.url), { username: login, password: 'x' }).href,
  });
  const warnings: string[] = [];
  client.on('notice', ({ message = '' }) => warnings.push(message.replaceAll(group, 'fatura_api')));
  await client.connect();
  const made = client.query(makeGroups([group], [group]));
  const refusal = await made.then(
    () => null,
    (error: Error) => error.message.replaceAll(group, 'fatura_api').replaceAll(login, 'login'),
  );
  await client.end();
  await onDatabase(database.url, `DROP ROLE IF EXISTS ${group}; DROP ROLE ${login}`);
  await database.drop();
  return { warnings, refusal };
}

test('a login that may make roles and not let them see the activity is told what is nice to have, and goes on', async () => {
  expect(await groupsMadeBy('CREATEROLE')).toEqual({
    warnings: [
      'lists that are read forward come late until an administrator of the server has run: GRANT pg_read_all_stats TO fatura_api; ',
    ],
    refusal: null,
  });
});

test('a login that may make no roles is told the one that is missing, and nothing else', async () => {
  expect(await groupsMadeBy('')).toEqual({
    warnings: [],
    refusal:
      'roles of the service are missing, and login may not make them. Have an administrator of the server run: CREATE ROLE fatura_api NOLOGIN; ',
  });
});

async function onDatabase(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
