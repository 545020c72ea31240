import { expect } from 'vitest';
import { type Cell, type Death, expectSound } from './cell.ts';
import { Member } from './member.ts';
import type { ApiProcess } from './processes.ts';
import { bringToRest, endLeasesOf, workOnce } from './rest.ts';
import type { Chaos } from './seeds.ts';
import type { Stage } from './stage.ts';

/** Cells whose process dies at the same step share it, and the one that takes its place: each has all else of its own. */
export class Gang {
  readonly #stage: () => Stage;
  readonly #cells: readonly Cell[];
  readonly #chaos: Chaos | null;
  #runs: Map<Cell, Promise<void>> | null = null;

  constructor(stage: () => Stage, cells: readonly Cell[], chaos: Chaos | null) {
    this.#stage = stage;
    this.#cells = cells;
    this.#chaos = chaos;
  }

  /** What became of one cell; the first to ask sets all of them going. */
  run(cell: Cell): Promise<void> {
    this.#runs ??= this.#start();
    return this.#runs.get(cell) ?? Promise.reject(new Error(`${cell.name} is of another gang`));
  }

  #start(): Map<Cell, Promise<void>> {
    const stage = this.#stage();
    const survivor = Promise.withResolvers<ApiProcess>();
    const members = this.#cells.map((cell) => ({ cell, member: Member.of(stage, cell) }));
    const deaths = Promise.all(members.map(({ member }) => member)).then((all) => this.#kill(stage, all));
    const runs = members.map(async ({ cell, member }) => {
      const told = (await deaths).get(cell);
      if (this.#chaos === null) await seeThrough(stage, { member: await member, survivor: survivor.promise, told });
      else await seeSound(stage, { member: await member, survivor: survivor.promise });
    });
    // The process that takes the place of the killed one is free for others when all have done with it.
    deaths.then(() => stage.processes.take()).then(survivor.resolve, survivor.reject);
    Promise.allSettled(runs)
      .then(async () => stage.processes.giveBack(await survivor.promise))
      .catch(() => {});
    return new Map(this.#cells.map((cell, index) => [cell, runs[index] ?? Promise.resolve()]));
  }

  /** Sends all that is under way, loses the process, and answers what each was told. */
  async #kill(stage: Stage, members: readonly Member[]): Promise<Map<Cell, string>> {
    const [first] = members;
    if (first === undefined) return new Map();
    const victim = await stage.processes.take();
    const chaos = this.#chaos;
    const count = chaos?.countdown ?? { countdown: members.length, parks: true };
    const { dead } = await arm(victim, { death: first.cell.death, count, members });
    const strikes = members.map((member) => member.strike(victim));
    const rivals = chaos === null ? [] : members.map((member, index) => member.rival(victim, index + chaos.drawn));
    await Promise.race([dead, chaos === null ? Promise.race(strikes) : Promise.all([...strikes, ...rivals])]);
    // Whoever was answered never came to the step: the others would wait there for ever.
    await victim.kill9();
    const answers = await Promise.all(strikes);
    await Promise.all(members.map((member) => member.afterDeath()));
    return new Map(members.map(({ cell }, index) => [cell, answers[index] ?? 'nothing']));
  }
}

/** Sets the trap; `dead` resolves when the process has died of it. */
async function arm(
  victim: ApiProcess,
  trap: { death: Death; count: { countdown: number; parks: boolean }; members: readonly Member[] },
): Promise<{ dead: Promise<unknown> }> {
  const { death, count, members } = trap;
  if ('at' in death) {
    await victim.dieAt(death.at, count);
    return { dead: victim.ended };
  }
  const { reached } = await victim.watch(death.after, count.countdown);
  const underWay = death.isAtBank === true ? () => Promise.all(members.map((member) => member.isAtBank())) : null;
  return { dead: reached.then(underWay).then(() => victim.kill9()) };
}

interface Aftermath {
  readonly member: Member;
  readonly survivor: Promise<ApiProcess>;
  readonly told?: string | undefined;
}

/** The client repeats under its key until all has come to rest; what it is told and all books are as foretold. */
async function seeThrough(stage: Stage, { member, survivor, told }: Aftermath): Promise<void> {
  const { deps } = stage.composition;
  const { answers, books } = member.cell;
  expect(told, 'when the process dies').toBe('CONNECTION_FAILED');
  const restarted = await survivor;
  if (answers.isHeld) expect(await member.send(restarted), 'at once').toBe('IDEMPOTENCY_KEY_IN_USE');
  await endLeasesOf(deps, member.shop);
  expect(await member.send(restarted), 'when the lease has run out').toBe(answers.repeat);
  const open = await workOnce(deps, member.shop);
  expect(await member.send(restarted), 'when the cases have looked once').toBe(answers.looked);
  await bringToRest(deps, member.shop, open);
  expect(await member.send(stage.witness), 'at rest').toBe(answers.final);
  await bringToRest(deps, member.shop);
  expect(await member.send(stage.witness), 'ever after').toBe(answers.final);
  await member.finish();
  await bringToRest(deps, member.shop);
  expect(await member.books()).toEqual(books);
}

/** Others had their hands in it, and the process died somewhere: nothing is foretold, and nothing may be wrong. */
async function seeSound(stage: Stage, { member, survivor }: Aftermath): Promise<void> {
  const { deps } = stage.composition;
  const restarted = await survivor;
  await endLeasesOf(deps, member.shop);
  await member.send(restarted);
  const open = await workOnce(deps, member.shop);
  await member.send(restarted);
  await bringToRest(deps, member.shop, open);
  const final = await member.send(stage.witness);
  await bringToRest(deps, member.shop);
  expect(await member.send(stage.witness), 'ever after').toBe(final);
  expectSound(await member.books());
}
