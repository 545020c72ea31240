import pg from 'pg';
import { type Bounds, boundsOf, settingsIn } from './bounds.ts';

/**
 * Whose rows a statement reaches, as the policies of the tables read it: by mode an account, everybody (`*`), or nobody (empty)
 * (docs/design/security.md#the-second-wall).
 */
export interface Reach {
  readonly live: string;
  readonly sandbox: string;
}

/** An account, in one mode or in both. */
export interface Owner {
  readonly accountId: string;
  readonly liveMode?: boolean | undefined;
}

const ALL = '*';
const NOBODY = '';

/** Runs look for what is due of all accounts; a key or a link says itself whose it is. */
export const EVERYBODY: Reach = { live: ALL, sandbox: ALL };

/** A value that came in the place of an account must not open more than one. */
const ACCOUNT = /^acct_\w+$/;

export function reachOf({ accountId, liveMode }: Owner): Reach {
  const only = ACCOUNT.test(accountId) ? accountId : NOBODY;
  return { live: liveMode === false ? NOBODY : only, sandbox: liveMode === true ? NOBODY : only };
}

const settings = ({ live, sandbox }: Reach): readonly string[] => [
  `fatura.live = ${pg.escapeLiteral(live)}`,
  `fatura.sandbox = ${pg.escapeLiteral(sandbox)}`,
];

const each = (command: string, reach: Reach): string =>
  settings(reach)
    .map((setting) => `${command} ${setting}`)
    .join('; ');

const localBounds = new WeakMap<Bounds, string>();

/** SQL that holds a transaction to bounds; processes have one kind of them or two. */
function boundsSql(bounds: Bounds): string {
  const known = localBounds.get(bounds);
  if (known !== undefined) return known;
  const made = Object.entries(settingsIn(bounds)).map(([name, value]) => `; SET LOCAL ${name} = ${value}`);
  localBounds.set(bounds, made.join(''));
  return made.join('');
}

/** SQL that begins a transaction within the bounds of its connection. */
export function beginBounded(client: pg.ClientBase, begin = 'BEGIN'): string {
  const bounds = boundsOf(client);
  return bounds === null ? begin : `${begin}${boundsSql(bounds)}`;
}

/** SQL that holds a transaction of a connection to a reach, and to its bounds, until it ends; `begin` is how it begins. */
export const beginIn = (client: pg.ClientBase, reach: Reach, begin = 'BEGIN'): string =>
  `${beginBounded(client, begin)}; ${each('SET LOCAL', reach)}`;

/** The same for the rest of a transaction. */
export const goOnIn = (reach: Reach): string => each('SET LOCAL', reach);

/** SQL that lets a connection reach everybody for as long as it lasts: those of operators and of migrations. */
export const STAY_WITH_EVERYBODY = each('SET', EVERYBODY);

/**
 * How a statement is planned. One that is kept prepared has a plan for any values: it opens the months that these need and no
 * others, where a plan made anew each time costs more than what it does (docs/design/sql.md#months). It stays while a month
 * fills, so it reads none from end to end that was empty when it was made.
 */
const PLANS = {
  kept: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
  once: { plan_cache_mode: 'auto', enable_seqscan: 'on' },
} as const;

const SET_REACH = 'set_reach';
const SET_BOUNDS = 'set_bounds';

const configs = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', ${value}, true)`)
    .join(', ');

/** Prepares on a new connection what each query sends ahead: its bounds, and its reach where it has one. */
export async function prepareAhead(client: pg.ClientBase, bounds: Bounds): Promise<void> {
  const bounded = Object.fromEntries(Object.entries(settingsIn(bounds)).map(([name, value]) => [name, `'${value}'`]));
  const planned = { ...bounded, plan_cache_mode: '$1', enable_seqscan: '$2' };
  const once = Object.values(PLANS.once);
  await client.query({ name: SET_BOUNDS, text: `SELECT ${configs(planned)}`, values: once });
  const reaching = { ...planned, 'fatura.live': '$3', 'fatura.sandbox': '$4' };
  await client.query({ name: SET_REACH, text: `SELECT ${configs(reaching)}`, values: [...once, NOBODY, NOBODY] });
}

/** What of the driver's connection a query uses to send itself. */
interface Wire {
  bind(message: { portal: string; statement: string; values: readonly string[] }): void;
  execute(message: { portal: string; rows: number }): void;
}

/** The methods of the driver's query that its types leave out. */
interface Sent {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

// The driver declares the class without them.
const DriverQuery = pg.Query as unknown as new (config: ReachingConfig) => pg.Query & Sent;

interface ReachingConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * A statement with its bounds and its reach, in one packet and one implicit transaction: the settings are made ahead of it and
 * end with it, so that nothing else on the connection ever runs under them, behind a pooler of transactions neither.
 */
export class ReachingQuery extends DriverQuery {
  readonly #reach: Reach | null;
  readonly #plans: readonly string[];
  #isAhead = true;

  /** `reach` is null for what concerns no account. */
  constructor(config: ReachingConfig, reach: Reach | null) {
    super({ ...config, ...{ queryMode: 'extended' } });
    this.#reach = reach;
    this.#plans = Object.values(config.name ? PLANS.kept : PLANS.once);
  }

  override prepare(wire: Wire): void {
    const ahead =
      this.#reach === null
        ? { statement: SET_BOUNDS, values: this.#plans }
        : { statement: SET_REACH, values: [...this.#plans, this.#reach.live, this.#reach.sandbox] };
    wire.bind({ portal: '', ...ahead });
    wire.execute({ portal: '', rows: 0 });
    super.prepare(wire);
  }

  /** What comes first is the answer to the settings. */
  override handleDataRow(message: unknown): void {
    if (!this.#isAhead) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isAhead) this.#isAhead = false;
    else super.handleCommandComplete(message, wire);
  }
}
