import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type LoginUrls, loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { TEMPLATE } from './global-setup.ts';

export interface TestDatabase {
  readonly url: string;
  readonly urls: LoginUrls;
  readonly drop: () => Promise<void>;
}

/** A database of its own for a test file, dropped with `drop()`: its URL is the superuser's, `urls` are those of the programs. */
export const createDatabase = (): Promise<TestDatabase> => createFrom(TEMPLATE);

/** One without a table. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template0');

async function createFrom(template: string): Promise<TestDatabase> {
  const maintenanceUrl = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onMaintenance(maintenanceUrl, `CREATE DATABASE ${name} TEMPLATE ${template} OWNER migrator`);
  await onMaintenance(maintenanceUrl, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  const urls = throughPooler(loginUrls(url.href));
  return { url: url.href, urls, drop: () => onMaintenance(maintenanceUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Whoever is not the API listens, or says once a connection whose rows it reaches: directly. */
function throughPooler(urls: LoginUrls): LoginUrls {
  const port = inject('poolerPort');
  return port === null ? urls : { ...urls, api: Object.assign(new URL(urls.api), { port: String(port) }).href };
}

const TRIES_MAX = 20;
const OBJECT_IN_USE = '55006';

async function onMaintenance(url: string, sql: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(sql);
      return;
    } catch (error) {
      // Another file copies the template at this moment.
      const isBusy = error instanceof Error && 'code' in error && error.code === OBJECT_IN_USE;
      if (!isBusy || tries >= TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end();
    }
  }
}
