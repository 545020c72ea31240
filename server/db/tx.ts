import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { EventType } from '../../contract/events.ts';
import type { AccountTerms } from '../kernel/account.ts';
import { BillingError } from '../kernel/errors.ts';
import { type Clock, type ClockScope, realTimeMs, type Timestamp } from '../kernel/time.ts';
import { type EntityManager, joinTransaction, run, scopedEm } from './database.ts';
import { type Fact, factWrites, freeze, type OutboxEntry, outboxWrites, type ResourceView } from './facts.ts';
import type { Idempotency } from './idempotency.ts';
import { combine, type Statement, type Write } from './statement.ts';

/** Whose data a request reads and changes, and under which Idempotency-Key. */
export interface Scope extends ClockScope {
  /** The account's terms when the work began. */
  readonly account: AccountTerms;
  readonly idempotency?: Idempotency | undefined;
}

/** What a transaction is made of; built once in the composition root. */
export interface TxDeps<Reactions> {
  readonly pool: pg.Pool;
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly reactions: Reactions;
  /** The scope of an account's mode as it stands. */
  readonly readScope: (of: ClockScope) => Promise<Scope>;
  /** Called after a commit that recorded facts or asked for workflows. */
  readonly wake: (what: { facts: boolean; outbox: boolean }) => void;
}

/** One transaction of a use case. Reads go out at once; facts, outbox rows and plain writes are sent together with COMMIT. */
export class Tx<Reactions = unknown> {
  readonly scope: Scope;
  /** The account's instant, fixed for the whole transaction. */
  readonly now: Timestamp;
  readonly reactions: Reactions;
  #deps: TxDeps<Reactions>;
  #client: pg.PoolClient;
  #begun: Promise<unknown> | null = null;
  #em: EntityManager | null = null;
  #facts: Fact[] = [];
  #outbox: OutboxEntry[] = [];
  #writes: Write[] = [];

  constructor(deps: TxDeps<Reactions>, scope: Scope, client: pg.PoolClient) {
    this.#deps = deps;
    this.#client = client;
    this.scope = scope;
    this.reactions = deps.reactions;
    this.now = deps.clock.now(scope);
  }

  /** The ORM on this transaction, held to its account and mode. */
  get em(): EntityManager {
    if (this.#em === null) {
      this.#begin();
      this.#em = scopedEm(this.#deps.orm, this.scope);
      joinTransaction(this.#em, this.#client);
    }
    return this.#em;
  }

  /** Runs a prepared statement in the transaction. */
  query<Row extends pg.QueryResultRow>(prepared: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.#begin();
    return run<Row>(this.#client, prepared, values);
  }

  /** A statement to be sent with COMMIT, after the ORM's own changes. */
  write(prepared: Statement, values: readonly unknown[]): void {
    this.#writes.push({ statement: prepared, values });
  }

  /**
   * Records a fact: its frozen text, and its deliveries to the endpoints that subscribe (decisions §4). It is found by the
   * objects that its resource shows, and by those of `alsoOf`.
   */
  record(type: EventType, view: ResourceView, alsoOf: readonly (string | null)[] = []): void {
    this.#facts.push(freeze(type, view, { created: this.now, liveMode: this.scope.liveMode, alsoOf }));
  }

  /** Asks for a workflow once the transaction has committed. */
  enqueue(entry: OutboxEntry): void {
    this.#outbox.push(entry);
  }

  /** Stores `view` as the answer of the request's Idempotency-Key, in the transaction of its effect. */
  answer<T>(view: T, status?: number): T {
    const stored = this.scope.idempotency?.answerWrite(view, status);
    if (stored) this.#writes.push(stored);
    return view;
  }

  /** Keeps the Idempotency-Key for an attempt whose outcome a later transaction learns. */
  lease(attemptId: string): void {
    const stored = this.scope.idempotency?.leaseWrite(attemptId);
    if (stored) this.#writes.push(stored);
  }

  async commit(): Promise<void> {
    if (this.#em !== null) await this.#em.flush();
    const writes = [
      ...this.#writes,
      ...factWrites(this.scope, this.now, this.#facts),
      ...outboxWrites(this.scope, this.#outbox),
    ];
    if (writes.length === 0 && this.#begun === null) return;
    const pending = writes.length === 0 ? null : combine(writes);
    await (this.#begun === null ? this.#single(pending) : this.#last(pending));
    const woken = {
      facts: this.#facts.length > 0,
      outbox: this.#outbox.some((entry) => (entry.afterSeconds ?? 0) === 0),
    };
    if (woken.facts || woken.outbox) this.#deps.wake(woken);
  }

  async rollback(): Promise<void> {
    if (this.#begun === null) return;
    await this.#client.query('ROLLBACK');
  }

  #begin(): void {
    if (this.#begun !== null) return;
    // Sent ahead of the first statement in the same packet; its failure shows in that statement as well.
    this.#begun = this.#client.query('BEGIN');
    this.#begun.catch(() => {});
  }

  /** A lone statement is its own transaction. */
  async #single(write: Write | null): Promise<void> {
    if (write !== null) await run(this.#client, write.statement, write.values);
  }

  async #last(write: Write | null): Promise<void> {
    const written = write === null ? null : run(this.#client, write.statement, write.values);
    const committed = this.#client.query('COMMIT');
    // Both are on the wire: the second must not be left unhandled when the first fails.
    committed.catch(() => {});
    if (written !== null) await written;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`);
  }
}

/** Runs a use case in one transaction, again when the database asks for it. */
export type Transaction<Reactions> = <T>(scope: Scope, work: (tx: Tx<Reactions>) => Promise<T>) => Promise<T>;

const contended = (): BillingError =>
  new BillingError('SERVICE_UNAVAILABLE', { message: 'Others change the same objects at this moment; repeat shortly' });

/** A clock that was read longer ago may have been moved, as by an advance that a call to an acquirer outlasted. Milliseconds. */
const CLOCK_FRESH_MS = 100;

async function withFreshAccount<Reactions>(deps: TxDeps<Reactions>, scope: Scope): Promise<Scope> {
  const { readAtMs = Number.NEGATIVE_INFINITY } = scope.clock;
  if (scope.liveMode || realTimeMs() - readAtMs < CLOCK_FRESH_MS) return scope;
  return { ...scope, ...(await deps.readScope(scope)) };
}

const TRIES_MAX = 3;
const PAUSE_MAX_MS = 20;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

const isRepeatable = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);

async function attempt<Reactions, T>(
  deps: TxDeps<Reactions>,
  scope: Scope,
  work: (tx: Tx<Reactions>) => Promise<T>,
): Promise<T> {
  const fresh = await withFreshAccount(deps, scope);
  const client = await deps.pool.connect();
  let broken = false;
  const tx = new Tx(deps, fresh, client);
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback().catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The only way into a transaction (design, rule 2): a deadlock or serialization failure repeats it, three times in all. */
export function createTransaction<Reactions>(deps: TxDeps<Reactions>): Transaction<Reactions> {
  return async (scope, work) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(deps, scope, work);
      } catch (error) {
        if (!isRepeatable(error)) throw error;
        if (tries >= TRIES_MAX) throw contended();
        // Those who met once must not meet again at the same step.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MAX_MS * tries));
      }
    }
  };
}
