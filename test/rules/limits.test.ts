import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits, type TenantLimit } from '../../server/admission/limits.ts';
import { createMetrics } from '../../server/metrics.ts';

const amount = (of: number | null): string => (of === null ? '–' : of.toLocaleString('en'));

/** The table as docs/operations.md has it. */
const rowOf = ([name, { sandbox, live, unit, counts, of, beyond }]: [string, TenantLimit]): string =>
  `| \`${name}\` | ${amount(sandbox)} | ${amount(live)} | ${unit} | ${counts} | ${of} | ${beyond} |`;

test('operators read every limit as it holds', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [, section = ''] = /^## Limits$(.*?)^## /ms.exec(page) ?? [];
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  expect(rows).toEqual(Object.entries(limits).map(rowOf));
});

test('metrics tell each limit of each mode, and count refusals from the start', async () => {
  const metrics = createMetrics();
  metrics.limits.refuse('inflight', { liveMode: true });
  const told = await metrics.registry.metrics();
  for (const [name, { sandbox, live }] of Object.entries(limits)) {
    expect(told).toContain(`fatura_limit{limit="${name}",mode="sandbox"} ${sandbox}\n`);
    const ofLive = `fatura_limit{limit="${name}",mode="live"}`;
    if (live === null) expect(told).not.toContain(ofLive);
    else expect(told).toContain(`${ofLive} ${live}\n`);
    expect(told).toContain(`fatura_limit_refusals_total{limit="${name}",mode="sandbox"} 0\n`);
  }
  expect(told).toContain('fatura_limit_refusals_total{limit="inflight",mode="live"} 1\n');
});
