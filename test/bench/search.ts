import { boxOf } from '../support/secret-box.ts';
import type { Bench } from './bench.ts';
import { buyer, fillSales } from './search-fill.ts';
import type { Stage } from './stage.ts';
import { median, tableOf } from './table.ts';

const GOAL_MS = 150;
const TIMES = 60;
const SALES = { full: { customers: 50_000, invoices: 200_000 }, quick: { customers: 5_000, invoices: 20_000 } };

const somebody = buyer(3_141);

const QUERIES: readonly (readonly [what: string, query: string])[] = [
  ['a frequent name', 'maria'],
  ['the beginning of one', 'mar'],
  ['what nearly every e-mail has', 'com'],
  ['two frequent words', 'maria silva'],
  ['words that never stand together', 'maria joao jose'],
  ['a whole name', somebody.name],
  ['an e-mail address', somebody.email],
  ['the beginning of a CPF', somebody.identifier.slice(0, 6)],
  ['a phone number', somebody.phone],
  ['the amount of a plan', '49,90'],
  ['the amount of one sale', 'R$ 1.000,04'],
  ['the card that most have', '4242'],
  ['a code', 'order-10000'],
  ['an id', 'in_00000000000000000000012345'],
  ['nothing', 'zuleica xavier'],
];

interface Measured {
  readonly found: number;
  readonly times: readonly number[];
}

async function measure({ port, apiKey }: Stage, query: string): Promise<Measured> {
  const url = `http://127.0.0.1:${port}/api/v1/search?${new URLSearchParams({ query, limit: '10' })}`;
  const times: number[] = [];
  let found = 0;
  for (let time = 0; time <= TIMES; time += 1) {
    const startedMs = performance.now();
    const answer = await fetch(url, { headers: { authorization: `ApiKey ${apiKey}` } });
    const body: Record<string, unknown> = await answer.json();
    times.push(performance.now() - startedMs);
    if (!answer.ok) throw new Error(`${query} was refused: ${JSON.stringify(body)}`);
    found = Object.values(body).reduce<number>((total, group) => total + (Array.isArray(group) ? group.length : 0), 0);
  }
  return { found, times };
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * share)] ?? 0;

/** `GET /search` for what people look for, ten objects a group, among the sales of one account. */
export const search: Bench = async (context) => {
  const sales = context.isQuick ? SALES.quick : SALES.full;
  const stage = await context.setStage();
  context.say('filling the database');
  const client = await stage.pool.connect();
  await fillSales(client, { ...sales, accountId: stage.accountId, box: await boxOf(stage.pool, stage.keys) });
  const { rows } = await client.query<{ size: string }>(
    `SELECT pg_size_pretty(pg_total_relation_size('customer_word')) AS size`,
  );
  client.release(true);
  const measured: [what: string, Measured][] = [];
  for (const [what, query] of QUERIES) {
    context.say(what);
    measured.push([what, await measure(stage, query)]);
  }
  const all = measured.flatMap(([, { times }]) => times.slice(1));
  return {
    table: tableOf(
      ['looked for', 'found', 'first ms', 'median ms', 'p95 ms'],
      measured.map(
        ([
          what,
          {
            found,
            times: [firstMs = 0, ...rest],
          },
        ]) => [what, String(found), ...[firstMs, median(rest), percentile(rest, 0.95)].map((ms) => ms.toFixed(1))],
      ),
    ),
    notes: [
      `${sales.customers.toLocaleString('en')} customers, whose words take ${rows[0]?.size}, and ${sales.invoices.toLocaleString('en')} invoices of one account`,
      `p95 of all ${percentile(all, 0.95).toFixed(1)} ms (goal: ${GOAL_MS} ms); "first" is the first time, with a cold cache and no plan`,
    ],
  };
};
