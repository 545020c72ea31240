import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { audit } from '../../ops/audit/audit.ts';
import { parseConfig } from '../../server/config.ts';
import { openDatabase, openPool } from '../../server/db/database.ts';
import { troublesOfLogin } from '../../server/db/login.ts';
import { migrate } from '../../server/db/migrate.ts';
import { entities } from '../../server/entities.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { realTime } from '../../server/kernel/time.ts';
import { FAST_SETTINGS, temporaryFolder } from '../embedded/support.ts';
import { goModule } from '../support/go.ts';

const FOLDER = resolve(import.meta.dirname, '../../deploy');
const read = (name: string): string => readFileSync(resolve(FOLDER, name), 'utf8');

interface Composed {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
}

const composed = (): Composed => parse(read('compose.yaml'), { merge: true });

const DOMAIN = 'cobranca.loja.example';

/** Makes the values that are asked for where nothing else is; `again`: once more there. */
function made({ again = false } = {}): Readonly<Record<string, string>> {
  const folder = temporaryFolder();
  const script = join(folder, 'make-env.sh');
  copyFileSync(resolve(FOLDER, 'compose/make-env.sh'), script);
  const make = () => execFileSync('sh', [script, DOMAIN], { stdio: 'pipe' });
  make();
  const file = join(folder, 'fatura.env');
  const text = readFileSync(file, 'utf8');
  if (again) expect(make).toThrow(/exist/);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([text, 0o600]);
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
}

const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)(?::[-?][^}]*)?\}/g, (_, name: string) => values[name] ?? '');

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

test('each process of it starts with settings that it knows, and with no password but that of its own login', () => {
  const { services } = composed();
  const values = made();
  const passwords = Object.entries(values).filter(([name]) => name.endsWith('_PASSWORD'));
  for (const name of ['migrate', 'api', 'worker', 'admin', 'audit']) {
    const login = name === 'migrate' ? 'migrator' : name;
    const environment = Object.entries(services[name]?.environment ?? {});
    const given = Object.fromEntries(environment.map(([key, value]) => [key, filledIn(value, values)]));
    const config = parseConfig(given);
    const own = values[`${login.toUpperCase()}_PASSWORD`];
    expect(config.databaseUrl?.reveal()).toBe(`postgres://${login}:${own}@postgres/fatura`);
    expect(config.publicUrl).toBe(`https://${DOMAIN}`);
    const all = Object.values(given).join('\n');
    expect(passwords.filter(([, password]) => all.includes(password)).map(([, password]) => password)).toEqual([own]);
  }
  expect(filledIn(services.temporal?.environment?.POSTGRES_PWD ?? '', values)).toBe(values.TEMPORAL_PASSWORD);
});

test('every value that is asked for is made once, each password another one', () => {
  const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const withDefaults = ['FATURA_IMAGE', 'TEMPORAL_VERSION', 'TEMPORAL_UI_VERSION'];
  const values = made({ again: true });
  expect([...new Set(asked)].filter((name) => !withDefaults.includes(name)).sort()).toEqual(Object.keys(values).sort());
  expect(new Set(Object.values(values)).size).toBe(Object.keys(values).length);
});

/** What the script has psql say, with the passwords of an environment in it. */
function loginStatements(values: Readonly<Record<string, string>>): string[] {
  const script = read('compose/logins.sh');
  const [, sql = ''] = /<<'SQL'\n([\s\S]+)\nSQL\n/.exec(script) ?? [];
  const given = [...script.matchAll(/--set (\w+)="\$(\w+)"/g)];
  const filled = given.reduce((text, [, name, of = '']) => text.replaceAll(`:'${name}'`, `'${values[of]}'`), sql);
  return filled.split(/;\s*/).filter((statement) => statement !== '');
}

test('its logins can do what each process does, and none more than it may', async () => {
  const server = await startPostgres({ dir: temporaryFolder(), settings: FAST_SETTINGS });
  onTestFinished(() => server.stop());
  const values = made();
  const client = new pg.Client({ connectionString: new URL('postgres', server.url).href });
  await client.connect();
  await client.query('DROP DATABASE IF EXISTS fatura WITH (FORCE)');
  const roles = await client.query<{ name: string }>(
    `SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_|^postgres$|^fatura$'`,
  );
  for (const { name } of roles.rows) await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(name)}`);
  for (const statement of loginStatements(values)) await client.query(statement);
  await client.end();
  const urlOf = (login: string): string => {
    const url = new URL(server.url);
    const password = values[`${login.toUpperCase()}_PASSWORD`];
    Object.assign(url, { username: login, password, pathname: '/fatura' });
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
  const auditor = openPool(urlOf('audit'), { size: 1, reachesEverybody: true, isReadOnly: true });
  expect(await audit(auditor, { now: realTime(), inFlightSeconds: 0 })).toEqual([]);
  await auditor.end();
});
