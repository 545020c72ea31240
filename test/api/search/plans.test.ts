import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../../server/accounts/service.ts';
import { type Composition, compose } from '../../../server/compose.ts';
import { listCustomers } from '../../../server/customers/customers.ts';
import { openDatabase } from '../../../server/db/database.ts';
import { ORDERED } from '../../../server/db/plan-hints.ts';
import { beginIn, reachOf } from '../../../server/db/reach.ts';
import { entities } from '../../../server/entities.ts';
import { createKeyRing } from '../../../server/kernel/key-ring.ts';
import { REAL_CLOCK } from '../../../server/kernel/time.ts';
import { createLogger } from '../../../server/logging.ts';
import { searchAccount } from '../../../server/search/search.ts';
import type { Scope } from '../../../server/unit-of-work/tx.ts';
import { buyer, fillSales } from '../../bench/search-fill.ts';
import { createDatabase } from '../../support/database.ts';

const CUSTOMERS = 10_000;
const INVOICES = 40_000;
const FILL_MS = 120_000;
/** Rows that the statements of one look may read, those that they drop among them: few of the half a million that there are. */
const ROWS_MAX = 2_500;

let composition: Composition;
let explainer: pg.Client;
let scope: Scope;
let drop: () => Promise<void>;

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}
let sent: Sent[] = [];

/** Keeps what a connection is asked. */
function watch(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const [config] = args;
      // As the driver's queries are.
      if (typeof config === 'object' && config !== null) sent.push(config as Sent);
      return query(...args);
    },
  });
}

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  const operator = await openDatabase(database.urls.admin, { entities, size: 1 });
  const { id: accountId } = await createAccount(operator, { name: 'Loja', email: 'dono@loja.test' });
  await operator.close();
  composition = await compose({
    databaseUrl: database.urls.api,
    keyRing: createKeyRing([randomBytes(32)]),
    publicUrl: 'http://127.0.0.1:3000',
    trustProxy: 0,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    webhookAllowedNetworks: [],
    logger: createLogger({ level: 'silent', process: 'api' }),
  });
  const { pool, secretBox: box } = composition.deps;
  pool.on('connect', watch);
  (await pool.connect()).release(true);
  // What these reads ask of a scope.
  scope = { accountId, liveMode: false, clock: REAL_CLOCK } as Scope;
  const superuser = new pg.Client({ connectionString: database.url });
  await superuser.connect();
  await fillSales(superuser, { accountId, box, customers: CUSTOMERS, invoices: INVOICES });
  await superuser.end();
  explainer = new pg.Client({ connectionString: database.urls.api });
  await explainer.connect();
}, FILL_MS);

afterAll(async () => {
  await explainer?.end();
  await composition?.close();
  await drop?.();
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const literalOf = (value: unknown): string =>
  Buffer.isBuffer(value)
    ? `\\x${value.toString('hex')}`
    : Array.isArray(value)
      ? `{${value.join(',')}}`
      : String(value);

/** What a statement reads, by a plan for these values or for any. */
async function nodesRead({ text, values }: Sent, mode: 'custom' | 'generic'): Promise<Node[]> {
  await explainer.query(beginIn(explainer, reachOf(scope)));
  // As the search is read, and by what its values bring.
  if (mode === 'generic') for (const hint of ORDERED) await explainer.query(`SET LOCAL ${hint}`);
  else await explainer.query('SET LOCAL plan_cache_mode = force_custom_plan');
  try {
    await explainer.query(`PREPARE looked AS ${text}`);
    const given = values.map((value) => (value === null ? 'NULL' : explainer.escapeLiteral(literalOf(value))));
    const execute = given.length === 0 ? 'looked' : `looked(${given.join(', ')})`;
    const { rows } = await explainer.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${execute}`);
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Actual Loops'] > 0);
  } finally {
    await explainer.query('ROLLBACK; DEALLOCATE ALL');
  }
}

/** What the process asks for itself meanwhile: whether its keys and its database are still the ones that it knows. */
const OF_PROCESS = ['encryption_ring', 'encryption_key', 'write_proof'];
/** What is known of connections is asked as they begin. */
const isOfTable = ({ 'Relation Name': name = 'pg_' }: Node): boolean =>
  !name.startsWith('pg_') && !OF_PROCESS.includes(name);
const rowsOf = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

/** How many rows a look read, and the tables that it read from end to end. */
async function readBy(look: () => Promise<unknown>, mode: 'custom' | 'generic' = 'custom') {
  sent = [];
  await look();
  const asked = sent.filter(({ text }) => /^(?:select|with)\b/i.test(text));
  const nodes: Node[] = [];
  for (const one of asked) nodes.push(...(await nodesRead(one, mode)).filter(isOfTable));
  const scanned = nodes
    .filter((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) > 0)
    .map((node) => node['Relation Name']);
  return { statements: asked.length, scanned, rows: nodes.reduce((total, node) => total + rowsOf(node), 0) };
}

const somebody = buyer(3_141);
const QUERIES: [what: string, query: string][] = [
  ['a frequent name', 'maria'],
  ['the beginning of one', 'mar'],
  ['what every e-mail has', 'com'],
  ['two frequent words', 'maria silva'],
  ['a frequent word and a rare one', `maria ${somebody.email.split('@')[0]?.split('.')[1]}`],
  ['a whole name', somebody.name],
  ['an e-mail address', somebody.email],
  ['the beginning of a CPF', somebody.identifier.slice(0, 6)],
  ['a CPF', somebody.identifier],
  ['a phone number', somebody.phone],
  ['words that nobody has', 'zuleica xavier'],
  ['words that never stand together', 'maria joao jose'],
  ['the amount of a plan', '49,90'],
  ['the amount of one sale', 'R$ 1.000,04'],
  ['an amount that nothing has', '0,01'],
  ['the card that everybody tests with', '4242'],
  ['a card', '•0003'],
  ['a code', 'order-10000'],
  ['an id', 'in_00000000000000000000012345'],
  ['a customer', 'cus_00000000000000000000003141'],
  ['a txid', '00000000000000000000012346'],
  ['nothing', '•••'],
];

describe('a look among 10,000 customers and 40,000 invoices reads few rows, and no table from end to end,', () => {
  test.each(QUERIES)('for %s: %s', async (_, query) => {
    for (const mode of ['custom', 'generic'] as const) {
      const { scanned, rows } = await readBy(() => searchAccount(composition.deps, scope, { query, limit: 10 }), mode);
      expect(scanned, mode).toEqual([]);
      expect(rows, mode).toBeLessThan(ROWS_MAX);
    }
  });

  test.each(QUERIES.slice(0, 12))('and so does a page of customers, for %s: %s', async (_, query) => {
    const { statements, scanned, rows } = await readBy(() => listCustomers(composition.deps, scope, { query }));
    expect(statements).toBeGreaterThan(0);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(ROWS_MAX);
  });
});

test('what is not by an index is found', async () => {
  const { pool } = composition.deps;
  const { scanned, rows } = await readBy(() =>
    pool.query({ text: `SELECT id FROM invoice WHERE customer_name = $1`, values: ['Ana'] }),
  );
  // Where ids are numbers.
  expect(scanned).toEqual(['invoice_past']);
  expect(rows).toBeGreaterThanOrEqual(INVOICES);
});
