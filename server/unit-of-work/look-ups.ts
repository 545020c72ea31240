import type { Keyed, Statement, Values } from '../db/statement.ts';

type Send = <Row>(prepared: Statement<Row>, values: Values) => Promise<Row[]>;

interface Asked {
  readonly statements: Keyed<object>;
  readonly keys: Set<string>;
  readonly rows: PromiseWithResolvers<ReadonlyMap<string, object>>;
}

/** What says of which key a row is. */
const keyOf = (row: { readonly key?: unknown; readonly id?: unknown }): string => String(row.key ?? row.id);

/**
 * Look-ups by key that wait for those that come in the same tick: each statement is sent once, for all keys. The order of
 * statements stays that in which they were first asked for, so what is read behind a lock is sent behind it.
 */
export class LookUps {
  readonly #send: Send;
  #waiting: Asked[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  async find<Row extends object>(statements: Keyed<Row>, key: string): Promise<Row | undefined> {
    const asked = this.#askedFor(statements);
    asked.keys.add(key);
    // What a statement answers has the form that it says.
    return (await asked.rows.promise).get(key) as Row | undefined;
  }

  /** Sends what waits, ahead of whatever is sent next. */
  send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { statements, keys, rows } of waiting) {
      const [key] = keys;
      // A transaction that comes too late for the database refuses before anything is sent.
      const sent = Promise.try(() =>
        keys.size === 1 ? this.#send(statements.one, { key }) : this.#send(statements.many, { keys: [...keys] }),
      );
      sent.then((found) => rows.resolve(new Map(found.map((row) => [keyOf(row), row]))), rows.reject);
    }
  }

  /** Nothing is sent any more: the transaction has ended, and its connection is another's. */
  end(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { rows } of waiting) rows.reject(new Error('the transaction ended before this was read'));
  }

  #askedFor(statements: Keyed<object>): Asked {
    const known = this.#waiting.find((asked) => asked.statements === statements);
    if (known !== undefined) return known;
    // Behind all work of this tick: the next tick begins when nothing of this one is left to go on with.
    if (this.#waiting.length === 0) void Promise.resolve().then(() => process.nextTick(() => this.send()));
    const asked: Asked = { statements, keys: new Set(), rows: Promise.withResolvers() };
    this.#waiting.push(asked);
    return asked;
  }
}
