import { type Answer, answerOf, type WithResponse } from './answer.ts';

interface PageBody<T> {
  has_more: boolean;
  data: T[];
}

/** Where a page begins or ends; empty for the first one. */
interface Cursor {
  starting_after?: string;
  ending_before?: string;
}

type FetchPage<T> = (cursor: Cursor) => Promise<WithResponse<PageBody<T>>>;

/** One page of a list, newest first. */
export class Page<T extends { id: string }> {
  readonly data: readonly T[];
  readonly #rest: List<T> | null;

  constructor(data: readonly T[], rest: List<T> | null) {
    this.data = data;
    this.#rest = rest;
  }

  /** Whether the list goes on after this page (before it, when it was asked with `ending_before`). */
  get hasMore(): boolean {
    return this.#rest !== null;
  }

  /** The page that follows, or null after the last one. With `ending_before` it follows towards the newer objects. */
  async next(): Promise<Page<T> | null> {
    return this.#rest?.page() ?? null;
  }
}

/** A list that is fetched as it is read: `for await` over all of it, or `.page()`, or `.all({ max })`. */
export class List<T extends { id: string }> implements AsyncIterable<T> {
  readonly #fetchPage: FetchPage<T>;
  readonly #isBackward: boolean;
  readonly #cursor: Cursor;

  constructor(fetchPage: FetchPage<T>, params: { ending_before?: string }, cursor: Cursor = {}) {
    this.#fetchPage = fetchPage;
    this.#isBackward = params.ending_before !== undefined;
    this.#cursor = cursor;
  }

  /** The first page alone: at most `limit` objects, 20 by default. */
  page(): Answer<Page<T>> {
    const answer = this.#fetchPage(this.#cursor);
    return answerOf(answer.then(({ data, ...rest }) => ({ data: new Page(data.data, this.#rest(data)), ...rest })));
  }

  /** All objects, but never more than `max` of them. A `limit` of 100 takes the fewest requests. */
  async all({ max }: { max: number }): Promise<T[]> {
    const found: T[] = [];
    if (!(max > 0)) return found;
    for await (const item of this) {
      found.push(item);
      if (found.length >= max) break;
    }
    return found;
  }

  /** Newest first, a page at a time as needed; with `ending_before`, from that object on towards the newer ones. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | null = await this.page(); page; page = await page.next()) {
      yield* this.#isBackward ? page.data.toReversed() : page.data;
    }
  }

  #rest({ has_more, data }: PageBody<T>): List<T> | null {
    const edge = this.#isBackward ? data[0] : data.at(-1);
    if (!has_more || edge === undefined) return null;
    const cursor = this.#isBackward ? { ending_before: edge.id } : { starting_after: edge.id };
    return new List(this.#fetchPage, cursor, cursor);
  }
}
