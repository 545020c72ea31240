import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { parseConfig } from '../../server/config.ts';
import { openDatabase } from '../../server/db/database.ts';
import { troublesOfLogin } from '../../server/db/login.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { FAST_SETTINGS, temporaryFolder } from '../embedded/support.ts';
import { goModule } from '../support/go.ts';

const FOLDER = resolve(import.meta.dirname, '../../deploy');
const read = (name: string): string => readFileSync(resolve(FOLDER, name), 'utf8');

interface Composed {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
}

const composed = (): Composed => parse(read('compose.yaml'), { merge: true });

/** What the example asks for, filled in. */
const FILLED: Readonly<Record<string, string>> = {
  FATURA_DOMAIN: 'cobranca.loja.example',
  POSTGRES_PASSWORD: 'a1b2c3',
  ENCRYPTION_KEYS: Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7)).toString('base64'),
};

const filled = (text: string): string =>
  text.replace(/\$\{(\w+)(?::[-?][^}]*)?\}/g, (_, name: string) => FILLED[name] ?? '');

test('compose.yaml is what the specification of Compose allows', () => {
  const folder = goModule('github.com/compose-spec/compose-go/v2', 'v2.16.2');
  const schema = JSON.parse(readFileSync(join(folder, 'schema/compose-spec.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const isValid = ajv.compile(schema);
  isValid(composed());
  expect(isValid.errors).toBeNull();
  expect(isValid({ ...composed(), service: {} })).toBe(false);
});

test('each process of it starts with settings that it knows', () => {
  const { services } = composed();
  for (const name of ['migrate', 'api', 'worker', 'admin']) {
    const environment = Object.entries(services[name]?.environment ?? {});
    const config = parseConfig(Object.fromEntries(environment.map(([key, value]) => [key, filled(value)])));
    expect(config.databaseUrl?.reveal()).toMatch(/^postgres:\/\/\w+:a1b2c3@postgres\/fatura$/);
    expect(config.publicUrl).toBe('https://cobranca.loja.example');
  }
});

test('the example names every value that is asked for', () => {
  const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const named = [...read('compose/fatura.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  const withDefaults = ['FATURA_IMAGE', 'TEMPORAL_VERSION', 'TEMPORAL_UI_VERSION'];
  expect([...new Set(asked)].filter((name) => !withDefaults.includes(name)).sort()).toEqual(named.toSorted());
});

test('its logins can do what each process does, and none more than it may', async () => {
  const server = await startPostgres({ dir: temporaryFolder(), settings: FAST_SETTINGS });
  onTestFinished(() => server.stop());
  const [, sql = ''] = /<<'SQL'\n([\s\S]+)\nSQL\n/.exec(read('compose/logins.sh')) ?? [];
  const client = new pg.Client({ connectionString: new URL('postgres', server.url).href });
  await client.connect();
  await client.query('DROP DATABASE IF EXISTS fatura WITH (FORCE)');
  const roles = await client.query<{ name: string }>(
    `SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_|^postgres$|^fatura$'`,
  );
  for (const { name } of roles.rows) await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(name)}`);
  for (const statement of sql.replaceAll(":'password'", "'a1b2c3'").split(/;\s*/))
    if (statement !== '') await client.query(statement);
  await client.end();
  const urlOf = (login: string): string => {
    const url = new URL(server.url);
    Object.assign(url, { username: login, password: 'a1b2c3', pathname: '/fatura' });
    return url.href;
  };
  const migrator = await openDatabase(urlOf('migrator'), { entities, size: 2 });
  await migrate(migrator);
  await migrator.close();
  for (const process of ['api', 'worker'] as const) {
    const database = await openDatabase(urlOf(process), { entities, size: 1 });
    expect(await troublesOfLogin(database.pool, { process, modes: MODES })).toEqual([]);
    await database.close();
  }
});
