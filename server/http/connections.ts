import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Deps, Settings } from '../deps.ts';
import { alarmEvery } from '../kernel/alarms.ts';
import { countedAddress } from './address.ts';
import { ANSWER_MAX_MS } from './request.ts';

/** How often connections are held to their times: a limit holds to about this. */
export const CHECK_EVERY_MS = 500;

/** A request's headers are in within so long, from its first byte. */
const HEADERS_MAX_MS = 15_000;
/** Longer than proxies keep an idle connection, so that it is never us who closes one that is being used. */
const IDLE_MAX_MS = 65_000;
const SWEEP_EVERY_MS = 250;
/** An alarm is raised so seldom, however many connections are ended meanwhile. */
const ALARM_EVERY_MS = 60_000;

export interface ConnectionLimits {
  /** So many connections are held at once; each costs some 20 KB. */
  readonly max: number;
  /** Beyond so many, each new connection ends the oldest silent one. */
  readonly crowded: number;
  /** Of one address, where no proxy is named. */
  readonly perAddress: number;
  /** An address loses no connection that was silent for less: whoever has just come is about to speak. */
  readonly silentMs: number;
  /** Longer than any answer takes that says nothing meanwhile. */
  readonly stalledMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  max: 5_000,
  crowded: 4_000,
  perAddress: 256,
  silentMs: 250,
  stalledMs: 30_000,
};

type Why = 'address' | 'crowded' | 'full';

/** Connections on which no request is in flight, each with the instant since when, the oldest first. */
class Silent {
  readonly #unheard = new Map<Socket, number>();
  readonly #kept = new Map<Socket, number>();

  get size(): number {
    return this.#unheard.size + this.#kept.size;
  }

  /** A connection that was never answered anything is unheard. */
  add(socket: Socket, { isUnheard, atMs }: { isUnheard: boolean; atMs: number }): void {
    (isUnheard ? this.#unheard : this.#kept).set(socket, atMs);
  }

  delete(socket: Socket): void {
    this.#unheard.delete(socket);
    this.#kept.delete(socket);
  }

  /** The one to be ended first, silent since before an instant: a client that was answered may be about to ask again. */
  oldest(beforeMs: number): Socket | null {
    for (const silent of [this.#unheard, this.#kept]) {
      for (const [socket, sinceMs] of silent) {
        if (sinceMs <= beforeMs) return socket;
        break;
      }
    }
    return null;
  }
}

/** What is open, of one address or of all. */
class Group {
  readonly silent = new Silent();
  count = 0;

  get busy(): number {
    return this.count - this.silent.size;
  }
}

interface Connection {
  readonly address: string;
  /** Those of its address, and all. */
  readonly groups: readonly Group[];
  /** Requests on it that have no answer yet. */
  inFlight: number;
}

/** Follows the connections of a server, and ends silent ones where there are too many. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #ended: (why: Why, address: string) => void;
  readonly #open = new Map<Socket, Connection>();
  readonly #all = new Group();
  readonly #byAddress = new Map<string, Group>();

  constructor(limits: ConnectionLimits, ended: (why: Why, address: string) => void) {
    this.#limits = limits;
    this.#ended = ended;
  }

  get busy(): number {
    return this.#all.busy;
  }

  get silent(): number {
    return this.#all.silent.size;
  }

  open(socket: Socket): void {
    const address = countedAddress(socket.remoteAddress);
    if (this.#all.count >= this.#limits.crowded) this.#end(this.#all.silent.oldest(performance.now()), 'crowded');
    const ofAddress = this.#byAddress.get(address) ?? new Group();
    this.#byAddress.set(address, ofAddress);
    const groups = [ofAddress, this.#all];
    this.#open.set(socket, { address, groups, inFlight: 0 });
    for (const group of groups) {
      group.count += 1;
      group.silent.add(socket, { isUnheard: true, atMs: performance.now() });
    }
    socket.once('close', () => this.#forget(socket));
    // No connection is ended whose request is in flight.
    if (ofAddress.busy >= this.#limits.perAddress) this.#end(socket, 'address');
  }

  /** A request begins. */
  ask(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.inFlight += 1;
    for (const { silent } of connection.groups) silent.delete(socket);
  }

  /** An answer has left, or nobody is there to take it. */
  answer(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.inFlight -= 1;
    if (connection.inFlight > 0) return;
    const atMs = performance.now();
    for (const { silent } of connection.groups) silent.add(socket, { isUnheard: false, atMs });
  }

  /** Ends what addresses have too many of; to be called now and then. */
  sweep(): void {
    const beforeMs = performance.now() - this.#limits.silentMs;
    for (const { count, silent } of this.#byAddress.values()) {
      for (let excess = count - this.#limits.perAddress; excess > 0; excess -= 1) {
        this.#end(silent.oldest(beforeMs), 'address');
      }
    }
  }

  /** Ends those that have been silent for a while. */
  endSilent(forMs: number): void {
    const { silent } = this.#all;
    const beforeMs = performance.now() - forMs;
    for (let socket = silent.oldest(beforeMs); socket !== null; socket = silent.oldest(beforeMs)) {
      this.#forget(socket);
      socket.destroy();
    }
  }

  #end(socket: Socket | null, why: Why): void {
    const connection = socket === null ? undefined : this.#open.get(socket);
    if (socket === null || connection === undefined) return;
    // Its own event comes later, and it counts no more for the next one.
    this.#forget(socket);
    socket.destroy();
    this.#ended(why, connection.address);
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    for (const group of connection.groups) {
      group.count -= 1;
      group.silent.delete(socket);
    }
    if (connection.groups[0]?.count === 0) this.#byAddress.delete(connection.address);
  }
}

/** Tells of connections that were ended: counts each, and alarms now and then. */
function tellOf({ logger, metrics }: Pick<Deps, 'logger' | 'metrics'>): (why: Why, address: string) => void {
  const alarm = alarmEvery(ALARM_EVERY_MS, { metrics, logger }, 'connections_crowded');
  return (why, address) => {
    metrics.connectionsEnded.inc({ why });
    alarm({ why, address, message: 'there are too many connections; silent ones are ended' });
  };
}

/**
 * Bounds what connections may cost: how many there are, how long a request may take to come in, and how long an answer may
 * find nobody who takes anything of it (docs/design/admission.md#answers).
 *
 * They are counted by address only where no proxy is named: behind a proxy all have one.
 */
export function boundConnections(
  server: Server,
  deps: Pick<Deps, 'logger' | 'metrics'> & { readonly settings: Pick<Settings, 'trustProxy'> },
  limits: ConnectionLimits = CONNECTION_LIMITS,
): Connections {
  server.maxConnections = limits.max;
  server.headersTimeout = HEADERS_MAX_MS;
  server.requestTimeout = ANSWER_MAX_MS;
  server.keepAliveTimeout = IDLE_MAX_MS;
  // A write that goes on counts as activity.
  server.setTimeout(limits.stalledMs, (socket) => socket.destroy());
  const perAddress = deps.settings.trustProxy === 0 ? limits.perAddress : Number.POSITIVE_INFINITY;
  const ended = tellOf(deps);
  const connections = new Connections({ ...limits, perAddress }, ended);
  server.on('connection', (socket) => connections.open(socket));
  server.on('request', ({ socket }, response) => {
    connections.ask(socket);
    response.once('close', () => connections.answer(socket));
  });
  server.on('drop', (dropped) => ended('full', countedAddress(dropped?.remoteAddress)));
  const sweep = setInterval(() => connections.sweep(), SWEEP_EVERY_MS).unref();
  server.once('close', () => clearInterval(sweep));
  deps.metrics.showConnections(connections);
  return connections;
}
