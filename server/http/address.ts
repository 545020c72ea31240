import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that a customer of a provider is given at the least; the others are the customer's to choose. */
const NETWORK_BITS = 64;

/** Whom an address counts as: an IPv4 address itself, an IPv6 address its network, because whoever has one has all of it. */
export function countedAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${NETWORK_BITS}`)}/${NETWORK_BITS}`;
}
