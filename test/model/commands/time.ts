import fc from 'fast-check';
import { same } from '../judge.ts';
import type { Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { standingOf } from '../standing.ts';

/** Something that nobody asked the service for: it may not know of it, and no standing changes. */
export class Pass implements fc.AsyncCommand<Run, Stage, true> {
  readonly label: string;
  readonly pass: (stage: Stage) => Promise<unknown>;
  readonly check: (run: Readonly<Run>) => Promise<boolean>;

  constructor(label: string, pass: (stage: Stage) => Promise<unknown>, applies: (run: Readonly<Run>) => boolean) {
    this.label = label;
    this.pass = pass;
    this.check = async (run) => run.isOpen && applies(run);
  }

  async run(run: Run, stage: Stage): Promise<void> {
    await this.pass(stage);
    await run.look(stage, {
      what: this.label,
      of: null,
      touches: 'all',
      judge: ({ before, after }) =>
        same(standingOf(before), standingOf(after)) ? [] : ['the standing changed, and nobody did anything'],
    });
  }

  toString(): string {
    return this.label;
  }
}

const always = (): boolean => true;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** On the account's clock: a return completes after 5 s, a confirmed PIX settles after 60 s, a QR code ends after a day. */
const clockPasses = fc
  .constantFrom(5, MINUTE, HOUR, DAY, DAY + HOUR, 91 * DAY)
  .map((seconds) => new Pass(`clock +${seconds} s`, async (stage) => stage.api.clock.advance(seconds), always));

/** Everywhere else: a charge's deadline is after 20 s, with its margin 25 s; a key is held for 90 s. */
const realTimePasses = fc
  .constantFrom(3, 22, 30, 120)
  .map((seconds) => new Pass(`real time +${seconds} s`, (stage) => stage.passRealTime(seconds), always));

const delayedArrives = fc.constant(
  new Pass(
    'delayed requests arrive',
    (stage) => stage.bank.receivesDelayed(),
    (run) => run.stage.bank.hasDelayed,
  ),
);

export const timePlans: fc.Arbitrary<Pass> = fc.oneof(
  { arbitrary: clockPasses, weight: 3 },
  { arbitrary: realTimePasses, weight: 3 },
  { arbitrary: delayedArrives, weight: 3 },
);
