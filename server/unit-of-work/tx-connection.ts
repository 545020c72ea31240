import type pg from 'pg';
import { ask } from '../db/ask.ts';
import { EVERYBODY, goOnIn, type Owner, ReachingQuery, reachOf } from '../db/reach.ts';
import { type Keyed, placed, type Statement, sendAlone, type Values, type Write } from '../db/statement.ts';
import { codeOf } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';
import { LookUps } from './look-ups.ts';
import { contended, StaleIds } from './repeats.ts';
import { COMMITS_WITHIN_MS, REACHES_WITHIN_MS } from './watermark.ts';

const IN_FAILED_TRANSACTION = '25P02';

/** What is set ahead of it is set in the same transaction, which it makes one of several statements; prepared, it is never parsed again. */
const BEGIN = { name: 'begin', text: 'BEGIN', values: [] };

/** The connection of one transaction: BEGIN goes out with its first statement, and its writes together with COMMIT. */
export class TxConnection {
  readonly #client: pg.PoolClient;
  readonly #owner: Required<Owner>;
  readonly #madeAtMs = realTimeMs();
  readonly #lookUps = new LookUps((prepared, values) => this.#send(prepared, values));
  #begun: Promise<unknown> | null = null;
  #fault: { readonly error: unknown } | null = null;
  /** From then on its connection is another's: a part of the work that still goes on beside the one that failed reads nothing there. */
  #isOver = false;

  constructor(client: pg.PoolClient, { accountId, liveMode }: Required<Owner>) {
    this.#client = client;
    this.#owner = { accountId, liveMode };
  }

  query<Row>(prepared: Statement<Row>, values: Values): Promise<Row[]> {
    this.#lookUps.send();
    return this.#send(prepared, values);
  }

  find<Row extends object>(statements: Keyed<Row>, key: string): Promise<Row | undefined> {
    return this.#lookUps.find(statements, key);
  }

  /** What made the transaction fail: statements that were sent behind the one that failed say only that it did. */
  faultBehind(error: unknown): unknown {
    return codeOf(error) === IN_FAILED_TRANSACTION && this.#fault !== null ? this.#fault.error : error;
  }

  /** Events are told near the instants of their ids. */
  refuseLateFacts(): void {
    if (realTimeMs() - this.#madeAtMs > COMMITS_WITHIN_MS) throw contended();
  }

  /** Sends each write as a statement, the last with COMMIT; false: there was nothing to send, and nothing to commit. */
  async commit(writes: readonly Write[]): Promise<boolean> {
    this.#end();
    const [single] = writes;
    if (single === undefined && this.#begun === null) return false;
    await (this.#begun === null && single !== undefined && writes.length === 1
      ? this.#alone(single)
      : this.#last(writes));
    return true;
  }

  async rollback(): Promise<void> {
    this.#end();
    if (this.#begun === null) return;
    await ask(this.#client, 'ROLLBACK');
  }

  #end(): void {
    this.#isOver = true;
    this.#lookUps.end();
  }

  #send<Row>(prepared: Statement<Row>, values: Values): Promise<Row[]> {
    if (this.#isOver) return Promise.reject(new Error(`the transaction ended before ${prepared.name} was asked`));
    this.#begin();
    const write = { statement: prepared, values: placed(prepared, values, this.#owner) };
    const isAcross = prepared.isAcross === true;
    const answered = sendAlone<Row>(this.#client, isAcross ? { ...write, reach: EVERYBODY } : write);
    answered.catch((error: unknown) => {
      this.#fault ??= { error };
    });
    // In the same packet; where it fails, so does the transaction.
    if (isAcross) ask(this.#client, goOnIn(reachOf(this.#owner))).catch(() => {});
    return answered;
  }

  #begin(): void {
    if (this.#begun !== null) return;
    this.#refuseLate();
    // Sent ahead of the first statement in the same packet; its failure shows in that statement as well.
    this.#begun = ask(this.#client, new ReachingQuery(BEGIN, reachOf(this.#owner)));
    this.#begun.catch(() => {});
  }

  /** A reader may be past ids that were made long before the database knows of the transaction. */
  #refuseLate(): void {
    if (realTimeMs() - this.#madeAtMs > REACHES_WITHIN_MS) throw new StaleIds();
  }

  /** Alone on its connection, it is its own transaction. */
  async #alone(write: Write): Promise<void> {
    this.#refuseLate();
    await sendAlone(this.#client, { ...write, reach: reachOf(this.#owner) });
  }

  async #last(writes: readonly Write[]): Promise<void> {
    this.#begin();
    // They belong to the transaction, which has its reach.
    const sent = writes.map((write) => sendAlone(this.#client, { ...write, reach: null }));
    const committed = ask(this.#client, 'COMMIT');
    // All are on the wire: those behind one that fails must not be left unhandled.
    for (const other of [...sent, committed]) other.catch(() => {});
    for (const write of sent) await write;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`);
  }
}
