import { globSync } from 'node:fs';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERYBODY } from '../../../server/db/reach.ts';
import { declaredStatements, type Statement, statement } from '../../../server/db/statement.ts';
import { createDatabase } from '../../support/database.ts';
import { loadStatements } from '../../support/statements.ts';
import { programLogins, undone } from './logins.ts';

const ROLES = ['api', 'worker', 'admin'] as const;
/** Of two accounts: so many that a page is little of what each has. */
const EVENTS = 40_000;

const { clientOf, superuser, ...logins } = programLogins();
let drop: () => Promise<void>;
let declared: readonly Statement<unknown>[];

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  await logins.open({ databaseUrl: database.url, urls: database.urls });
  await loadStatements(globSync('{server,workflows,ops}/**/*.ts').sort());
  declared = declaredStatements().filter(({ name }) => !name.endsWith('_of_test'));
});
afterAll(async () => {
  await logins.close();
  await drop();
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** What is read from end to end is so where nothing else is possible, in tables without rows too. */
const BY_INDEX = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`).join('; ');

/** A plan for any values; null: the role may not run it. */
async function planOf(client: pg.Client, text: string, settings = BY_INDEX): Promise<Node | null> {
  try {
    return await undone(client, EVERYBODY, async () => {
      await client.query(settings);
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
      return rows[0]['QUERY PLAN'][0].Plan as Node;
    });
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('permission denied')) return null;
    throw error;
  }
}

const FULL: readonly string[] = ['Seq Scan', 'Index Scan', 'Index Only Scan'];

/** The tables that a plan reads from end to end, in whatever order. */
const readInFull = (plan: Node): string[] =>
  nodesOf(plan)
    .filter((node) => FULL.includes(node['Node Type']) && node['Index Cond'] === undefined)
    .map((node) => node['Relation Name'] ?? '');

/** Tables that a role reads in full and the owner finds rows of by an index. */
async function lostIn(role: (typeof ROLES)[number], { text }: Statement<unknown>): Promise<string[]> {
  const plan = await planOf(clientOf(role), text);
  if (plan === null) return [];
  const own = await planOf(superuser(), text);
  const ofOwner = own === null ? [] : readInFull(own);
  return [...new Set(readInFull(plan).filter((table) => !ofOwner.includes(table)))];
}

async function lostBy(one: Statement<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (const role of ROLES) for (const table of await lostIn(role, one)) found.push(`${one.name} of ${role}: ${table}`);
  return found;
}

test('no statement loses the index that finds its rows to a policy', async () => {
  const found: string[] = [];
  for (const one of declared) found.push(...(await lostBy(one)));
  expect(found).toEqual([]);
}, 120_000);

test('one that does is found', async () => {
  const byArray = statement('by_array_of_test', `SELECT e.id FROM event e WHERE e.related @> ARRAY[:object::text]`);
  expect(await lostBy(byArray)).not.toEqual([]);
});

test('regression-161-a-page-of-events-ends-with-the-page', async () => {
  // Without what triggers keep of events.
  await superuser().query('SET session_replication_role = replica');
  await superuser().query(
    `INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
     SELECT '2026-01-01', 'evt_' || lpad(n::text, 26, '0'), 'acct_' || lpad((n % 2)::text, 26, '0'), true, 'invoice.paid', 1, 'in_1', '{}',
       '{}', md5('x')::uuid FROM generate_series(1, $1::int) n`,
    [EVENTS],
  );
  await superuser().query('ANALYZE event');
  for (const name of ['read_events_forward', 'look_for_events_waited_for']) {
    const { text = '' } = declared.find((one) => one.name === name) ?? {};
    const plan = await planOf(clientOf('api'), text, '');
    const types = plan === null ? [] : nodesOf(plan).map((node) => node['Node Type']);
    expect(types, name).toContain('Merge Append');
    expect(types, name).not.toContain('Sort');
  }
});
