import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
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

interface Silence {
  readonly alert: string;
  /** Series by their labels, with a value each half a minute. */
  readonly series: Readonly<Record<string, string>>;
  readonly minute: string;
  /** Labels of each alert that fires. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}

const UP = 'up{job="fatura",instance="api:3000"}';
const ALARMS = 'fatura_alarms_total{job="fatura",instance="api:3000",process="one",kind="mail_failed"}';
const DUE = 'fatura_oldest_due_seconds{job="fatura",instance="api:3000",queue="outbox"}';

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly annotations: object }[] }[];
}

const { groups }: Rules = parse(readFileSync(RULES, 'utf8'));
const annotationsOf = (name: string) =>
  groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name)?.annotations;

const silenceTest = ({ alert, series, minute, fires }: Silence) => ({
  interval: '30s',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: [
    {
      eval_time: minute,
      alertname: alert,
      exp_alerts: fires.map((labels) => ({
        exp_labels: { severity: 'critical', ...labels },
        exp_annotations: annotationsOf(alert),
      })),
    },
  ],
});

test('what does not run, or does nothing, alerts once that has lasted; a service that is well alerts nobody', () => {
  const well = { [UP]: '1x80', [ALARMS]: '0x80', [DUE]: '5x80' };
  const silent = { [UP]: '1x10 0x70', [ALARMS]: '0x10 stale', [DUE]: '5x10 stale' };
  const workless = { [UP]: '1x80', [ALARMS]: '0x80', [DUE]: '5x10 stale' };
  const other = { 'up{job="node",instance="node:9100"}': '0x80' };
  const sandbox = { 'fatura_oldest_due_seconds{job="fatura",instance="sandbox:3000",queue="outbox"}': '0x80' };
  const ofApi = { job: 'fatura', instance: 'api:3000' };
  const silences: Silence[] = [
    ...['ApiDown', 'DueLate', 'NoWorker'].map((alert) => ({ alert, series: well, minute: '30m', fires: [] })),
    { alert: 'ApiDown', series: { ...silent, ...other }, minute: '15m', fires: [ofApi] },
    { alert: 'ApiDown', series: silent, minute: '8m', fires: [] },
    { alert: 'NoWorker', series: silent, minute: '20m', fires: [{}] },
    { alert: 'NoWorker', series: {}, minute: '20m', fires: [{}] },
    { alert: 'NoWorker', series: { ...workless, ...sandbox }, minute: '20m', fires: [ofApi] },
    { alert: 'DueLate', series: { ...well, [DUE]: '0+30x80' }, minute: '10m', fires: [] },
    {
      alert: 'DueLate',
      series: { ...well, [DUE]: '0+30x80' },
      minute: '30m',
      fires: [{ job: 'fatura', queue: 'outbox' }],
    },
    { alert: 'DueLate', series: { [DUE.replace('outbox', 'retention-run')]: '500x80' }, minute: '30m', fires: [] },
  ];
  const file = join(folder, 'silences.yaml');
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '30s', tests: silences.map(silenceTest) }));
  expect(promtool('test', 'rules', file)).toContain('SUCCESS');
});
