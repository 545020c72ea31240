import pg from 'pg';
import { ask } from './ask.ts';
import { EVERYBODY, type Owner, type Reach, ReachingQuery, reachOf } from './reach.ts';

/** A statement the server keeps prepared: `name` is the cache key of its text; an empty one is not kept. */
export interface Statement<Row = never> {
  readonly name: string;
  readonly text: string;
  /** The names of its parameters, in the order of their places; none where the text has places of its own. */
  readonly parameters: readonly string[];
  /** Whether it reaches the rows of all accounts; any other reaches those of the account that it is run for. */
  readonly isAcross?: true;
  /** The form of its rows; there is never a value here. */
  readonly row?: Row;
}

/** Values by the names of a statement's parameters, or in the order of its places. */
export type Values = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A prepared statement with its values in the order of its places. */
export interface Write {
  readonly statement: Statement<unknown>;
  readonly values: readonly unknown[];
  /** Whose rows it reaches where it is sent alone; null: none of any account. */
  readonly reach?: Reach | null;
}

const declared = new Map<string, Statement<unknown>>();

/** Every statement that was declared so far, for the test that holds them to account and mode. */
export const declaredStatements = (): readonly Statement<unknown>[] => [...declared.values()];

/** `:name`, and not the `::` of a cast. */
const PARAMETER = /(?<![:\w]):([a-z]\w*)/gi;

/**
 * Declares a statement with the form of its rows. Parameters are written `:name`; names of statements are unique in the
 * code and at most 63 bytes, as PostgreSQL demands.
 */
export function statement<Row = never>(name: string, text: string): Statement<Row> {
  const parameters: string[] = [];
  const placed = text.replace(PARAMETER, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const made = { name, text: placed.replace(/\s+/g, ' ').trim(), parameters };
  declared.set(name, made);
  return made;
}

/**
 * Declares a statement that reaches the rows of every account: one that looks for what is due, or for what a key, a link or a
 * case names. `test/api/statements.test.ts` holds the closed list of them.
 */
export function acrossAccounts<Row = never>(name: string, text: string): Statement<Row> {
  const made: Statement<Row> = { ...statement<Row>(name, text), isAcross: true };
  declared.set(name, made);
  return made;
}

/** A statement that looks for rows by keys: each row says its `key`, or its `id` is it. */
export interface Keyed<Row> {
  readonly one: Statement<Row>;
  readonly many: Statement<Row>;
}

/** Writes a look-up by key: `isAsked` is the condition that a column is of a key that is asked for. */
type KeyedText = (isAsked: (column: string) => string) => string;

const keyedBy = <Row>(
  declare: (name: string, text: string) => Statement<Row>,
  { name, text }: { name: string; text: KeyedText },
): Keyed<Row> => ({
  one: declare(
    name,
    text((column) => `${column} = :key`),
  ),
  many: declare(
    `${name}_of_many`,
    text((column) => `${column} = ANY (:keys::text[])`),
  ),
});

/** Declares both forms of a look-up by key. A plan for one key must not serve many: the planner would never settle on either. */
export const keyed = <Row>(name: string, text: KeyedText): Keyed<Row> => keyedBy<Row>(statement, { name, text });

/** The same for rows of every account. */
export const keyedAcross = <Row>(name: string, text: KeyedText): Keyed<Row> =>
  keyedBy<Row>(acrossAccounts, { name, text });

/** Holds rows of a table under an alias to the account and mode of whoever asks. */
export const mine = (alias: string): string => `${alias}.account_id = :accountId AND ${alias}.live_mode = :liveMode`;

/** SQL: an instant as whole Unix seconds, as the API tells it. */
export const unixSeconds = (instant: string): string => `floor(extract(epoch FROM ${instant}))::bigint`;

const isOwners = (parameter: string): boolean => parameter === 'accountId' || parameter === 'liveMode';

/**
 * The values of a statement in the order of its places, account and mode from `owner` where it says whose rows they are;
 * a name that is missing, or none of the statement's, is a fault.
 */
export function placed(prepared: Statement<unknown>, values: Values, owner?: Required<Owner>): readonly unknown[] {
  if (isList(values)) return values;
  const { parameters } = prepared;
  let owned = 0;
  const inOrder = parameters.map((parameter) => {
    if (owner === undefined || !isOwners(parameter)) return values[parameter];
    owned += 1;
    return parameter === 'accountId' ? owner.accountId : owner.liveMode;
  });
  const isExact = Object.keys(values).length + owned === parameters.length && !inOrder.includes(undefined);
  if (!isExact) refuseMisfit(prepared, values, inOrder);
  return inOrder;
}

function refuseMisfit(
  { name, parameters }: Statement<unknown>,
  values: Readonly<Record<string, unknown>>,
  inOrder: readonly unknown[],
): void {
  const more = Object.keys(values).filter((key) => !parameters.includes(key));
  const missing = parameters.filter((_, place) => inOrder[place] === undefined);
  if (more.length === 0 && missing.length === 0) return;
  throw new Error(
    `the statement ${name} lacks ${missing.join(', ') || 'nothing'} and has no ${more.join(', ') || 'more'}`,
  );
}

/** The account, and the mode, that the values of a statement name. */
function ownerIn(values: Values): Owner | null {
  if (isList(values)) return null;
  const { accountId, liveMode } = values;
  if (typeof accountId !== 'string') return null;
  return { accountId, liveMode: typeof liveMode === 'boolean' ? liveMode : undefined };
}

/** Whose rows a statement reaches with these values; null: none of any account. */
function reachIn(prepared: Statement<unknown>, values: Values, owner: Owner | null = ownerIn(values)): Reach | null {
  if (prepared.isAcross === true) return EVERYBODY;
  return owner === null ? null : reachOf(owner);
}

/** Runs a write on any connection of a pool, within its bounds, or on a connection. */
export async function sendAlone<Row>(target: pg.Pool | pg.ClientBase, write: Write): Promise<Row[]> {
  const { statement: prepared, values, reach = null } = write;
  const config = { name: prepared.name, text: prepared.text, values: [...values] };
  const isWhole = reach !== null || target instanceof pg.Pool;
  const result = await ask(target, isWhole ? new ReachingQuery(config, reach) : config);
  // A statement says itself what form its rows have.
  return result.rows as Row[];
}

/** A connection, in a transaction or not, or any of a pool. */
export type Connection = pg.Pool | pg.ClientBase;

/**
 * Runs a prepared statement on any connection of a pool, for the account that its values name; or on a connection whose
 * transaction says for whom.
 */
export async function run<Row>(target: Connection, prepared: Statement<Row>, values: Values): Promise<Row[]> {
  const write = { statement: prepared, values: placed(prepared, values) };
  if (!(target instanceof pg.Pool)) return sendAlone(target, write);
  // It would find nothing, and nobody would notice.
  if (isList(values) && values.length > 0 && declared.has(prepared.name))
    throw new Error(`${prepared.name} runs on a pool and has places of its own: nobody knows for whom`);
  return sendAlone(target, { ...write, reach: reachIn(prepared, values) });
}

/** The same, of a statement that is held to the account and mode of a scope. */
export const readIn = <Row>(
  pool: pg.Pool,
  scope: Required<Owner>,
  prepared: Statement<Row>,
  values: Readonly<Record<string, unknown>>,
): Promise<Row[]> =>
  sendAlone(pool, {
    statement: prepared,
    values: placed(prepared, values, scope),
    reach: reachIn(prepared, values, scope),
  });

/** A prepared statement with its values by their names. */
export const writeOf = (prepared: Statement<unknown>, values: Readonly<Record<string, unknown>>): Write => ({
  statement: prepared,
  values: placed(prepared, values),
  reach: reachIn(prepared, values),
});

const isList = (values: Values): values is readonly unknown[] => Array.isArray(values);

const combined = new Map<string, Statement>();

/** Distinct combinations are few: one for each use case that writes. */
const COMBINATIONS_MAX = 1_000;

function combineTexts(texts: readonly string[]): string {
  let offset = 0;
  const parts = texts.map((text, index) => {
    const own = [...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
    const shifted = text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
    offset += Math.max(0, ...own);
    return `w${index} AS (${shifted})`;
  });
  return `WITH ${parts.join(', ')} SELECT 1`;
}

/** Joins writes into one prepared statement, so that they cost one round trip; they must not read each other. */
export function combine(writes: readonly Write[]): Write {
  const [first] = writes;
  if (writes.length === 1 && first !== undefined) return first;
  const across = writes.find(({ statement: { isAcross } }) => isAcross);
  if (across !== undefined) throw new Error(`${across.statement.name} reaches every account: it is sent alone`);
  const key = writes.map((write) => write.statement.name).join('+');
  let known = combined.get(key);
  if (known === undefined) {
    const text = combineTexts(writes.map((write) => write.statement.text));
    // Writes of many rows combine without end: PostgreSQL keeps only the combinations that came first prepared.
    known = { name: combined.size < COMBINATIONS_MAX ? `combined_${combined.size}` : '', text, parameters: [] };
    if (known.name !== '') combined.set(key, known);
  }
  const reach = writes.find((write) => write.reach !== undefined && write.reach !== null)?.reach ?? null;
  return { statement: known, values: writes.flatMap((write) => write.values), reach };
}
