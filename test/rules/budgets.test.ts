import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Budget, budgets } from '../../server/kernel/budgets.ts';
import { createMetrics } from '../../server/metrics.ts';

const MIB = 1_024 * 1_024;

const amount = (of: number | null, { unit }: Budget): string => {
  if (of === null) return '–';
  if (unit === 'bytes') return `${of / MIB} MiB`;
  return unit === 'percent' ? `${of} %` : of.toLocaleString('en');
};

/** The table as docs/operations.md has it. */
const rowOf = ([name, budget]: [string, Budget]): string => {
  const { sandbox, live, beside, counts, of, beyond } = budget;
  return `| \`${name}\` | ${amount(sandbox, budget)} | ${amount(live, budget)} | ${beside ?? ''} | ${counts} | ${of} | ${beyond} |`;
};

test('operators read every budget as it holds', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [, section = ''] = /^## Budgets$(.*?)^## /ms.exec(page) ?? [];
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  expect(rows).toEqual(Object.entries(budgets).map(rowOf));
});

test('metrics tell each budget of each mode, and count refusals from the start', async () => {
  const metrics = createMetrics();
  metrics.budgets.refuse('requests', { liveMode: true });
  const told = await metrics.registry.metrics();
  for (const [name, { sandbox, live }] of Object.entries(budgets)) {
    expect(told).toContain(`fatura_budget{budget="${name}",mode="sandbox"} ${sandbox}\n`);
    const ofLive = `fatura_budget{budget="${name}",mode="live"}`;
    if (live === null) expect(told).not.toContain(ofLive);
    else expect(told).toContain(`${ofLive} ${live}\n`);
    expect(told).toContain(`fatura_budget_refusals_total{budget="${name}",mode="sandbox"} 0\n`);
  }
  expect(told).toContain('fatura_budget_refusals_total{budget="requests",mode="live"} 1\n');
});
