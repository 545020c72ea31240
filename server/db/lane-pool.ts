import pg from 'pg';
import { ownerNow } from './owner.ts';

type Done = pg.PoolClient['release'];
type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void;

/** For the work of sandboxes, in each worker process. */
const SANDBOX_CONNECTIONS = 10;

/** The pool of a worker: what is done in the lane of sandboxes takes connections that nothing of live mode waits for (docs/design/lanes.md). */
export class LanePool extends pg.Pool {
  readonly #sandbox: pg.Pool;

  constructor(options: pg.PoolConfig, open: (size: number) => pg.Pool) {
    super(options);
    this.#sandbox = open(SANDBOX_CONNECTIONS);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  // The pool's own `query` calls it with a callback.
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const owner = ownerNow();
    const isOfSandbox = owner !== undefined && 'lane' in owner && owner.lane === 'sandbox';
    if (taken === undefined) return isOfSandbox ? this.#sandbox.connect() : super.connect();
    if (isOfSandbox) this.#sandbox.connect(taken);
    else super.connect(taken);
    return undefined;
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.#sandbox.end()]);
  }
}
