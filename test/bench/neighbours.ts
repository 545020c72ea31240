import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext } from './bench.ts';
import { beginAttack } from './neighbours/attack.ts';
import type { Answers, Attacker, Mode } from './neighbours/attacker.ts';
import { attackers } from './neighbours/attackers.ts';
import type { Measurement } from './neighbours/quiet-shop.ts';
import { setScene } from './neighbours/scene.ts';
import { tableOf } from './table.ts';
import { memoryOf } from './usage.ts';

/** Beside attackers of the other mode, which is another process's, and beside those of the same. */
const GOAL_RATIOS = { apart: 1.5, together: 2.5 };
/** Pairs of a quiet and an attacked window, one behind the other, so that a busy moment of the machine falls on both. */
const PAIRS = 3;
const SETTLE_MS = 1_000;
const modes = ['live', 'sandbox'] as const satisfies readonly Mode[];

type Set = Awaited<ReturnType<typeof setScene>>;

const told = (answers: Answers): string =>
  Object.entries(answers)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');

const ms = (value: number): string => value.toFixed(1);

/** What a quiet account waits for, without and beside an attack. */
class Comparison {
  readonly #alone: Measurement;
  readonly #beside: Measurement;

  constructor(source: { measurement(): Measurement }) {
    this.#alone = source.measurement();
    this.#beside = source.measurement();
  }

  alone = (seconds: number): Promise<void> => this.#alone.take(seconds);
  beside = (seconds: number): Promise<void> => this.#beside.take(seconds);

  columns(): string[] {
    const [one, other] = [this.#alone.summary(), this.#beside.summary()];
    return [
      ...[one.p50Ms, other.p50Ms, one.p99Ms, other.p99Ms].map(ms),
      (other.p99Ms / one.p99Ms).toFixed(2),
      String(this.#beside.refused),
    ];
  }
}

async function compare(
  { teardown, times: { seconds } }: BenchContext,
  { withNewKey, stage, worker, quiet, deliveries }: Set,
  { attacker, mode }: { attacker: Attacker; mode: Mode },
): Promise<string[]> {
  const both = [new Comparison(quiet), new Comparison(deliveries)];
  const answers: Answers = {};
  for (let pair = 0; pair < PAIRS; pair += 1) {
    await Promise.all(both.map(({ alone }) => alone(seconds)));
    await withNewKey(mode, async (scene) => {
      const end = await beginAttack(teardown, { name: attacker.name, mode, scene });
      await sleep(SETTLE_MS);
      await Promise.all(both.map(({ beside }) => beside(seconds)));
      for (const [what, count] of Object.entries(await end())) answers[what] = (answers[what] ?? 0) + count;
    });
    await sleep(SETTLE_MS);
  }
  return [
    `${attacker.name}, ${mode}`,
    ...both.flatMap((one) => one.columns()),
    `${memoryOf(stage.pids.api).nowMiB}`,
    `${memoryOf(worker).nowMiB}`,
    told(answers),
  ];
}

const OF_EACH = ['p50 ms', 'beside', 'p99 ms', 'beside', 'ratio'];

/** What a quiet account waits, without and with each attacker; a pair of processes serves each mode. */
export const neighbours: Bench = async (context) => {
  const set = await setScene(context);
  await Promise.all([set.quiet, set.deliveries].map((one) => one.measurement().take(context.times.warmupSeconds)));
  const rows: string[][] = [];
  for (const attacker of attackers.filter(({ name }) => context.wants(name))) {
    for (const mode of modes.filter((one) => attacker.modes.includes(one))) {
      context.say(`${attacker.name}, ${mode}`);
      const row = await compare(context, set, { attacker, mode });
      // A run is long: whoever breaks it off has what was measured.
      context.say(row.join(' | '));
      rows.push(row);
    }
  }
  await set.stage.proveInvariants();
  const columns = [
    'attacker',
    ...OF_EACH,
    'refused',
    ...OF_EACH,
    'lost',
    'API MiB',
    'worker MiB',
    'the attacker was answered',
  ];
  return {
    table: tableOf(columns, rows),
    notes: [
      `first a quiet live account's requests on 2 connections, then its sandbox's deliveries: beside attackers of the other mode, which two other processes serve, at most ${GOAL_RATIOS.apart} of their p99, beside those of the same at most ${GOAL_RATIOS.together}; nothing refused or lost`,
    ],
  };
};
