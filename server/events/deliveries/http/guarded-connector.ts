import { isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { readInterimAnswers } from '../../../kernel/interim-answers.ts';
import type { NameQuestion, NameResolver, ResolvedAddress } from './name-resolver.ts';

/** Why a delivery may not connect to an address, in a word or two; null when it may. */
type AddressRefusal = string | null;

/** Says of each address whether a delivery of that mode may connect to it. */
export type AddressGuard = (address: string, liveMode: boolean) => AddressRefusal;

/** How far a connection has come, which tells what a failure of it means. */
export type ConnectionStage = 'resolving' | 'connecting' | 'securing' | 'open';

/** The part of a connection that its connector keeps up to date, with the account whose delivery opens it. */
export type Dialling = { readonly accountId: string; stage: ConnectionStage; socket: Socket | null };

/** The host is, or resolves to, an address that deliveries of this mode may not reach. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

const ADDRESS_ATTEMPT_MS = 1_000; // of one among several addresses, before the next is tried beside it
const TLS_SESSIONS_MAX = 1_000;

/** Resolves a host to addresses that were all checked, or throws `UnresolvedName` or `RefusedAddress`. */
type CheckedResolve = (question: NameQuestion) => Promise<ResolvedAddress[]>;

/** Puts the guard behind a resolver. */
export function createCheckedResolve(options: {
  guard: AddressGuard;
  names: NameResolver;
  liveMode: boolean;
}): CheckedResolve {
  const { guard, names, liveMode } = options;
  return async ({ hostname, accountId }) => {
    const resolved = await names.resolve({ hostname, accountId });
    const refusals = resolved.map(({ address }) => guard(address, liveMode));
    const reachable = resolved.filter((_, i) => refusals[i] === null);
    // A live name with one internal address is refused whole; in the sandbox `localhost` may be half permitted.
    const refusal = refusals.find((reason) => reason !== null);
    if (refusal !== undefined && (liveMode || reachable.length === 0))
      throw new RefusedAddress(refusedMessage(hostname, refusal));
    return reachable;
  };
}

function refusedMessage(hostname: string, reason: string): string {
  // Not the address: whoever registers names must not learn what our resolver knows of our own network.
  return `${hostname} is outside the public internet (${reason})`;
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
  // Node asks for the addresses within the call that connects, and names the host alone.
  let accountId = '';
  const connect = buildConnector({
    lookup: asNodeLookup((hostname) => resolve({ hostname, accountId })),
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
    accountId = dialling.accountId;
    const socket: unknown = connect(target, (error, opened) => {
      if (error !== null) return callback(error, null);
      const elsewhere = guard(opened.remoteAddress ?? '', liveMode); // the last word: where this socket really leads
      if (elsewhere !== null) {
        opened.destroy();
        return callback(new RefusedAddress(refusedMessage(target.hostname, elsewhere)), null);
      }
      dialling.stage = 'open';
      readInterimAnswers(opened);
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

function asNodeLookup(resolve: (hostname: string) => Promise<ResolvedAddress[]>): LookupFunction {
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

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const ISATAP_MARK = 0x5efe;
/** Stands before the mark where the IPv4 address is a public one. */
const ISATAP_OF_PUBLIC = 0x200;
/** Reaches a cloud host's own services from inside, though the number is a public one (Azure). */
const HOST_SERVICES = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/**
 * Lets deliveries reach the public internet and, in the sandbox, the given networks (CIDRs) too.
 *
 * What is not listed as public is refused, so an address of a kind that nobody thought of is refused as well.
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const isAllowed = createAllowance(allowedNetworks);
  return (text, liveMode) => {
    if (isIP(text) === 0) return 'not an IP address';
    if (!liveMode && isAllowed(text)) return null;
    const address = ipaddr.process(text); // an IPv4-mapped IPv6 address is the IPv4 address that it reaches
    return address instanceof ipaddr.IPv4 ? refusalOfIpv4(address) : refusalOfIpv6(address);
  };
}

/** Says of an address whether it is in one of the networks (CIDRs). */
export function createAllowance(allowedNetworks: readonly string[]): (address: string) => boolean {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    if (isIP(text) === 0) return false;
    const address = ipaddr.process(text);
    return allowed.some(([network, bits]) => covers([network, bits], address));
  };
}

function covers([network, bits]: [Address, number], address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

function refusalOfIpv4(address: ipaddr.IPv4): AddressRefusal {
  if (address.match(HOST_SERVICES)) return 'host services';
  const range = address.range();
  return range === 'unicast' ? null : range;
}

function refusalOfIpv6(address: ipaddr.IPv6): AddressRefusal {
  // A translator forwards to the IPv4 address in the last 32 bits. The other embeddings (6to4, Teredo, ISATAP, the local
  // translation prefix, the old IPv4-compatible form) are refused whole: no receiver lives there.
  if (address.match(NAT64)) return refusalOfIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  if (!address.match(GLOBAL_UNICAST)) return address.range() === 'unicast' ? 'reserved' : address.range();
  if (isIsatap(address)) return 'isatap';
  const range = address.range();
  return range === 'unicast' ? null : range;
}

/** Below any prefix, so that no range has it: a router of ours may tunnel to the IPv4 address in the last 32 bits. */
const isIsatap = ({ parts: [, , , , fourth = 0, fifth = 0] }: ipaddr.IPv6): boolean =>
  fifth === ISATAP_MARK && (fourth === 0 || fourth === ISATAP_OF_PUBLIC);
