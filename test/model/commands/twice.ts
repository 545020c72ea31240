import type fc from 'fast-check';
import { isAsked } from '../books.ts';
import { type Change, codesOf, type Done, judgePromise, judgeView } from '../judge.ts';
import { CALM, IN_USE, OK, UNKNOWN } from '../model.ts';
import { newKey, type Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { standingOf } from '../standing.ts';
import { witness } from '../witnesses.ts';
import { leftBy, tellDone, under } from './command.ts';
import { type Answer, type Deed, type Plan, pick } from './deed.ts';
import { otherBody } from './repeat.ts';

/** Whether it tells that the request was carried out, or may have been. */
const isCarriedOut = ({ code }: Answer): boolean => code === OK || code === UNKNOWN || code.startsWith('CARD_DECLINED');

/** Until the key is free, and with it the deadline of a charge is past. */
const LEASE_OVER_SECONDS = 120;

/** When the second request comes: at the same moment, at a step of the first, or there once its lease is over. */
export interface Moment {
  readonly step: number | null;
  readonly isLeaseOver: boolean;
}

/** One request under one key, to two processes: it is carried out once, and told alike. */
export class Twice implements fc.AsyncCommand<Run, Stage, true> {
  readonly plan: Plan;
  readonly at: string | null;
  readonly isLeaseOver: boolean;

  constructor(plan: Plan, { step, isLeaseOver }: Moment) {
    this.plan = plan;
    this.at = step === null ? null : pick(plan.steps, step);
    this.isLeaseOver = this.at !== null && isLeaseOver;
  }

  check = async (run: Readonly<Run>): Promise<boolean> => run.isOpen && this.plan.pin(run.books(0)) !== null;

  async run(run: Run, stage: Stage): Promise<void> {
    const before = run.books(0);
    const deed = this.plan.pin(before);
    if (deed === null) return;
    const key = newKey();
    const passed = stage.passed;
    const answers = await under(stage, CALM, () => this.#send(stage, deed, key));
    const isLate = stage.passed > passed;
    for (const { code } of answers) witness(`twice ${code}`);
    const done = answers.map((answer) => ({ deed, answer }));
    let attempt: string | null = null;
    await run.look(stage, {
      what: `${this}: ${tellDone(done)}`,
      of: 0,
      touches: 'one',
      judge: (change) => {
        attempt = leftBy(deed, change);
        return [...judgeOnce(change), ...judgeAlike(change, done, isLate)];
      },
    });
    const answer = answers.find(({ code }) => code === OK) ?? answers.find(isCarriedOut) ?? answers[0];
    if (answer === undefined) return;
    run.requests.push({ deed, key, of: 0, answer, attempt: answer.code === UNKNOWN ? attempt : null, heldUntil: 0 });
  }

  async #send(stage: Stage, deed: Deed, key: string): Promise<Answer[]> {
    const elsewhere = await stage.elsewhere();
    if (this.at === null) return Promise.all([deed.perform(stage, key), deed.perform(elsewhere, key)]);
    const answers: Answer[] = [];
    stage.interruption.meanwhile(this.at, async () => {
      if (this.isLeaseOver) await stage.passRealTime(LEASE_OVER_SECONDS);
      answers.push(await deed.perform(elsewhere, key));
    });
    answers.push(await deed.perform(stage, key));
    return answers;
  }

  toString(): string {
    const when = this.at === null ? 'at the same moment' : `at ${this.at}`;
    return `[${this.plan.label}, the same under its key ${when}${this.isLeaseOver ? ' after its lease' : ''}]`;
  }
}

/** Never two of anything. */
function judgeOnce({ before, after }: Change): string[] {
  const made = {
    attempts: after.attempts.length - before.attempts.length,
    parts: after.parts.filter(isAsked).length - before.parts.filter(isAsked).length,
    charges: standingOf(after).charges - standingOf(before).charges,
  };
  return Object.entries(made).flatMap(([what, count]) => (count > 1 ? [`one request made ${count} ${what}`] : []));
}

/** Once one answer tells that it was carried out, no other tells of anything else; else each was refused for itself. */
function judgeAlike(change: Change, done: readonly Done[], isLate: boolean): string[] {
  const { before, after } = change;
  const told = done.find(({ answer }) => answer.code === OK) ?? done.find(({ answer }) => isCarriedOut(answer));
  return done.flatMap((each) => {
    const { deed, answer } = each;
    const alone = told === undefined ? [before, after] : [before];
    const legal = [IN_USE, ...(told === undefined ? [] : [told.answer.code]), ...(isLate ? [UNKNOWN] : [])];
    const isLegal = [...legal, ...alone.flatMap((books) => codesOf(deed, books, CALM))].includes(answer.code);
    return [
      ...(isLegal ? [] : [`${deed.label} under one key cannot be answered ${answer.code} here`]),
      ...(answer.code === IN_USE ? [] : judgePromise(change, each)),
      ...judgeView(answer.body),
      ...(told === undefined ? [] : otherBody(told.answer, answer)),
    ];
  });
}
