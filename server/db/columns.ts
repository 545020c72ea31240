import { type EntityPartitionBy, type Opt, p as orm, type PolicyDef } from '@mikro-orm/core';
import type { Mode } from '../kernel/mode.ts';
import { idPrefixOf, type MonthTable, madeAt } from './months.ts';
import { MODE_GROUPS } from './roles.ts';

/** A foreign key to the row of an id; `scope`: to a row of the same account and mode. `server/db/schema.ts` makes it. */
export interface Reference {
  readonly table: string;
  readonly scope?: true;
  /** Checked at the commit: two rows name each other. */
  readonly deferred?: true;
}

/** Ids are ordered by their bytes, which is the order of time. */
const id = () => orm.text().collation('C');

function referring(reference: Reference): ReturnType<typeof id> {
  const column = id();
  // The ORM keeps options that it does not know; a relation of its own would read the other row.
  Object.assign(column['~options'], { reference });
  return column;
}

const whole = () => orm.bigint('number');
const timestamp = () => orm.datetime().columnType('timestamptz');

/** The ORM's kinds of columns, and ours. */
export const p = {
  ...orm,
  id,
  /** The id of a row of a table that has no account and mode of its own, or is looked for without them. */
  idOf: (table: string) => referring({ table }),
  /** The id of a row of a table; the database holds it to the same account and mode. */
  idIn: (table: string, more: Pick<Reference, 'deferred'> = {}) => referring({ table, scope: true, ...more }),
  /** Seconds of a clock, or cents. */
  whole,
  /** Real time. */
  timestamp,
  /** When the row was made, by the clock of the database. */
  stamp: () => timestamp().defaultRaw('now()'),
  /** JSON as its writer wrote it. */
  jsonText: <Value>() => orm.json<Value>().columnType('json'),
};

/** An index, or among the unique ones a unique one; of the rows of a condition if there is one. */
export const index = <const Property extends string>(name: string, properties: Property[], where?: string) =>
  where === undefined ? { name, properties } : { name, properties, where };

export const check = (name: string, expression: string) => ({ name, expression });

/**
 * Rows by the month in which their id was made; `make_partition` makes the months (docs/design/sql.md#months). What the ORM
 * asks for at the least is a partition of ids from before 2004, of which there are none.
 */
export const byMonth = (table: MonthTable) =>
  ({
    type: 'range',
    expression: 'id',
    partitions: [{ name: `${table}_past`, values: `from (minvalue) to ('${idPrefixOf(table)}01')` }],
  }) satisfies EntityPartitionBy;

/** The id of a row is not made before those of the rows that it hangs on: who looks for it by them looks in no month before theirs. */
export const madeAfterItsParents = (table: string, ...parents: string[]) =>
  check(`${table}_made_after`, parents.map((parent) => `${madeAt('id')} >= ${madeAt(parent)}`).join(' AND '));

/** What every object of an account carries. */
export const scoped = {
  id: id().primary(),
  accountId: id(),
  liveMode: p.boolean(),
  created: whole(),
} as const;

/** What an object that hangs on no other carries: on hot tables every insert would lock the row of the account. */
export const scopedAtTop = { ...scoped, accountId: p.idOf('account') } as const;

/** The shard that a row is in for good, by an id: the runs of `RUN_SHARDS` share the rows by it (docs/design/outbox-and-cases.md#shards). */
export const shardBy = (id: string) =>
  p.smallint().generated(`(fatura_shard(${id})) stored`).lazy().$type<Opt<number>>();

/** What an object that events tell of carries: the last of them, so that the next one comes after it. */
export const told = {
  lastEventId: id().nullable(),
  lastEventAt: whole().nullable(),
} as const;

/** Where foreign keys within an account and mode lead, and by which its lists are walked. */
export const scopeKey = { properties: ['accountId', 'liveMode', 'id'] } satisfies {
  properties: (keyof typeof scoped)[];
};

/** A unique code of the merchant's own. */
export const codeKey = (table: string) =>
  index(`${table}_external_code`, ['accountId', 'liveMode', 'externalCode'], 'external_code IS NOT NULL');

/** Indexes of what is due: in its order, in turns of the accounts, both with the shard, and by the clock of a sandbox. */
export function waitingIndexes<Due extends 'dueAt' | 'stepAt'>(table: string, due: Due) {
  const kind = due === 'dueAt' ? 'due' : 'step';
  return [
    index(`${table}_wake`, ['wakeAt', 'shard'], 'wake_at IS NOT NULL'),
    index(`${table}_turn`, ['liveMode', 'accountId', 'wakeAt', 'id', 'shard'], 'wake_at IS NOT NULL'),
    index(`${table}_${kind}`, ['accountId', due, 'id'], `${kind}_at IS NOT NULL AND NOT live_mode`),
    index(`${table}_asleep`, ['accountId'], `${kind}_at IS NOT NULL AND wake_at IS NULL`),
  ];
}

/**
 * A policy by what `server/db/reach.ts` sets; without that nothing is reached. A policy lets through all that a statement asks
 * for, and the planner takes its comparison for one that keeps a hundredth; of a `coalesce` it expects half.
 */
export const reached = (condition: string): PolicyDef => ({ name: 'own', using: `coalesce((${condition}), false)` });

/** Holds whoever logs in for one mode to the rows of a condition, whatever is set. */
export const ofLogin = (mode: Mode, condition: string): PolicyDef => ({
  name: `of_${mode}`,
  type: 'restrictive',
  roles: [...MODE_GROUPS[mode]],
  using: condition,
});

/** A row of an account in a mode. */
export const own = [
  reached(
    `current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')`,
  ),
  ofLogin('live', 'live_mode'),
  ofLogin('sandbox', 'NOT live_mode'),
];

/** A row of an account that is of neither mode. */
export const ownOfEither = (account = 'account_id'): PolicyDef =>
  reached(
    `${account} IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'`,
  );

/** A reset empties a sandbox, and no request removes what is live. */
export const removedInSandbox = (condition = 'NOT live_mode'): PolicyDef => ({
  name: 'removed_in_sandbox',
  type: 'restrictive',
  command: 'delete',
  roles: ['fatura_api'],
  using: condition,
});

interface ScopeParams {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** Keeps every query of an entity inside the account and mode of its entity manager. */
export const scopeFilter = {
  scope: {
    name: 'scope',
    // The ORM hands filter parameters over untyped; scopedReader is their only source.
    cond: (params: unknown) => {
      const { accountId, liveMode } = params as ScopeParams;
      return { accountId, liveMode };
    },
    default: true,
  },
};

/** An object of an account in a mode. */
export const inScope = { filters: scopeFilter, policies: [...own, removedInSandbox()] };
