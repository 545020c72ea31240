import { globSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PARTITIONED_BY_MONTH } from '../../../server/db/months.ts';
import { PARTITIONED } from '../../../server/db/partitions.ts';
import { EVERYBODY } from '../../../server/db/reach.ts';
import { declaredStatements, type Statement, statement } from '../../../server/db/statement.ts';
import { DELIVERY_PLANS } from '../../../workflows/delivery-pool.ts';
import { createDatabase } from '../../support/database.ts';
import { loadStatements } from '../../support/statements.ts';
import { programLogins, undone } from './logins.ts';

const { superuser, ...logins } = programLogins();
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
  readonly 'Parent Relationship'?: string;
  readonly Operation?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Joins as they are of many rows by index: row by row, each into the partitions of its own. */
const ROW_BY_ROW = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material', 'memoize']
  .map((way) => `SET LOCAL enable_${way} = off`)
  .join('; ');

async function planOf(text: string, settings = ROW_BY_ROW): Promise<Node> {
  return await undone(superuser(), EVERYBODY, async () => {
    await superuser().query(settings);
    const { rows } = await superuser().query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    return rows[0]['QUERY PLAN'][0].Plan as Node;
  });
}

const looksAgain = ({ 'Node Type': type, Operation: operation }: Node): boolean =>
  type === 'LockRows' || (type === 'ModifyTable' && operation !== 'Insert');

/** What is planned anew for a row that somebody changed meanwhile: what it came from, and all that stands beside. */
const plannedAnew = (plan: Node): Node[] =>
  nodesOf(plan).flatMap((node) =>
    looksAgain(node)
      ? (node.Plans ?? [])
      : node['Parent Relationship'] === 'InitPlan' || node['Parent Relationship'] === 'SubPlan'
        ? [node]
        : [],
  );

const PARTITION = new RegExp(`^(?:${[...PARTITIONED, ...PARTITIONED_BY_MONTH].join('|')})_(?:\\d|default)`);
/** A comparison with what is known only as the statement runs; what it was called with is `$1`, and by a column of days or ids none is chosen. */
const AS_IT_RUNS = /\b(?:day|(?<![._\w])id) (?:=|<=|>=|<|>) (?!\(*(?:\$|')|ANY \((?!ARRAY))/;

function prunesAsItRuns(plan: Node): boolean {
  if (!nodesOf(plan).some(looksAgain)) return false;
  return plannedAnew(plan)
    .flatMap(nodesOf)
    .filter((node) => PARTITION.test(node['Relation Name'] ?? ''))
    .some((node) => AS_IT_RUNS.test(`${node['Index Cond'] ?? ''} ${node.Filter ?? ''}`));
}

test('regression-164-no-statement-that-may-find-a-row-changed-chooses-partitions-as-it-runs', async () => {
  const found: string[] = [];
  for (const one of declared) if (prunesAsItRuns(await planOf(one.text))) found.push(one.name);
  expect(found).toEqual([]);
});

test.each(['record_attempts', 'claim_fresh_deliveries', 'claim_fresh_deliveries_of_accounts'])(
  'regression-165-%s-looks-for-a-delivery-by-its-endpoint-on-a-day-that-was-empty',
  async (name) => {
    const { text = '' } = declared.find((one) => one.name === name) ?? {};
    const settings = Object.entries(DELIVERY_PLANS).map(([setting, value]) => `SET LOCAL ${setting} = ${value}`);
    const read = nodesOf(await planOf(text, settings.join('; '))).filter(
      (node) => node['Relation Name'] === 'delivery_default',
    );
    expect(read).not.toEqual([]);
    for (const node of read) expect(node['Index Cond'] ?? '').toMatch(/\bendpoint_id\b/);
  },
);

describe('one that does is found', () => {
  const picked = 'WITH picked AS (SELECT day, event_id FROM delivery WHERE endpoint_id = :id AND day = :day LIMIT 3';
  const changing: [what: string, sql: string][] = [
    [
      'a change of rows that were picked',
      `${picked}) UPDATE delivery d SET attempts = 0 FROM picked p WHERE d.day = p.day AND d.event_id = p.event_id`,
    ],
    ['a removal of them', `${picked}) DELETE FROM event e USING picked p WHERE e.day = p.day AND e.id = p.event_id`],
    [
      'a look beside a lock',
      `${picked} FOR UPDATE), beside AS MATERIALIZED (SELECT e.body FROM picked p JOIN event e ON e.day = p.day AND e.id = p.event_id) SELECT FROM beside`,
    ],
    [
      'a day that is looked up',
      'UPDATE event e SET resends = 0 WHERE e.day = (SELECT max(day) FROM mail_count) AND e.id = :id',
    ],
  ];
  test.each(changing)('%s', async (what, sql) => {
    expect(prunesAsItRuns(await planOf(statement(`${what.replaceAll(' ', '_')}_of_test`, sql).text))).toBe(true);
  });

  test('and none that takes the day as it is called', async () => {
    const { text } = statement(
      'by_day_of_test',
      'UPDATE event e SET resends = 0 WHERE e.day BETWEEN :first::date AND :last AND e.id = :id',
    );
    expect(prunesAsItRuns(await planOf(text))).toBe(false);
  });
});
