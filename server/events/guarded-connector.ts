import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';

/** One address of a name. */
export type ResolvedAddress = { address: string; family: number };

/** Resolves a name to all its addresses. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** How far a connection has come, which tells what a failure of it means. */
export type ConnectionStage = 'resolving' | 'connecting' | 'securing' | 'open';

/** The part of a connection that its connector keeps up to date. */
export type Dialling = { stage: ConnectionStage; socket: Socket | null };

/** The host is, or resolves to, an address that deliveries of this mode may not reach. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** The host's name does not resolve. */
export class UnresolvedName extends Error {
  override readonly name = 'UnresolvedName';
}

const ADDRESS_ATTEMPT_MS = 1_000; // of one among several addresses, before the next is tried beside it
const TLS_SESSIONS_MAX = 1_000;

/** Every address by the system's resolver, in its order. */
export const resolveBySystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' });

/** Resolves a host to addresses that were all checked, or throws `UnresolvedName` or `RefusedAddress`. */
export type CheckedResolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** Puts the guard behind a resolver; concurrent questions about one name share one answer. */
export function createCheckedResolve(options: {
  guard: AddressGuard;
  lookup: Lookup;
  liveMode: boolean;
}): CheckedResolve {
  const { guard, lookup, liveMode } = options;
  const asked = new Map<string, Promise<ResolvedAddress[]>>();
  return async (hostname) => {
    const resolved = await shared(asked, hostname, lookup);
    const refusals = resolved.map(({ address }) => guard(address, liveMode));
    const reachable = resolved.filter((_, i) => refusals[i] === null);
    // A live name with one internal address is refused whole; in the sandbox `localhost` may be half permitted.
    const refusal = refusals.find((reason) => reason !== null);
    if (refusal !== undefined && (liveMode || reachable.length === 0))
      throw new RefusedAddress(refusedMessage(hostname, refusal));
    return reachable;
  };
}

async function shared(
  asked: Map<string, Promise<ResolvedAddress[]>>,
  hostname: string,
  lookup: Lookup,
): Promise<ResolvedAddress[]> {
  const under = asked.get(hostname);
  if (under) return under;
  const answer = resolveName(hostname, lookup).finally(() => asked.delete(hostname));
  asked.set(hostname, answer);
  return answer;
}

async function resolveName(hostname: string, lookup: Lookup): Promise<ResolvedAddress[]> {
  try {
    const family = isIP(hostname);
    const resolved = family === 0 ? await lookup(hostname) : [{ address: hostname, family }];
    if (resolved.length > 0) return resolved;
  } catch (cause) {
    throw new UnresolvedName(`${hostname} does not resolve: ${codeOf(cause)}`, { cause });
  }
  throw new UnresolvedName(`${hostname} has no address`);
}

function refusedMessage(hostname: string, reason: string): string {
  // Not the address: whoever registers names must not learn what our resolver knows of our own network.
  return `${hostname} is outside the public internet (${reason})`;
}

/** The code of a system error, or its name. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Makes the connector of one connection, which checks the address of every socket that it opens. */
export type ConnectorOf = (dialling: Dialling) => buildConnector.connector;

/** Builds connectors of one mode; modes share neither sockets nor TLS sessions. */
export function createConnectors(options: {
  guard: AddressGuard;
  resolve: CheckedResolve;
  liveMode: boolean;
}): ConnectorOf {
  const { guard, resolve, liveMode } = options;
  const connect = buildConnector({
    lookup: asNodeLookup(resolve),
    timeout: 0, // the exchange times every stage itself
    allowH2: false,
    maxCachedSessions: TLS_SESSIONS_MAX,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  });
  return (dialling) => (target, callback) => {
    dialling.socket = null;
    // Node asks no resolver about an address written in the URL.
    const refusal = isIP(target.hostname) === 0 ? null : guard(target.hostname, liveMode);
    if (refusal !== null) return callback(new RefusedAddress(refusedMessage(target.hostname, refusal)), null);
    dialling.stage = isIP(target.hostname) === 0 ? 'resolving' : 'connecting';
    const socket: unknown = connect(target, (error, opened) => {
      if (error !== null) return callback(error, null);
      const elsewhere = guard(opened.remoteAddress ?? '', liveMode); // the last word: where this socket really leads
      if (elsewhere !== null) {
        opened.destroy();
        return callback(new RefusedAddress(refusedMessage(target.hostname, elsewhere)), null);
      }
      dialling.stage = 'open';
      callback(null, opened);
    });
    follow(socket as Socket, { dialling, secure: target.protocol === 'https:' }); // undici returns it, its types do not say so
  };
}

function follow(socket: Socket, of: { dialling: Dialling; secure: boolean }): void {
  of.dialling.socket = socket;
  socket.once('connectionAttempt', () => {
    if (of.dialling.stage === 'resolving') of.dialling.stage = 'connecting';
  });
  socket.once('connect', () => {
    if (of.secure && of.dialling.stage !== 'open') of.dialling.stage = 'securing';
  });
}

function asNodeLookup(resolve: CheckedResolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) return callback(null, addresses);
        callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}
