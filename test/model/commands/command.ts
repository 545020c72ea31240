import type fc from 'fast-check';
import { type Books, isAsked } from '../books.ts';
import { type Change, type Done, judgeCounts, judgeOutcome, judgePromise, judgeView, outcomesOf } from '../judge.ts';
import { CRASHED, type Weather } from '../model.ts';
import { newKey, type Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { witness } from '../witnesses.ts';
import type { Deed, Plan } from './deed.ts';

/** Lets the bank and the process be as they were, whatever came of it. */
export async function under<T>(stage: Stage, weather: Weather, work: () => Promise<T>): Promise<T> {
  await stage.bank.meets(weather);
  try {
    return await work();
  } finally {
    stage.interruption.clear();
    await stage.bank.recovers();
  }
}

export function judgeDone(change: Change, done: readonly Done[]): string[] {
  for (const { deed, answer } of done) witness(`${deed.kind} ${answer.code}`);
  return [
    ...judgeCounts(change, done),
    ...done.flatMap((each) => [...judgePromise(change, each), ...judgeView(each.answer.body)]),
  ];
}

export const tellDone = (done: readonly Done[]): string =>
  done.map(({ deed, answer }) => `${deed.label} -> ${answer.code}`).join(' and ');

/** What of an attempt a deed left that a repeat under its key is answered the outcome of. */
export function leftBy(deed: Deed, { before, after }: Change): string | null {
  const rows = (books: Books) => ({ card: books.attempts, refund: books.parts.filter(isAsked) });
  if (deed.kind !== 'card' && deed.kind !== 'refund') return null;
  return rows(after)[deed.kind][rows(before)[deed.kind].length]?.id ?? null;
}

/** What the key of a request that ended halfway stands for: its attempt, its part or its charge. */
function leaseOf(deed: Deed, change: Change): string | null {
  const { before, after } = change;
  if (deed.kind === 'pix') return after.intents[before.intents.length]?.id ?? null;
  return deed.again?.lease ?? leftBy(deed, change);
}

export interface Manner {
  readonly of: number;
  readonly weather: Weather;
  /** The process ends at this step. */
  readonly crashAt: string | null;
  readonly isKeyed: boolean;
}

/** One deed alone. */
export class Act implements fc.AsyncCommand<Run, Stage, true> {
  readonly plan: Plan;
  readonly manner: Manner;

  constructor(plan: Plan, manner: Manner) {
    this.plan = plan;
    this.manner = manner;
  }

  check = async (run: Readonly<Run>): Promise<boolean> =>
    run.isOpen && this.plan.pin(run.books(this.manner.of)) !== null;

  async run(run: Run, stage: Stage): Promise<void> {
    const { of, weather, crashAt, isKeyed } = this.manner;
    const before = run.books(of);
    const deed = this.plan.pin(before);
    if (deed === null) return;
    const key = isKeyed ? newKey() : null;
    const answer = await under(stage, weather, () => {
      if (crashAt !== null) stage.interruption.crashAt(crashAt);
      return deed.perform(stage, key);
    });
    if (answer.code === CRASHED) witness(`crash at ${crashAt}`);
    const legal = outcomesOf(deed, before, { weather, mayCrash: crashAt !== null });
    let left: { attempt: string | null; lease: string | null } = { attempt: null, lease: null };
    await run.look(stage, {
      what: `${this} -> ${answer.code}`,
      of,
      touches: legal === null ? 'all' : 'one',
      judge: (change) => {
        left = { attempt: leftBy(deed, change), lease: leaseOf(deed, change) };
        return [...judgeOutcome(change, answer.code, legal), ...judgeDone(change, [{ deed, answer }])];
      },
    });
    if (key !== null && deed.kind !== 'step') {
      const isUnknown = answer.code === CRASHED || answer.code === 'ACQUIRER_TIMEOUT';
      const heldUntil = answer.code === CRASHED ? await stage.holdKey(left.lease) : 0;
      run.requests.push({ deed, key, of, answer, attempt: isUnknown ? left.attempt : null, heldUntil });
    }
  }

  toString(): string {
    const { of, weather, crashAt, isKeyed } = this.manner;
    const troubles = weather.troubles.map(({ call, trouble }) => `${call} ${trouble}`);
    const said = [
      ...(of > 0 ? ['the other invoice'] : []),
      ...troubles,
      ...(weather.refuses ? ['bank refuses'] : []),
      ...(weather.hides ? ['bank hides'] : []),
      ...(crashAt === null ? [] : [`crash at ${crashAt}`]),
      ...(isKeyed ? ['keyed'] : []),
    ];
    return said.length === 0 ? this.plan.label : `${this.plan.label} (${said.join(', ')})`;
  }
}
