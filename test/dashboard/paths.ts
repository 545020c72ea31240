import { globSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** Screens of nobody who is signed in. */
const ENTRANCE = ['/sign-in', '/setup'];

/** Where the id of an address is found. */
const TABLES: Readonly<Record<string, string>> = {
  '/customers/$id': 'customer',
  '/invoices/$id': 'invoice',
  '/payments/$id': 'payment_intent',
  '/subscriptions/$id': 'subscription',
  '/disputes/$id': 'dispute',
  '/products/$id': 'product',
  '/coupons/$id': 'coupon',
  '/links/$id': 'payment_link',
  '/developer/webhooks/$id': 'webhook_endpoint',
  '/developer/events/$id': 'event',
};

const PATH = /\bpath: '([^']+)'/g;

/** Every screen of the dashboard, as its routes name it. */
export const screenPaths: readonly string[] = globSync('dashboard/screens/*/routes.ts')
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(PATH)].map(([, path = '']) => path))
  .filter((path) => !ENTRANCE.includes(path))
  .toSorted();

/** The address of a screen, with the id of an object of the account's sandbox; null where it has none. */
export async function addressOf(
  { pool, accountId }: { readonly pool: pg.Pool; readonly accountId: string },
  path: string,
): Promise<string | null> {
  if (!path.includes('$')) return path;
  const table = TABLES[path];
  if (table === undefined) throw new Error(`TABLES does not say where the id of ${path} is found`);
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE account_id = $1 AND NOT live_mode ORDER BY id DESC LIMIT 1`,
    [accountId],
  );
  return rows[0] === undefined ? null : path.replace('$id', rows[0].id);
}
