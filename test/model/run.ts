import { type Books, isUnchanged } from './books.ts';
import type { Answer, Deed } from './commands/deed.ts';
import { impossible, untrueEvents } from './history.ts';
import { findings, unrest } from './invariants.ts';
import type { Change } from './judge.ts';
import type { Stage } from './stage.ts';
import { standingOf, tell } from './standing.ts';

/** A request sent under a key, with what was answered last: a repeat is held to it. */
export interface Keyed {
  readonly deed: Deed;
  readonly key: string;
  readonly of: number;
  answer: Answer;
  /** The attempt or part that it left, whose outcome a repeat is answered. */
  attempt: string | null;
  /** Until when a process that died holds the key, as the stage counts real time. */
  heldUntil: number;
}

interface Look {
  readonly what: string;
  readonly of: number | null;
  readonly touches: 'one' | 'all';
  readonly judge?: (change: Change) => string[];
}

export const COMMANDS_MAX = 15;

let keys = 0;
export const newKey = (): string => {
  keys += 1;
  return `model-${process.pid}-${keys}`;
};

/** One interleaving: what is known of its invoices, and what their merchant was answered. */
export class Run {
  readonly stage: Stage;
  readonly invoices: readonly string[];
  #books: readonly Books[];
  readonly requests: Keyed[] = [];
  readonly #told: string[] = [];

  private constructor(stage: Stage, invoices: readonly string[], books: readonly Books[]) {
    this.stage = stage;
    this.invoices = invoices;
    this.#books = books;
  }

  static async open(stage: Stage, amounts: readonly number[]): Promise<Run> {
    const invoices = await stage.newInvoices(amounts);
    return new Run(stage, invoices, await Promise.all(invoices.map((id) => stage.read(id))));
  }

  /** Whether it is not long enough yet: commands that nothing applies to are drawn and passed over. */
  get isOpen(): boolean {
    return this.#told.length < COMMANDS_MAX;
  }

  /** Of the n-th invoice, however few there are. */
  books(nth: number): Books {
    const books = this.#books[nth % this.#books.length];
    if (books === undefined) throw new Error('a run has an invoice');
    return books;
  }

  /**
   * Looks at the books after something was done, and fails on whatever cannot be. `of`: the invoice it was done to; null:
   * to all of them. `touches`: whether it may have changed the others too.
   */
  async look(stage: Stage, { what, of, touches, judge }: Look): Promise<void> {
    const before = this.#books;
    const after = await Promise.all(this.invoices.map((id) => stage.read(id)));
    this.#books = after;
    this.#told.push(what);
    const found = after.flatMap((books, index) => {
      const was = before[index] ?? books;
      const isMeant = of === null || of % after.length === index;
      const judged = isMeant ? (judge?.({ before: was, after: books }) ?? []) : [];
      const strayed = isMeant || touches === 'all' ? [] : changed(was, books);
      const { cases } = stage.worker;
      return [...judged, ...strayed, ...findings(books, cases), ...impossible(was, books), ...untrueEvents(books)];
    });
    if (found.length > 0) throw new Error(this.#report(found, before));
  }

  /** Everything has ended: whatever was unknown is known, and whatever was too much is back. */
  settled(): void {
    const found = this.#books.flatMap(unrest);
    if (found.length > 0) throw new Error(this.#report(found, this.#books));
  }

  #report(found: readonly string[], before: readonly Books[]): string {
    const standings = (books: readonly Books[]): string => books.map((each) => tell(standingOf(each))).join(' | ');
    return [
      ...found.map((sentence) => `- ${sentence}`),
      `before: ${standings(before)}`,
      `after: ${standings(this.#books)}`,
      'what was done:',
      ...this.#told.map((what, index) => `${index + 1}. ${what}`),
    ].join('\n');
  }
}

const changed = (was: Books, is: Books): string[] =>
  isUnchanged(was, is) ? [] : [`${is.invoice.id} changed, which nothing was done to`];
