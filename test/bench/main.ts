import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import type { Bench, BenchContext } from './bench.ts';
import { dashboard } from './dashboard.ts';
import { delivery } from './delivery.ts';
import { events } from './events.ts';
import { exports } from './exports.ts';
import { fairness } from './fairness.ts';
import { flatness } from './flatness.ts';
import { invoices } from './invoices.ts';
import { memory } from './memory.ts';
import { neighbours } from './neighbours.ts';
import { page } from './page.ts';
import { openProfile } from './profile.ts';
import { renewals } from './renewals.ts';
import { card, sale, sessions } from './sale.ts';
import { search } from './search.ts';
import { kill, skew, workers } from './shards.ts';
import { setStage } from './stage.ts';
import { formatTable } from './table.ts';
import { Teardown } from './teardown.ts';
import { waiting } from './waiting.ts';
import { walls } from './walls.ts';

const benches: Readonly<Record<string, Bench>> = {
  invoices,
  sale,
  card,
  sessions,
  waiting,
  page,
  delivery,
  fairness,
  neighbours,
  walls,
  memory,
  events,
  exports,
  search,
  dashboard,
  renewals,
  workers,
  skew,
  kill,
  flatness,
};
const SECONDS_DEFAULT = 10;
const SECONDS_QUICK = 3;
const SECONDS_MAX = 120;
const MINUTES_DEFAULT = 5;
const MINUTES_QUICK = 2;
const MINUTES_MAX = 600;
const WARM_UP_SECONDS = 2;
/** Beyond the measured seconds: what a start, a drain and a slow machine may add. */
const SLACK_MS = 180_000;
/** npm repeats a terminal's Ctrl-C to us; only one that comes later is a second wish. */
const SECOND_SIGNAL_AFTER_MS = 1_000;

interface Options {
  readonly seconds?: number;
  readonly minutes?: number;
  readonly quick: boolean;
  readonly profile?: string;
  readonly only?: string;
}

const wholeUpTo =
  (max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`must be a whole number from 1 to ${max}`);
  };

function stopOnSignals(teardown: Teardown): void {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - firstMs > SECOND_SIGNAL_AFTER_MS) process.exit(130);
      if (firstMs !== Number.POSITIVE_INFINITY) return;
      firstMs = performance.now();
      console.error('cleaning up …');
      void teardown.run().then(() => process.exit(130));
    });
  }
}

async function runBench(name: string, bench: Bench, { only = '', ...options }: Options): Promise<void> {
  const teardown = new Teardown();
  stopOnSignals(teardown);
  const profile = options.profile === undefined ? null : openProfile(options.profile);
  const seconds = options.seconds ?? (options.quick ? SECONDS_QUICK : SECONDS_DEFAULT);
  const context: BenchContext = {
    teardown,
    times: { warmupSeconds: WARM_UP_SECONDS, seconds },
    timeoutMs: seconds * 1_000 + SLACK_MS,
    minutes: options.minutes ?? (options.quick ? MINUTES_QUICK : MINUTES_DEFAULT),
    isQuick: options.quick,
    setStage: (options = {}) =>
      setStage(options.teardown ?? teardown, { profile, postgresSettings: {}, serviceSettings: {}, ...options }),
    wants: (part) => part.includes(only),
    say: (line) => console.error(`${name}: ${line} …`),
  };
  try {
    const report = await bench(context);
    const times = 'figures' in report ? `${seconds} s a figure, ` : '';
    console.log(`\n${name}: ${times}${availableParallelism()} cores, Node ${process.version}\n`);
    console.log(`${'figures' in report ? formatTable(report.figures) : report.table}\n`);
    for (const note of report.notes) console.log(`- ${note}`);
  } catch (error) {
    process.exitCode = 1;
    if (!teardown.hasBegun) console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  } finally {
    await teardown.run();
  }
}

const program = new Command('bench').description('Measures the service on real parts; prints one table.');
for (const [name, bench] of Object.entries(benches)) {
  program
    .command(name)
    .option('--seconds <n>', `measured seconds of each figure (default ${SECONDS_DEFAULT})`, wholeUpTo(SECONDS_MAX))
    .option('--minutes <n>', `of memory: how long the load lasts (default ${MINUTES_DEFAULT})`, wholeUpTo(MINUTES_MAX))
    .option('--quick', `${SECONDS_QUICK} s a figure and smaller backlogs: to see that it runs, not to quote`, false)
    .option('--only <text>', 'only the parts whose names contain it: attackers of neighbours')
    .option('--profile <folder>', 'also write CPU profiles and what PostgreSQL waited for; slows what it measures')
    .action((options: Options) => runBench(name, bench, options));
}
await program.parseAsync();
