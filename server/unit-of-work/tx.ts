import type pg from 'pg';
import type { EventType } from '../../contract/events.ts';
import { differs, type LoggedChange, logEntry, logWrite, type Origin, THE_SERVICE } from '../audit-log/audit-log.ts';
import { combine, type Keyed, placed, type Statement, type Values, type Write } from '../db/statement.ts';
import type { AccountTerms, RefundBound } from '../kernel/account.ts';
import { missing } from '../kernel/errors.ts';
import type { Links } from '../kernel/links.ts';
import type { Clock, ClockScope, Timestamp } from '../kernel/time.ts';
import type { Tracing } from '../kernel/tracing.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { BusinessCounts } from './counts.ts';
import { type Fact, factWrites, freeze, type OutboxEntry, outboxWrites, type ResourceView } from './facts.ts';
import { beforeCommit, type Hook, type Reactions } from './hooks.ts';
import type { Idempotency } from './idempotency.ts';
import { KeptRows } from './kept-rows.ts';
import { WriteConflict } from './repeats.ts';
import type { NewRow, Scoped, Table, Told } from './table.ts';
import { TxConnection } from './tx-connection.ts';
import type { Watermark } from './watermark.ts';

/** Whose data a request reads and changes, and under which Idempotency-Key. */
export interface Scope extends ClockScope {
  /** The account's terms when the work began. */
  readonly account: AccountTerms;
  readonly idempotency?: Idempotency | undefined;
  /** Whether lists may be some seconds late; absent: they show what is there. */
  readonly reads?: 'eventual' | undefined;
  /** Who asked; absent: nobody did, it fell due. */
  readonly origin?: Origin | undefined;
  /** From where the buyer of a page asks, who agrees to what it says; absent: no buyer does. */
  readonly buyerAddress?: string | undefined;
  /** What whoever asked gives back of one payment; absent: as much as was paid. */
  readonly refunds?: RefundBound | undefined;
}

/** What a transaction is made of; built once in the composition root. */
export interface TxDeps {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly reactions: Reactions;
  readonly watermark: Watermark;
  readonly links: Links;
  readonly secretBox: SecretBox;
  /** The scope of an account's mode as it stands. */
  readonly readScope: (of: ClockScope) => Promise<Scope>;
  /** Called after a commit that recorded facts or asked for workflows. */
  readonly wake: (of: ClockScope, what: { facts: boolean; outbox: boolean }) => void;
  readonly business: BusinessCounts;
  readonly tracing: Tracing;
}

/**
 * One transaction of a use case. Reads go out at once; what changed of the rows that it keeps, facts, outbox rows and plain
 * writes are sent together with COMMIT.
 */
export class Tx {
  readonly scope: Scope;
  #deps: TxDeps;
  #now: Timestamp | null = null;
  /** No earlier than the last events of the rows that were locked before it was asked for. */
  #notBefore: Timestamp;
  readonly #connection: TxConnection;
  #facts: Fact[] = [];
  #outbox: OutboxEntry[] = [];
  #writes: Write[] = [];
  readonly #written = new Map<Statement, unknown[]>();
  /** Of the audit log. */
  readonly #entries: string[] = [];
  readonly #rows: KeptRows;
  readonly #counts: ((business: BusinessCounts) => void)[] = [];
  readonly #answers = new Map<string, Promise<unknown>>();
  /** What the answer is of, for the log. */
  #answered: string | null = null;

  constructor(deps: TxDeps, scope: Scope, { client, notBefore }: { client: pg.PoolClient; notBefore: Timestamp }) {
    this.#deps = deps;
    this.#rows = new KeptRows(deps.secretBox);
    this.#connection = new TxConnection(client, scope);
    this.scope = scope;
    this.#notBefore = notBefore;
  }

  /** The account's instant, fixed for the whole transaction when it is first asked for. */
  get now(): Timestamp {
    this.#now ??= Math.max(this.#notBefore, this.#deps.clock.now(this.scope));
    return this.#now;
  }

  /** Dates what follows at an instant that has passed, before anybody asks for `now`; never before what its rows tell already. */
  dateBack(instant: Timestamp): void {
    const passed = Math.min(instant, this.#deps.clock.now(this.scope));
    const now = Math.max(this.#notBefore, passed);
    if (this.#now !== null && this.#now !== now) throw new Error('a transaction was dated before it was dated back');
    this.#now = now;
  }

  get links(): Links {
    return this.#deps.links;
  }

  /** Opens what statements of the caller's read, and hashes what they look for. */
  get secretBox(): SecretBox {
    return this.#deps.secretBox;
  }

  /** What other domains do at a hook, in their order. */
  reactionsAt<Work>({ name }: Hook<Work>): readonly Work[] {
    const works = this.#deps.reactions.get(name);
    if (works === undefined) throw new Error(`nobody said who reacts at ${name}`);
    // `at` takes works of the form of their hook alone.
    return works as readonly Work[];
  }

  /** Runs a prepared statement in the transaction, behind all that was asked for before it. */
  query<Row>(prepared: Statement<Row>, values: Values): Promise<Row[]> {
    return this.#connection.query(prepared, values);
  }

  /** The row of a key. Rows that are asked for at once are read by one statement (docs/design/transactions.md#many-at-once). */
  find<Row extends object>(statements: Keyed<Row>, key: string): Promise<Row | undefined> {
    return this.#connection.find(statements, key);
  }

  /** The row of an id, locked until the transaction ends; 404 where the account's mode has none. Asked for again: the same object. */
  async lock<Row extends { id: string }>(table: Table<Row>, id: string): Promise<Row> {
    const known = this.#rows.find(table, id);
    if (known !== null) return known;
    const row = await this.find(table.lock, id);
    if (row === undefined) throw missing(table.noun, id);
    return this.keep(table, row);
  }

  /** The row of an id, where the transaction has locked or made it already; else null. */
  kept<Row extends { id: string }>(table: Table<Row>, id: string): Row | null {
    return this.#rows.find(table, id);
  }

  /** Keeps a row that a statement of the caller's read behind a lock: what changes of it is written with the commit. */
  keep<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    const kept = this.#rows.keep(table, row);
    this.#notBefore = Math.max(this.#notBefore, this.#rows.ofId(row.id)?.lastEventAt ?? 0);
    return kept;
  }

  /** Keeps a new row of the account's mode, created now: it is inserted with the commit, as it stands then. */
  insert<Row extends Scoped>(table: Table<Row>, row: NewRow<Row>): Row {
    const { accountId, liveMode } = this.scope;
    // Put together, they are all of a row.
    return this.#rows.insert(table, { ...table.blank, ...row, accountId, liveMode, created: this.now } as Row);
  }

  /** What `read` answered the first time in this transaction, for what cannot change in it. */
  once<T>(key: string, read: () => Promise<T>): Promise<T> {
    // One key has one reader.
    const known = (this.#answers.get(key) as Promise<T> | undefined) ?? read();
    this.#answers.set(key, known);
    return known;
  }

  /** A statement to be sent with COMMIT; it must touch no row that the transaction keeps. */
  write(prepared: Statement<unknown>, values: Values): void {
    this.#writes.push(this.#writeOf(prepared, values));
  }

  #writeOf(prepared: Statement<unknown>, values: Values): Write {
    return { statement: prepared, values: placed(prepared, values, this.scope) };
  }

  /** The same of a statement that takes the rows of a transaction as `:rows`, as JSON. */
  writeRow(prepared: Statement, row: unknown): void {
    const known = this.#written.get(prepared);
    if (known === undefined) this.#written.set(prepared, [row]);
    else known.push(row);
  }

  /**
   * Records a fact of a row that the transaction keeps: its frozen text, and its deliveries to the endpoints that subscribe
   * (docs/product/events.md#frozen-body). It is found by the objects that its resource shows, and by those of `alsoOf`.
   */
  record(type: EventType, view: ResourceView, alsoOf: readonly (string | null)[] = []): void {
    const row = this.#rows.ofId(view.id);
    if (row === null) throw new Error(`${type} tells of ${view.id}, which the transaction does not keep`);
    const { lastEventId = null, lastEventAt } = row;
    if ((lastEventAt ?? 0) > this.now) throw new WriteConflict(lastEventAt ?? 0);
    const { liveMode } = this.scope;
    const fact = freeze(type, view, { created: this.now, liveMode, after: lastEventId, alsoOf });
    Object.assign(row, { lastEventId: fact.id, lastEventAt: this.now } satisfies Told);
    this.#facts.push(fact);
  }

  /** Lets others say what else comes of what was recorded, once the work is done. */
  async follow(): Promise<void> {
    if (this.#facts.length === 0) return;
    for (const react of this.reactionsAt(beforeCommit)) await react(this, this.#facts);
  }

  /** Asks for a workflow once the transaction has committed. */
  enqueue(entry: OutboxEntry): void {
    this.#outbox.push(entry);
  }

  /** Counts what the transaction does, once it has committed. */
  count(work: (business: BusinessCounts) => void): void {
    this.#counts.push(work);
  }

  /** Says in the audit log who changed a setting, in the transaction of the change; of a change of nothing it says nothing. */
  log(change: Omit<LoggedChange, 'account' | 'liveMode'>): void {
    if (!differs(change)) return;
    const { accountId: account, liveMode, origin = THE_SERVICE } = this.scope;
    this.#entries.push(logEntry(origin, { ...change, account, liveMode }));
  }

  /** Stores `view` as the answer of the request's Idempotency-Key, in the transaction of its effect. */
  answer<T>(view: T, status?: number): T {
    if (typeof view === 'object' && view !== null && 'id' in view) this.#answered = String(view.id);
    const stored = this.scope.idempotency?.answerWrite(view, status);
    if (stored) this.#writes.push(stored);
    return view;
  }

  /** Keeps the Idempotency-Key for what a later transaction learns the outcome of, by its reference. */
  lease(reference: string): void {
    const stored = this.scope.idempotency?.leaseWrite(reference);
    if (stored) this.#writes.push(stored);
  }

  async commit(): Promise<void> {
    if (this.#facts.length > 0) this.#connection.refuseLateFacts();
    const { traceparent } = this.#deps.tracing;
    const rows = this.#rows.writes(this.scope.clock);
    const changes = [
      ...rows.rest,
      ...this.#writes,
      ...[...this.#written].map(([prepared, rows]) => this.#writeOf(prepared, { rows: JSON.stringify(rows) })),
      ...factWrites(this.scope, this.#facts, { created: this.now, traceparent }),
      ...outboxWrites(this.scope, this.#outbox, traceparent),
    ];
    if (rows.first.length + changes.length > 0) this.#logAsked();
    const rest = this.#entries.length === 0 ? changes : [...changes, logWrite(this.#entries)];
    const batches = [rows.first, rest].filter((batch) => batch.length > 0).map(combine);
    if (!(await this.#connection.commit(batches))) return;
    if (this.#entries.length > 0 && this.scope.origin?.asked !== undefined) this.scope.origin.asked.isTold = true;
    for (const count of this.#counts) count(this.#deps.business);
    const woken = {
      facts: this.#facts.length > 0,
      outbox: this.#outbox.some((entry) => (entry.afterSeconds ?? 0) === 0),
    };
    if (woken.facts || woken.outbox) this.#deps.wake(this.scope, woken);
  }

  /** Tells what a person asked for beside the first change, where nothing else tells of it. */
  #logAsked(): void {
    const { asked } = this.scope.origin ?? {};
    if (asked === undefined || asked.isTold || this.#entries.length > 0) return;
    const { operation: action, object, values: after } = asked;
    this.log({ action, object: object ?? this.#answered, before: null, after });
  }

  rollback(): Promise<void> {
    return this.#connection.rollback();
  }

  /** What made the transaction fail: statements that were sent behind the one that failed say only that it did. */
  faultBehind(error: unknown): unknown {
    return this.#connection.faultBehind(error);
  }
}
