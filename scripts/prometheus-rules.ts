import { stringify } from 'yaml';
import { type AlarmKind, alarmKinds, alarms, remedyAt } from '../server/kernel/alarms.ts';

const HEAD = `# One alert for each kind of alarm (docs/operations.md#alarms), written by \`npm run alerts\`.
`;

const alertNameOf = (kind: AlarmKind): string =>
  kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const ruleOf = (kind: AlarmKind) => ({
  alert: alertNameOf(kind),
  expr: `max by (job, kind) (increase(fatura_alarms_total{kind="${kind}"}[10m])) > 0`,
  labels: { severity: alarms[kind].severity },
  annotations: { summary: alarms[kind].happened, remedy: alarms[kind].remedy, page: remedyAt(kind) },
});

/** The alerts of `deploy/prometheus/rules.yaml`. */
export const prometheusRules = (): string =>
  HEAD + stringify({ groups: [{ name: 'fatura', rules: alarmKinds.map(ruleOf) }] }, { lineWidth: 0 });
