import pg from 'pg';

type Done = pg.PoolClient['release'];
type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void;

export interface Sharing {
  /** Whether a connection is for a request; others are for the service itself. */
  readonly isOfRequest: () => boolean;
  /** Waits for the turn of a request to take a connection; what it answers ends that. Rejects where the turn does not come. */
  readonly acquire: () => Promise<() => void>;
  /** Connections for requests, for the service itself, and for its readiness. */
  readonly sizes: { readonly requests: number; readonly service: number; readonly probe: number };
}

/**
 * The pool of a process that many accounts share. Requests take connections in turns of their accounts; the pool's own are for
 * the service itself, such as the look-up of keys, which so waits for no request (docs/design/admission.md#connections).
 */
export class SharedPool extends pg.Pool {
  readonly #requests: pg.Pool;
  readonly #sharing: Sharing;
  /** For whoever asks whether the database answers. */
  readonly probe: pg.Pool;

  constructor(options: pg.PoolConfig, sharing: Sharing & { readonly open: (size: number) => pg.Pool }) {
    super({ ...options, max: sharing.sizes.service });
    this.#sharing = sharing;
    this.#requests = sharing.open(sharing.sizes.requests);
    this.probe = sharing.open(sharing.sizes.probe);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  // The pool's own `query` calls it with a callback.
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const connected = this.#sharing.isOfRequest() ? this.#connectInTurn() : super.connect();
    if (taken === undefined) return connected;
    connected.then(
      (client) => taken(undefined, client, client.release),
      (error) => taken(error, undefined, () => {}),
    );
    return undefined;
  }

  override async end(): Promise<void> {
    await Promise.all([super.end(), this.probe.end(), this.#requests.end()]);
  }

  async #connectInTurn(): Promise<pg.PoolClient> {
    const endTurn = await this.#sharing.acquire();
    try {
      const client = await this.#requests.connect();
      const { release } = client;
      const releaseInTurn: Done = (error) => {
        release(error);
        endTurn();
      };
      client.release = releaseInTurn;
      return client;
    } catch (error) {
      endTurn();
      throw error;
    }
  }
}

/** The connection of a pool that no work of an account is done on; of a pool that no accounts share, any. */
export const probeOf = (pool: pg.Pool): pg.Pool => (pool instanceof SharedPool ? pool.probe : pool);
