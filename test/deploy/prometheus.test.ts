import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { installGo } from '../support/go.ts';

const RULES = resolve(import.meta.dirname, '../../deploy/prometheus/rules.yaml');
/** Its build takes minutes where nothing of it is kept yet. */
const BUILT_MS = 1_800_000;

const folder = mkdtempSync(join(tmpdir(), 'fatura-prometheus-'));
afterAll(() => rmSync(folder, { recursive: true }));

const promtool = (...args: string[]): string =>
  execFileSync(installGo('github.com/prometheus/prometheus/cmd/promtool', 'v0.316.0'), args, { encoding: 'utf8' });

const ALERT = 'MailFailed';
const seriesOf = (process: string): string =>
  `fatura_alarms_total{job="fatura",instance="api:3000",process="${process}",kind="mail_failed"}`;

/** How many alerts there are at a minute of rows of scrapes, each of a process. */
const alertsAt = (rows: Readonly<Record<string, string>>, { minute, alerts }: { minute: string; alerts: number }) => ({
  interval: '30s',
  input_series: Object.entries(rows).map(([process, values]) => ({ series: seriesOf(process), values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${ALERT}"}) or vector(0)`,
      eval_time: minute,
      exp_samples: [{ labels: '{}', value: alerts }],
    },
  ],
});

test('Prometheus takes the rules', { timeout: BUILT_MS }, () => {
  expect(promtool('check', 'rules', RULES)).toMatch(/SUCCESS: \d+ rules found/);
});

test('an alarm alerts for ten minutes, once however many count it; a process that leaves or begins alerts nobody', () => {
  const rows = {
    rule_files: [RULES],
    evaluation_interval: '30s',
    tests: [
      alertsAt({ one: '0x4 1x60' }, { minute: '4m', alerts: 1 }),
      alertsAt({ one: '0x4 1x60' }, { minute: '15m', alerts: 0 }),
      alertsAt({ one: '0x4 1x60', two: '0x4 1x60' }, { minute: '4m', alerts: 1 }),
      alertsAt({ one: '5x4 stale', two: '2x60' }, { minute: '4m', alerts: 0 }),
      alertsAt({ one: '5x4 stale', two: '2x4 3x60' }, { minute: '4m', alerts: 1 }),
      alertsAt({ one: '5x60', two: '_x4 2x60' }, { minute: '4m', alerts: 0 }),
      alertsAt({ one: '5x4 0x60' }, { minute: '4m', alerts: 0 }),
      alertsAt({ one: '5x4 0x4 1x60' }, { minute: '6m', alerts: 1 }),
    ],
  };
  const file = join(folder, 'rows.yaml');
  writeFileSync(file, stringify(rows));
  expect(promtool('test', 'rules', file)).toContain('SUCCESS');
});
