import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { raisedIn } from '../../ops/admin/alarms.ts';
import { prometheusRules, silences } from '../../scripts/prometheus-rules.ts';
import { type AlarmKind, alarmKinds, alarms, raiseAlarm, remedyAt } from '../../server/kernel/alarms.ts';
import { createLogger } from '../../server/logging.ts';
import { createMetrics, ownMetrics } from '../../server/metrics.ts';

/** The sections below a heading of the page, each with its paragraphs in one line and its links as their words. */
function sectionsOf(page: string): [string, string[]][] {
  const whole = page.split('\n## Alarms\n')[1]?.split('\n## ')[0] ?? '';
  const inWords = (text: string) =>
    text
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replaceAll('\n', ' ')
      .trim();
  return whole
    .split('\n### ')
    .slice(1)
    .map((section) => {
      const [name = '', ...paragraphs] = section.trim().split('\n\n');
      return [name, paragraphs.map(inWords)];
    });
}

test('docs/operations.md tells of every alarm in the words of the code, in its order', () => {
  const told = alarmKinds.map((kind) => [kind, [alarms[kind].happened, `What to do: ${alarms[kind].remedy}`]]);
  expect(sectionsOf(readFileSync('docs/operations.md', 'utf8'))).toEqual(told);
});

test('deploy/prometheus/rules.yaml has an alert for every alarm, as `npm run alerts` writes it', () => {
  expect(readFileSync('deploy/prometheus/rules.yaml', 'utf8')).toBe(prometheusRules());
  const alerts = [...prometheusRules().matchAll(/- alert: (\w+)\n\s+expr: .*kind="(\w+)"/g)];
  expect(alerts.map(([, , kind]) => kind)).toEqual(alarmKinds);
  expect(alerts.map(([, name]) => name)).toContain('ChargeOutcomeUnknown');
});

test('deploy/prometheus/rules.yaml has an alert for what nobody raises, and docs/operations.md tells of it in the same words', () => {
  const [, group = ''] = readFileSync('deploy/prometheus/rules.yaml', 'utf8').split('- name: fatura-silence\n');
  expect([...group.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)).toEqual(['ApiDown', 'DueLate', 'NoWorker']);
  const told = silences.map(({ alert, happened, remedy }) => `| \`${alert}\` | ${happened} | ${remedy} |`);
  expect(readFileSync('docs/operations.md', 'utf8')).toContain(`|---|---|---|\n${told.join('\n')}\n\n`);
});

test('kinds stand in the order of their names', () => {
  expect(alarmKinds).toEqual(alarmKinds.toSorted());
});

test('nothing raises an alarm past the line that names what to do', () => {
  const files = ['server', 'workflows', 'ops'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const sources = files.map((file) => [file, readFileSync(file, 'utf8')] as const);
  const past = sources.filter(([, source]) => source.includes('alarms.inc(')).map(([file]) => file);
  expect(past.toSorted()).toEqual(['server/kernel/alarms.ts', 'server/metrics.ts']);
  const raised = sources.flatMap(([, source]) =>
    [...source.matchAll(/(?:raiseAlarm|alarmEvery)\(\s*[^']*?'(\w+)'/g)].map(([, kind]) => kind),
  );
  expect([...new Set(raised)].toSorted()).toEqual(alarmKinds);
});

test('an alarm is counted, and its line names the object and where its remedy stands', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', process: 'worker', destination });
  const metrics = createMetrics();
  const kind: AlarmKind = 'charge_outcome_unknown';
  raiseAlarm({ metrics, logger }, kind, { intent: 'pi_1', message: 'nobody knows' });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, alarm: kind, remedy: remedyAt(kind), intent: 'pi_1', msg: 'nobody knows' }),
  ]);
  expect(remedyAt(kind)).toMatch(/^docs.operations\.md#charge_outcome_unknown$/);
  const told = JSON.parse(await ownMetrics(metrics.registry));
  expect(raisedIn([told, told]).get(kind)).toBe(2);
  expect(raisedIn([told]).get('mail_failed')).toBe(0);
});
