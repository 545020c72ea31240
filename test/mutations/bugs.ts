import type { Keyed, Statement, Values } from '../../server/db/statement.ts';
import type { Deps } from '../../server/deps.ts';
import type { createAsk } from '../../server/payments/acquirer/ask.ts';
import type { Acquirer } from '../../server/payments/acquirer/port.ts';
import { ungrouped } from '../../server/unit-of-work/grouped.ts';
import type { Scope, Tx } from '../../server/unit-of-work/tx.ts';

/** An object that does some things otherwise. */
const instead = <T extends object>(sound: T, changes: Partial<T>): T =>
  new Proxy(sound, {
    get(_, key) {
      if (key in changes) return Reflect.get(changes, key);
      const value = Reflect.get(sound, key, sound);
      return typeof value === 'function' ? value.bind(sound) : value;
    },
  });

/** A transaction that leaves out one thing that it is asked to do. */
export const leavingOut = (tx: Tx, what: 'enqueue' | 'lease' | 'record'): Tx => instead(tx, { [what]: () => {} });

/** A transaction that reads rows without locking them. */
export const unlocked = (tx: Tx): Tx =>
  instead(tx, {
    query: (prepared, values) => tx.query(withoutLock(prepared), values),
    find: (statements, key) => tx.find(bothWithoutLock(statements), key),
    lock: (table, id) => tx.lock({ ...table, lock: bothWithoutLock(table.lock) }, id),
  });

const withoutLock = <Row>(prepared: Statement<Row>): Statement<Row> => ({
  ...prepared,
  name: `${prepared.name}_unlocked`,
  text: prepared.text.replaceAll(' FOR UPDATE', ''),
});

const bothWithoutLock = <Row>({ one, many }: Keyed<Row>): Keyed<Row> => ({
  one: withoutLock(one),
  many: withoutLock(many),
});

/** A transaction that reads rows otherwise than they are stored. */
export const reading = (tx: Tx, misread: (row: object) => object): Tx =>
  instead(tx, {
    // A bug has the rows in the form in which they were asked for.
    query: async <Row>(prepared: Statement<Row>, values: Values) =>
      (await tx.query(prepared, values)).map((row) => misread(row as object) as Row),
    find: async <Row extends object>(statements: Keyed<Row>, key: string) => {
      const row = await tx.find(statements, key);
      return row === undefined ? row : (misread(row) as Row);
    },
  });

/** The service with each of its transactions changed. */
export function inTransactions(deps: Deps, change: (tx: Tx) => Tx): Deps {
  const transaction: Deps['transaction'] = (scope, work) => deps.transaction(scope, (tx) => work(change(tx)));
  return instead(deps, { transaction, grouped: ungrouped(transaction) });
}

/** A request whose Idempotency-Key does not tell of the attempt that its first run left. */
export const forgetful = (scope: Scope): Scope =>
  scope.idempotency === undefined
    ? scope
    : { ...scope, idempotency: instead(scope.idempotency, { formerAttempt: null }) };

/** Whatever is asked of an acquirer is asked, or understood, otherwise. */
export const askingOtherwise =
  (change: (bank: Acquirer) => Partial<Acquirer>) =>
  (sound: typeof createAsk): typeof createAsk =>
  (deps) =>
  (scope, method, call, options) =>
    sound(deps)(
      scope,
      method,
      (bank, merchant) => call(Object.assign({ ...bank }, change(deps.acquirers.sandbox)), merchant),
      options,
    );
