import type fc from 'fast-check';
import type { Books } from '../books.ts';
import { type Change, codesOf, type Done, judgeOutcome } from '../judge.ts';
import type { Weather } from '../model.ts';
import type { Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { witness } from '../witnesses.ts';
import { judgeDone, tellDone, under } from './command.ts';
import type { Deed, DeedKind, Plan } from './deed.ts';

/** Refusals that only deeds at the same moment lead to. */
const contention: Readonly<Record<DeedKind, readonly string[]>> = {
  card: ['PAYMENT_IN_PROGRESS', 'PIX_PAYMENT_CONFIRMED'],
  pix: ['PAYMENT_IN_PROGRESS', 'PIX_PAYMENT_CONFIRMED'],
  close: ['PAYMENT_IN_PROGRESS'],
  refund: ['REFUND_EXCEEDS_BALANCE'],
  pay_pix: [],
  step: [],
};

/** Whether the answer is one that the deed might get alone at some of these moments, or only among others. */
function judgeAmong(
  { deed, answer }: Done,
  { moments, weather, isLate = false }: { moments: Books[]; weather: Weather; isLate?: boolean },
): string[] {
  // A charge that comes too late is not made, and its caller hears nothing of use.
  const late = isLate && deed.kind === 'card' ? ['ACQUIRER_TIMEOUT'] : [];
  const legal = [...moments.flatMap((books) => codesOf(deed, books, weather)), ...contention[deed.kind], ...late];
  return legal.includes(answer.code) ? [] : [`${deed.label} cannot be answered ${answer.code} here`];
}

const touchesAll = (deed: Deed, books: Books, weather: Weather): boolean => deed.outcomes(books, weather) === null;

/** Two deeds at the same moment. */
export class Together implements fc.AsyncCommand<Run, Stage, true> {
  readonly plans: readonly [Plan, Plan];
  readonly weather: Weather;

  constructor(plans: readonly [Plan, Plan], weather: Weather) {
    this.plans = plans;
    this.weather = weather;
  }

  check = async (run: Readonly<Run>): Promise<boolean> =>
    run.isOpen && this.plans.every((plan) => plan.pin(run.books(0)) !== null);

  async run(run: Run, stage: Stage): Promise<void> {
    const { weather } = this;
    const before = run.books(0);
    const deeds = this.plans.flatMap((plan) => plan.pin(before) ?? []);
    const done = await under(stage, weather, () =>
      Promise.all(deeds.map(async (deed): Promise<Done> => ({ deed, answer: await deed.perform(stage, null) }))),
    );
    await run.look(stage, {
      what: `${this}: ${tellDone(done)}`,
      of: 0,
      touches: deeds.some((deed) => touchesAll(deed, before, weather)) ? 'all' : 'one',
      judge: (change) => [
        ...done.flatMap((each) => judgeAmong(each, { moments: [before, change.after], weather })),
        ...judgeDone(change, done),
      ],
    });
  }

  toString(): string {
    const [first, second] = this.plans;
    return `[${first.label} & ${second.label}]${tellWeather(this.weather)}`;
  }
}

interface Seen {
  readonly before: Books;
  readonly first: Done;
  /** What was done meanwhile, with the books as it found them; null: the first never came to that step. */
  readonly between: { readonly books: Books; readonly done: Done } | null;
  /** Whether the deadline of a charge passed meanwhile. */
  readonly isLate: boolean;
}

/** One deed while another is at one of its steps: it sees what that one left there. */
export class Meanwhile implements fc.AsyncCommand<Run, Stage, true> {
  readonly first: Plan;
  readonly second: Plan;
  readonly at: string;
  readonly weather: Weather;

  constructor({ first, second, at, weather }: { first: Plan; second: Plan; at: string; weather: Weather }) {
    this.first = first;
    this.second = second;
    this.at = at;
    this.weather = weather;
  }

  check = async (run: Readonly<Run>): Promise<boolean> => run.isOpen && this.first.pin(run.books(0)) !== null;

  async run(run: Run, stage: Stage): Promise<void> {
    const { weather } = this;
    const before = run.books(0);
    const first = this.first.pin(before);
    if (first === null) return;
    const passed = stage.passed;
    let between: { readonly books: Books; readonly done: Done } | null = null;
    const answer = await under(stage, weather, () => {
      stage.interruption.meanwhile(this.at, async () => {
        const books = await stage.read(before.invoice.id);
        const deed = this.second.pin(books);
        if (deed !== null) between = { books, done: { deed, answer: await deed.perform(stage, null) } };
      });
      return first.perform(stage, null);
    });
    const isLate = stage.passed > passed;
    await this.#look(run, stage, { before, first: { deed: first, answer }, between, isLate });
  }

  async #look(run: Run, stage: Stage, { before, first, between, isLate }: Seen): Promise<void> {
    const { weather } = this;
    if (between !== null) witness(`meanwhile at ${this.at}`);
    const done = between === null ? [first] : [between.done, first];
    const moments = [before, ...(between === null ? [] : [between.books])];
    const judge = (change: Change): string[] =>
      between === null
        ? judgeOutcome(change, first.answer.code, first.deed.outcomes(before, weather))
        : [
            ...judgeAmong(first, { moments: [...moments, change.after], weather, isLate }),
            ...judgeAlone(between.done, between.books, weather),
          ];
    await run.look(stage, {
      what: `${this}: ${tellDone(done)}`,
      of: 0,
      touches: done.some(({ deed }) => touchesAll(deed, moments.at(-1) ?? before, weather)) ? 'all' : 'one',
      judge: (change) => [...judge(change), ...judgeDone(change, done)],
    });
  }

  toString(): string {
    return `[${this.first.label}, at ${this.at}: ${this.second.label}]${tellWeather(this.weather)}`;
  }
}

/** Nobody else moves while the other deed stands still. */
function judgeAlone({ deed, answer }: Done, books: Books, weather: Weather): string[] {
  if (codesOf(deed, books, weather).includes(answer.code)) return [];
  return [`${deed.label} cannot be answered ${answer.code} between the steps of the other`];
}

const tellWeather = ({ troubles }: Weather): string =>
  troubles.map(({ call, trouble }) => ` (${call} ${trouble})`).join('');
