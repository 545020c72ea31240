import { expect } from 'vitest';
import type { Answers, Fate } from './cell.ts';
import type { ApiProcess } from './processes.ts';
import type { Chaos } from './seeds.ts';
import type { Stage } from './stage.ts';

/** One cell under way, whatever acquirer its money is at. */
export interface Member {
  readonly answers: Answers;
  /** What is under way when the process dies. */
  strike(victim: ApiProcess): Promise<string>;
  send(process: ApiProcess): Promise<string>;
  /** Somebody else asks something of the same invoice. */
  rival(process: ApiProcess, drawn: number): Promise<string>;
  /** Waits until the acquirer has been asked. */
  isAtBank(): Promise<void>;
  afterDeath(): Promise<void>;
  /** As if the first run of every keyed request had run out of its time. */
  endLeases(): Promise<void>;
  /** Every case looks once. */
  look(): Promise<void>;
  /** The acquirer is well again and all its time has passed: every case is seen through to its end. */
  rest(): Promise<void>;
  finish(): Promise<void>;
  expectForetold(): Promise<void>;
  /** Of a cell of which nothing is foretold. */
  expectSound(): Promise<void>;
}

/** How cells are taken up on a stage. */
export interface Play<S extends Stage, C extends Fate> {
  readonly stage: () => S;
  readonly enlist: (stage: S, cell: C) => Promise<Member>;
}

/** Cells whose process dies at the same step share it, and the one that takes its place: each has all else of its own. */
export class Gang<S extends Stage, C extends Fate> {
  readonly #play: Play<S, C>;
  readonly #cells: readonly C[];
  readonly #chaos: Chaos | null;
  #runs: Map<C, Promise<void>> | null = null;

  constructor(play: Play<S, C>, cells: readonly C[], chaos: Chaos | null) {
    this.#play = play;
    this.#cells = cells;
    this.#chaos = chaos;
  }

  /** What became of one cell; the first to ask sets all of them going. */
  run(cell: C): Promise<void> {
    this.#runs ??= this.#start();
    return this.#runs.get(cell) ?? Promise.reject(new Error(`${cell.name} is of another gang`));
  }

  #start(): Map<C, Promise<void>> {
    const stage = this.#play.stage();
    const survivor = Promise.withResolvers<ApiProcess>();
    const members = this.#cells.map((cell) => ({ member: this.#play.enlist(stage, cell) }));
    const deaths = Promise.all(members.map(({ member }) => member)).then((all) => this.#kill(stage, all));
    const runs = members.map(async ({ member }, index) => {
      const told = (await deaths)[index];
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
  async #kill(stage: Stage, members: readonly Member[]): Promise<string[]> {
    const [first] = this.#cells;
    if (first === undefined) return [];
    const victim = await stage.processes.take();
    const chaos = this.#chaos;
    const count = chaos?.countdown ?? { countdown: members.length, parks: true };
    const { dead } = await arm(victim, { death: first.death, count, members });
    const strikes = members.map((member) => member.strike(victim));
    const rivals = chaos === null ? [] : members.map((member, index) => member.rival(victim, index + chaos.drawn));
    await Promise.race([dead, chaos === null ? Promise.race(strikes) : Promise.all([...strikes, ...rivals])]);
    // Whoever was answered never came to the step: the others would wait there for ever.
    await victim.kill9();
    const answers = await Promise.all(strikes);
    await Promise.all(members.map((member) => member.afterDeath()));
    return answers;
  }
}

/** Sets the trap; `dead` resolves when the process has died of it. */
async function arm(
  victim: ApiProcess,
  trap: { death: Fate['death']; count: { countdown: number; parks: boolean }; members: readonly Member[] },
): Promise<{ dead: Promise<unknown> }> {
  const { death, count, members } = trap;
  if ('at' in death) {
    await victim.dieAt(death.at, count);
    return { dead: victim.ended };
  }
  const underWay = () => Promise.all(members.map((member) => member.isAtBank()));
  if ('whileAsked' in death) return { dead: underWay().then(() => victim.kill9()) };
  const { reached } = await victim.watch(death.after, count.countdown);
  return { dead: reached.then(death.isAtBank === true ? underWay : null).then(() => victim.kill9()) };
}

interface Aftermath {
  readonly member: Member;
  readonly survivor: Promise<ApiProcess>;
  readonly told?: string | undefined;
}

/** The client repeats under its key until all has come to rest; what it is told and all books are as foretold. */
async function seeThrough(stage: Stage, { member, survivor, told }: Aftermath): Promise<void> {
  const { answers } = member;
  expect(told, 'when the process dies').toBe('CONNECTION_FAILED');
  const restarted = await survivor;
  if (answers.isHeld) expect(await member.send(restarted), 'at once').toBe('IDEMPOTENCY_KEY_IN_USE');
  await member.endLeases();
  expect(await member.send(restarted), 'when the lease has run out').toBe(answers.repeat);
  await member.look();
  expect(await member.send(restarted), 'when the cases have looked once').toBe(answers.looked);
  await member.rest();
  expect(await member.send(stage.witness), 'at rest').toBe(answers.final);
  await member.rest();
  expect(await member.send(stage.witness), 'ever after').toBe(answers.final);
  await member.finish();
  await member.rest();
  await member.expectForetold();
}

/** Others had their hands in it, and the process died somewhere: nothing is foretold, and nothing may be wrong. */
async function seeSound(stage: Stage, { member, survivor }: Aftermath): Promise<void> {
  const restarted = await survivor;
  await member.endLeases();
  await member.send(restarted);
  await member.look();
  await member.send(restarted);
  await member.rest();
  const final = await member.send(stage.witness);
  await member.rest();
  expect(await member.send(stage.witness), 'ever after').toBe(final);
  await member.expectSound();
}
