import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why a delivery may not connect to an address, in a word or two; null when it may. */
export type AddressRefusal = string | null;

/** Says of each address whether a delivery of that mode may connect to it. */
export type AddressGuard = (address: string, liveMode: boolean) => AddressRefusal;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Reaches a cloud host's own services from inside, though the number is a public one (Azure). */
const HOST_SERVICES = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/**
 * Lets deliveries reach the public internet and, in the sandbox, the given networks (CIDRs) too.
 *
 * What is not listed as public is refused, so an address of a kind that nobody thought of is refused as well.
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return (text, liveMode) => {
    if (isIP(text) === 0) return 'not an IP address';
    const address = ipaddr.process(text); // an IPv4-mapped IPv6 address is the IPv4 address that it reaches
    if (!liveMode && allowed.some(([network, bits]) => covers([network, bits], address))) return null;
    return address instanceof ipaddr.IPv4 ? refusalOfIpv4(address) : refusalOfIpv6(address);
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
  // A translator forwards to the IPv4 address in the last 32 bits. The other embeddings (6to4, Teredo, the local
  // translation prefix, the old IPv4-compatible form) are refused whole: no receiver lives there.
  if (address.match(NAT64)) return refusalOfIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  if (!address.match(GLOBAL_UNICAST)) return address.range() === 'unicast' ? 'reserved' : address.range();
  const range = address.range();
  return range === 'unicast' ? null : range;
}
