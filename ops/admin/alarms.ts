import type { Command } from 'commander';
import type { MetricObject } from 'prom-client';
import { createReadiness } from '../../server/http/readiness.ts';
import { alarmKinds, alarms, remedyAt } from '../../server/kernel/alarms.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { print, type WithDatabase } from './command.ts';

/** How often each kind was raised, by what processes tell of their counters. */
export function raisedIn(told: readonly MetricObject[][]): ReadonlyMap<string, number> {
  const values = told
    .flat()
    .filter(({ name }) => name === 'fatura_alarms_total')
    .flatMap((metric) => ('values' in metric ? (metric.values as { labels: { kind: string }; value: number }[]) : []));
  const counts = new Map<string, number>();
  for (const { labels, value } of values) counts.set(labels.kind, (counts.get(labels.kind) ?? 0) + value);
  return counts;
}

export function alarmCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command('alarms')
    .description(
      'list every kind of alarm: what happened, what to do, and how often the workers that run now raised it since they started',
    )
    .option('--raised', 'those alone that were raised')
    .action(({ raised = false }: { raised?: boolean }) =>
      withDatabase(async ({ pool }) => {
        const counts = raisedIn(await createReadiness(pool, { modes: MODES }).workerMetrics());
        for (const kind of alarmKinds) {
          const count = counts.get(kind) ?? 0;
          const { severity, happened, remedy } = alarms[kind];
          if (count > 0 || !raised)
            print({ kind, raised_by_workers: count, severity, happened, remedy, see: remedyAt(kind) });
        }
      }),
    );
}
