import { stringify } from 'yaml';
import { type AlarmKind, alarmKinds, alarms, remedyAt } from '../server/kernel/alarms.ts';

const HEAD = `# An alert for each kind of alarm, and for a service that raises none because nothing runs (docs/operations.md#alarms), written by
# \`npm run alerts\`.
`;

const alertNameOf = (kind: AlarmKind): string =>
  kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const ruleOf = (kind: AlarmKind) => ({
  alert: alertNameOf(kind),
  expr: `max by (job, kind) (increase(fatura_alarms_total{kind="${kind}"}[10m])) > 0`,
  labels: { severity: alarms[kind].severity },
  annotations: { summary: alarms[kind].happened, remedy: alarms[kind].remedy, page: remedyAt(kind) },
});

/** What only Prometheus can tell. Which jobs are ours, their metrics say: every API shows each kind of alarm from its start. */
export const silences = [
  {
    alert: 'ApiDown',
    expr: 'up == 0 and on (job) last_over_time(fatura_alarms_total[1d])',
    for: '5m',
    happened: 'An API does not answer Prometheus; told for a day.',
    remedy: 'See whether the process runs, and its log. With 401 or 404 Prometheus lacks the METRICS_TOKEN.',
  },
  {
    alert: 'DueLate',
    expr: 'max by (job, queue) (fatura_oldest_due_seconds{queue=~"outbox|deliveries|billing(-[0-9]+of[0-9]+)?"}) > 120',
    for: '15m',
    happened: 'What is due of a queue waits for more than two minutes, for a quarter of an hour.',
    remedy: '`/readyz` says whether Temporal is away; else the log of the workers has what fails.',
  },
  {
    alert: 'NoWorker',
    // An API shows what workers of its modes measure.
    expr: 'absent(fatura_oldest_due_seconds) or (group by (job, instance) (fatura_alarms_total) unless on (job, instance) fatura_oldest_due_seconds)',
    for: '5m',
    happened: 'An API sees no worker of its modes, or no API shows anything.',
    remedy: 'Start a worker; `/readyz` says so of each API. What fell due meanwhile is done then.',
  },
] as const;

const silenceRuleOf = ({ alert, expr, for: lasting, happened: summary, remedy }: (typeof silences)[number]) => ({
  alert,
  expr,
  for: lasting,
  labels: { severity: 'critical' },
  annotations: { summary, remedy, page: 'docs/operations.md#alarms' },
});

/** The alerts of `deploy/prometheus/rules.yaml`. */
export function prometheusRules(): string {
  const groups = [
    { name: 'fatura', rules: alarmKinds.map(ruleOf) },
    { name: 'fatura-silence', rules: silences.map(silenceRuleOf) },
  ];
  return HEAD + stringify({ groups }, { lineWidth: 0 });
}
