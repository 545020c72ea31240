import type { Socket } from 'node:net';
import { Client } from 'undici';
import { OverlongAnswer } from './failures.ts';
import type { ConnectionStage, ConnectorOf, Dialling } from './guarded-connector.ts';
import type { Target } from './target-url.ts';

/** The bounds of a pool. */
export type PoolLimits = { inUseMax: number; idleMax: number; idleMs: number; lifetimeMs: number };

/** One socket and its HTTP/1.1 parser; it carries one exchange at a time and is never opened a second time. */
export class ReceiverConnection implements Dialling {
  readonly key: string;
  readonly accountId: string;
  readonly client: Client;
  readonly openedAt = performance.now();
  stage: ConnectionStage = 'resolving';
  socket: Socket | null = null;
  /** How many exchanges it has completed; after the first, the receiver may have closed it unseen. */
  served = 0;
  #bytesMax = Number.POSITIVE_INFINITY;

  constructor(target: Target, options: { connectorOf: ConnectorOf; idleMs: number }) {
    this.key = target.key;
    this.accountId = target.accountId;
    this.client = new Client(target.origin, {
      connect: options.connectorOf(this),
      keepAliveTimeout: options.idleMs,
      keepAliveMaxTimeout: options.idleMs,
      headersTimeout: 0, // the exchange keeps the time of all its stages
      bodyTimeout: 0,
    });
    this.client.on('connect', () => this.#watch());
  }

  /** How many bytes its socket may bring from now on; then it is closed. */
  bound(bytes: number): void {
    this.#bytesMax = (this.socket?.bytesRead ?? 0) + bytes;
  }

  /** Nobody else counts what is no body: a head, its announcements and trailers may come without end, at full speed. */
  #watch(): void {
    const { socket } = this;
    socket?.on('readable', () => {
      if (socket.bytesRead > this.#bytesMax) socket.destroy(new OverlongAnswer('the answer does not end'));
    });
  }

  get isReusable(): boolean {
    return this.socket !== null && !this.socket.destroyed && this.socket.writable;
  }
}

/**
 * Kept-alive connections of one mode by origin.
 *
 * One client of undici per connection is faster than its own pools, and tells which request met which socket. A
 * connection is used last in, first out; when too many are idle, the one idle longest is closed.
 */
export class ConnectionPool {
  readonly #connectorOf: ConnectorOf;
  readonly #limits: PoolLimits;
  readonly #idleByKey = new Map<string, ReceiverConnection[]>();
  readonly #idle = new Set<ReceiverConnection>(); // in the order in which they fell idle
  #inUse = 0;
  #closed: PromiseWithResolvers<void> | null = null;

  constructor(connectorOf: ConnectorOf, limits: PoolLimits) {
    this.#connectorOf = connectorOf;
    this.#limits = limits;
  }

  /** An idle connection of that origin, else a new one; throws when there must be no further exchange. */
  take(target: Target): ReceiverConnection {
    if (this.#closed !== null) throw new Error('the sender is closed');
    if (this.#inUse >= this.#limits.inUseMax) {
      throw new Error(`${this.#limits.inUseMax} deliveries are in flight: the caller must bound its concurrency`);
    }
    for (let kept = this.#idleByKey.get(target.key)?.at(-1); kept; kept = this.#idleByKey.get(target.key)?.at(-1)) {
      this.#forget(kept);
      if (kept.isReusable) {
        this.#inUse++;
        return kept;
      }
      destroy(kept);
    }
    return this.open(target);
  }

  /** A connection that nobody has used before; it dials with its first request. */
  open(target: Target): ReceiverConnection {
    this.#inUse++;
    const connection = new ReceiverConnection(target, { connectorOf: this.#connectorOf, idleMs: this.#limits.idleMs });
    connection.client.on('disconnect', () => {
      if (this.#forget(connection)) destroy(connection);
    });
    return connection;
  }

  /** Keeps a connection whose exchange was completed for the next one. */
  release(connection: ReceiverConnection): void {
    connection.served++;
    const isWorn = performance.now() - connection.openedAt > this.#limits.lifetimeMs; // names move: resolve anew at times
    if (isWorn || this.#closed !== null || !connection.isReusable) {
      this.discard(connection);
      return;
    }
    const siblings = this.#idleByKey.get(connection.key);
    if (siblings) siblings.push(connection);
    else this.#idleByKey.set(connection.key, [connection]);
    this.#idle.add(connection);
    if (this.#idle.size > this.#limits.idleMax) this.#closeOldestIdle();
    this.#leave();
  }

  /** Closes a connection that is in use. */
  discard(connection: ReceiverConnection): void {
    destroy(connection);
    this.#leave();
  }

  /** Closes what is idle, and resolves when the exchanges in flight have ended. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    for (const connection of [...this.#idle]) if (this.#forget(connection)) destroy(connection);
    if (this.#inUse === 0) this.#closed.resolve();
    return this.#closed.promise;
  }

  #closeOldestIdle(): void {
    const [oldest] = this.#idle;
    if (oldest && this.#forget(oldest)) destroy(oldest);
  }

  #leave(): void {
    this.#inUse--;
    if (this.#inUse === 0) this.#closed?.resolve();
  }

  #forget(connection: ReceiverConnection): boolean {
    if (!this.#idle.delete(connection)) return false;
    const siblings = this.#idleByKey.get(connection.key) ?? [];
    if (siblings.length <= 1) this.#idleByKey.delete(connection.key);
    else siblings.splice(siblings.lastIndexOf(connection), 1);
    return true;
  }
}

function destroy(connection: ReceiverConnection): void {
  // Not at once: undici may be calling us from within its parser, which must not lose its client on the way.
  setImmediate(() => {
    connection.socket?.destroy(); // undici holds no socket that is still connecting
    void connection.client.destroy();
  });
}
