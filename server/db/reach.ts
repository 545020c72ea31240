import pg from 'pg';

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

/** SQL that holds a transaction to a reach until it ends; `begin` is how it begins. */
export const beginIn = (reach: Reach, begin = 'BEGIN'): string => `${begin}; ${each('SET LOCAL', reach)}`;

/** The same for the rest of a transaction. */
export const goOnIn = (reach: Reach): string => each('SET LOCAL', reach);

/** SQL that lets a connection reach everybody for as long as it lasts: those of operators and of migrations. */
export const STAY_WITH_EVERYBODY = each('SET', EVERYBODY);

const SET_REACH = 'set_reach';

/** Prepares on a new connection what each query with a reach sends ahead. */
export const prepareReach = {
  name: SET_REACH,
  text: `SELECT set_config('fatura.live', $1, true), set_config('fatura.sandbox', $2, true)`,
  values: [NOBODY, NOBODY],
};

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
 * A statement with its reach, in one packet and one implicit transaction: the setting is made ahead of it and ends with it,
 * so that nothing else on the connection ever runs under it, behind a pooler of transactions neither.
 */
export class ReachingQuery extends DriverQuery {
  readonly #reach: Reach;
  #isAhead = true;

  constructor(config: ReachingConfig, reach: Reach) {
    super({ ...config, ...{ queryMode: 'extended' } });
    this.#reach = reach;
  }

  override prepare(wire: Wire): void {
    const { live, sandbox } = this.#reach;
    wire.bind({ portal: '', statement: SET_REACH, values: [live, sandbox] });
    wire.execute({ portal: '', rows: 0 });
    super.prepare(wire);
  }

  /** What comes first is the answer to the setting. */
  override handleDataRow(message: unknown): void {
    if (!this.#isAhead) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isAhead) this.#isAhead = false;
    else super.handleCommandComplete(message, wire);
  }
}
