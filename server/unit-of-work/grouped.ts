import type { Transaction } from './transaction.ts';
import type { Scope, Tx } from './tx.ts';

/** Works of one account that share a transaction at most, and how long the first of them waits for others. Milliseconds. */
const GROUP_MAX = 32;
const GROUP_WAIT_MS = 10;
/** An account whose groups failed so often has a transaction for each work from then on. */
const FAILURES_MAX = 2;

/**
 * A transaction that works of one account may share; `of` is what a work is about, a subscription or a bill of none. Two of the
 * same are never in one group: what a work reads is what stands in the database, not what another one is about to write.
 */
export type Grouped = <T>(scope: Scope, of: string, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Each work in a transaction of its own. */
export const ungrouped =
  (transaction: Transaction): Grouped =>
  (scope, _of, work) =>
    transaction(scope, work);

interface Work {
  readonly scope: Scope;
  readonly of: string;
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly done: PromiseWithResolvers<unknown>;
}

interface GroupTools {
  readonly transaction: Transaction;
  readonly logger: { warn(of: object, message: string): void };
  readonly metrics: { readonly groupsSplit: { inc(): void } };
}

/**
 * Transactions that a run shares between works of one account that come at the same moment: one commit carries all of them, and
 * what they look up by key is read together (docs/design/transactions.md#many-at-once). Where one of them fails, everything is
 * rolled back and each is done in a transaction of its own: that one alone fails.
 */
export function groupTransactions(tools: GroupTools): Grouped {
  const groups = new Groups(tools);
  // A work answers through the promise what it was asked for.
  return <T>(scope: Scope, of: string, work: (tx: Tx) => Promise<T>) => groups.add(scope, of, work) as Promise<T>;
}

const ownerOf = ({ accountId, liveMode }: Scope): string => `${accountId} ${liveMode}`;

class Groups {
  readonly #tools: GroupTools;
  readonly #gathering = new Map<string, Work[]>();
  readonly #failures = new Map<string, number>();

  constructor(tools: GroupTools) {
    this.#tools = tools;
  }

  add(scope: Scope, of: string, work: (tx: Tx) => Promise<unknown>): Promise<unknown> {
    const owner = ownerOf(scope);
    if ((this.#failures.get(owner) ?? 0) >= FAILURES_MAX) return this.#tools.transaction(scope, work);
    const gathering = this.#gathering.get(owner);
    if (gathering?.some((work) => work.of === of)) this.#close(owner, gathering);
    const group = this.#gathering.get(owner) ?? this.#begin(owner);
    const done = Promise.withResolvers<unknown>();
    group.push({ scope, of, work, done });
    if (group.length >= GROUP_MAX) this.#close(owner, group);
    return done.promise;
  }

  #begin(owner: string): Work[] {
    const group: Work[] = [];
    this.#gathering.set(owner, group);
    setTimeout(() => this.#close(owner, group), GROUP_WAIT_MS);
    return group;
  }

  #close(owner: string, group: readonly Work[]): void {
    if (this.#gathering.get(owner) !== group) return;
    this.#gathering.delete(owner);
    void this.#do(owner, group);
  }

  async #do(owner: string, group: readonly Work[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    if (group.length === 1) return this.#alone(first);
    try {
      const answers = await this.#tools.transaction(first.scope, (tx) => together(tx, group));
      for (const [place, { done }] of group.entries()) done.resolve(answers[place]);
    } catch (error) {
      this.#tools.logger.warn(
        { err: error, works: group.length },
        'a shared transaction failed: each work has its own',
      );
      this.#tools.metrics.groupsSplit.inc();
      this.#failures.set(owner, (this.#failures.get(owner) ?? 0) + 1);
      for (const work of group) void this.#alone(work);
    }
  }

  #alone({ scope, work, done }: Work): Promise<void> {
    return this.#tools.transaction(scope, work).then(done.resolve, done.reject);
  }
}

/** All of them begin in one tick and go on side by side, so that they look up together what they look up. */
async function together(tx: Tx, group: readonly Work[]): Promise<unknown[]> {
  const answers = await Promise.allSettled(group.map(({ work }) => work(tx)));
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
}
