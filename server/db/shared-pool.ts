import pg from 'pg';
import { CONNECTIONS, CONNECTIONS_SPARE } from '../kernel/budgets.ts';
import { BillingError } from '../kernel/errors.ts';
import { Company } from './company.ts';
import { type LaneOwner, type Owner, ownerNow, type Visitor } from './owner.ts';
import { NoTurn, Turns } from './turns.ts';

/** Longer than any statement of a request may last, so that a connection comes free meanwhile. */
const WAIT_MS = 5_000;
const RETRY_SECONDS = 2;

type Part = 'live' | 'sandbox' | 'pages';

interface Sharing {
  /** Opens a pool of so many connections. */
  readonly open: (size: number) => pg.Pool;
  /** Called when a budget of connections was used up. */
  readonly onRefused: (of: { liveMode: boolean }) => void;
}

interface Lane {
  readonly pool: pg.Pool;
  readonly turns: Turns;
}

type Done = pg.PoolClient['release'];
type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void;

const partOf = (owner: Owner | Visitor | LaneOwner): Part => {
  if ('visitor' in owner) return 'pages';
  if ('lane' in owner) return owner.lane;
  return owner.liveMode ? 'live' : 'sandbox';
};

const holderOf = (owner: Owner | Visitor | LaneOwner): string => {
  if ('visitor' in owner) return owner.visitor;
  return 'lane' in owner ? owner.lane : `${owner.accountId} ${owner.by}`;
};

const tooMany = (part: Part): BillingError =>
  new BillingError('SERVICE_UNAVAILABLE', {
    message: `No connection of the budget "connections" (${part}) came free in ${WAIT_MS / 1_000} s; repeat with the same Idempotency-Key`,
    retryAfterSeconds: RETRY_SECONDS,
  });

/**
 * So many are of one visitor, and the last ones are for visitors who have none. A visitor may have a hundred links, so these
 * count nothing.
 */
const EACH_VISITOR = 3;
const VISITORS_SPARE = 2;

const turnsOf = (part: Part, company: Company): Turns => {
  const bounds = { total: CONNECTIONS[part], waitMs: WAIT_MS };
  if (part === 'pages') return new Turns({ ...bounds, each: EACH_VISITOR, spare: VISITORS_SPARE });
  const mode = { liveMode: part === 'live' };
  return new Turns({ ...bounds, each: () => company.amountOf('connections', mode), spare: CONNECTIONS_SPARE });
};

/**
 * The pool of a process that works for many accounts. What is done for an owner takes connections of its mode, in turn; the
 * pool's own connections are for the service itself, such as the look-up of keys, which so waits for nobody's work
 * (docs/design/budgets.md#connections).
 */
export class SharedPool extends pg.Pool {
  readonly #lanes: Readonly<Record<Part, Lane>>;
  readonly #onRefused: Sharing['onRefused'];
  readonly #company = new Company();
  /** For whoever asks whether the database answers. */
  readonly probe: pg.Pool;

  constructor(options: pg.PoolConfig, { open, onRefused }: Sharing) {
    super({ ...options, max: CONNECTIONS.service });
    this.#onRefused = onRefused;
    this.probe = open(CONNECTIONS.probe);
    const laneOf = (part: Part): Lane => ({ pool: open(CONNECTIONS[part]), turns: turnsOf(part, this.#company) });
    this.#lanes = { live: laneOf('live'), sandbox: laneOf('sandbox'), pages: laneOf('pages') };
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  // The pool's own `query` calls it with a callback.
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const owner = ownerNow();
    const connected = owner === undefined ? super.connect() : this.#connectFor(owner);
    if (taken === undefined) return connected;
    connected.then(
      (client) => taken(undefined, client, client.release),
      (error) => taken(error, undefined, () => {}),
    );
    return undefined;
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.probe.end(), ...Object.values(this.#lanes).map(({ pool }) => pool.end())]);
  }

  async #connectFor(owner: Owner | Visitor | LaneOwner): Promise<pg.PoolClient> {
    const part = partOf(owner);
    const { pool, turns } = this.#lanes[part];
    if ('accountId' in owner) this.#company.saw(`${owner.accountId} ${part}`);
    const giveBack = await turns.take(holderOf(owner)).catch((error: unknown) => {
      if (!(error instanceof NoTurn)) throw error;
      this.#onRefused({ liveMode: part !== 'sandbox' });
      throw tooMany(part);
    });
    try {
      const client = await pool.connect();
      const { release } = client;
      const releaseInTurn: Done = (error) => {
        release(error);
        giveBack();
      };
      client.release = releaseInTurn;
      return client;
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

/** The connection of a pool that no work of an account is done on; of a pool that no accounts share, any. */
export const probeOf = (pool: pg.Pool): pg.Pool => (pool instanceof SharedPool ? pool.probe : pool);
