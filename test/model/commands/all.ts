import fc from 'fast-check';
import type { BankCall } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { CALM, type Trouble, type Weather } from '../model.ts';
import type { Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { payingPlans } from './buyer.ts';
import { cardPlans, pixPlans } from './checkouts.ts';
import { closingPlans } from './closings.ts';
import { Act } from './command.ts';
import { type Plan, pick } from './deed.ts';
import { refundPlans } from './refunds.ts';
import { Repeat } from './repeat.ts';
import { latePlans, returnPlans, stepPlans } from './steps.ts';
import { timePlans } from './time.ts';
import { Meanwhile, Together } from './together.ts';
import { Twice } from './twice.ts';

export type Command = fc.AsyncCommand<Run, Stage, true>;

const plans: fc.Arbitrary<Plan> = fc.oneof(
  { arbitrary: cardPlans, weight: 6 },
  { arbitrary: pixPlans, weight: 5 },
  { arbitrary: payingPlans, weight: 6 },
  { arbitrary: refundPlans, weight: 5 },
  { arbitrary: stepPlans, weight: 6 },
  { arbitrary: closingPlans, weight: 3 },
);

const DELAYABLE: readonly BankCall[] = ['chargeCard', 'refundCard', 'refundPix'];

const troubles = fc
  .record({
    nth: fc.nat({ max: 60 }),
    trouble: fc.constantFrom<Trouble[]>('request_lost', 'answer_lost', 'fault', 'unreachable', 'delayed'),
  })
  .map(({ nth, trouble }) => (plan: Plan): Weather['troubles'] => {
    const call = pick(plan.calls, nth);
    if (call === null) return [];
    return [{ call, trouble: trouble === 'delayed' && !DELAYABLE.includes(call) ? 'answer_lost' : trouble }];
  });

const nthStep = fc.nat({ max: 60 });

/** What a deed meets: mostly nothing. */
const fates = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(() => ({ weather: CALM, crashAt: null })), weight: 11 },
  {
    arbitrary: troubles.map((troublesOf) => (plan: Plan) => ({
      weather: { troubles: troublesOf(plan) },
      crashAt: null,
    })),
    weight: 5,
  },
  {
    arbitrary: nthStep.map((nth) => (plan: Plan) => ({ weather: CALM, crashAt: pick(plan.steps, nth) })),
    weight: 4,
  },
  {
    arbitrary: fc
      .constantFrom<Weather[]>({ troubles: [], refuses: true }, { troubles: [], hides: true })
      .map((weather) => () => ({ weather, crashAt: null })),
    weight: 1,
  },
);

const POINTLESS = ['INVOICE_NOT_OPEN', 'INVALID_STATE', 'PAYMENT_IN_PROGRESS'];

/** Not what could only be refused so: that is asked for now and then. */
const sensible = (plan: Plan): Plan => ({
  ...plan,
  pin: (books) => {
    const deed = plan.pin(books);
    const outcomes = deed?.outcomes(books, CALM);
    return outcomes?.every(({ code, isUntouched }) => isUntouched && POINTLESS.includes(code)) ? null : deed;
  },
});

const actPlans = fc.oneof({ arbitrary: plans.map(sensible), weight: 6 }, { arbitrary: plans, weight: 1 });
const pairPlans = fc.oneof({ arbitrary: plans.map(sensible), weight: 3 }, { arbitrary: plans, weight: 1 });

const acts: fc.Arbitrary<Command> = fc
  .record({ plan: actPlans, fate: fates, isKeyed: fc.boolean(), of: fc.constantFrom(0, 0, 0, 1) })
  .map(({ plan, fate, isKeyed, of }) => new Act(plan, { ...fate(plan), isKeyed, of }));

/** Deeds that want the same money. */
const rivals: fc.Arbitrary<[Plan, Plan]> = fc
  .constantFrom(
    [refundPlans, refundPlans],
    [refundPlans, stepPlans],
    [returnPlans, refundPlans],
    [returnPlans, stepPlans],
    [cardPlans, cardPlans],
    [cardPlans, pixPlans],
    [cardPlans, payingPlans],
    [cardPlans, latePlans],
    [closingPlans, payingPlans],
    [closingPlans, cardPlans],
    [payingPlans, stepPlans],
  )
  .chain(([first, second]) => fc.tuple(first.map(sensible), second.map(sensible)));

const anybody: fc.Arbitrary<[Plan, Plan]> = fc.tuple(pairPlans, pairPlans);

const pairs: fc.Arbitrary<Command> = fc
  .record({
    both: fc.oneof(anybody, rivals),
    nth: fc.option(nthStep, { freq: 3 }),
    troublesOf: fc.oneof({ arbitrary: fc.constant(() => []), weight: 5 }, { arbitrary: troubles, weight: 1 }),
  })
  .map(({ both, nth, troublesOf }) => {
    const [first, second] = both;
    const weather = { troubles: troublesOf(first) };
    const at = nth === null ? null : pick(first.steps, nth);
    return at === null ? new Together(both, weather) : new Meanwhile({ first, second, at, weather });
  });

const repeats: fc.Arbitrary<Command> = fc
  .record({
    nth: fc.constantFrom(0, 0, 1, 2),
    way: fc.constantFrom<Repeat['way'][]>('here', 'here', 'elsewhere', 'unkeyed'),
  })
  .map(({ nth, way }) => new Repeat(nth, way));

const doubles: fc.Arbitrary<Command> = fc
  .record({
    plan: fc.oneof(cardPlans, cardPlans, pixPlans, refundPlans, refundPlans, closingPlans).map(sensible),
    step: fc.option(nthStep, { freq: 3 }),
    isLeaseOver: fc.constantFrom(false, false, true),
  })
  .map(({ plan, ...moment }) => new Twice(plan, moment));

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: acts, weight: 14 },
  { arbitrary: pairs, weight: 7 },
  { arbitrary: doubles, weight: 2 },
  { arbitrary: repeats, weight: 3 },
  { arbitrary: timePlans, weight: 3 },
);
