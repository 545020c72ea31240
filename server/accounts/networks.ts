import ipaddr from 'ipaddr.js';

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const V6_BITS = 128;
const V4_BITS = 32;
/** Bits before the IPv4 address in one that is mapped into IPv6. */
const MAPPED_BITS = V6_BITS - V4_BITS;

/** A network as it is stored, or what is wrong with the text; a single address is a network of its own. */
export function readNetwork(text: string): { readonly network: string } | { readonly problem: string } {
  const parsed = parse(text.trim());
  if (parsed === null) return { problem: 'is no network such as 203.0.113.0/24 or 2001:db8::/32' };
  const [address, bits] = parsed;
  const network = `${networkAddress(parsed)}/${bits}`;
  if (network !== `${address.toString()}/${bits}`)
    return { problem: `has bits beyond its mask: the network is ${network}` };
  return { network };
}

const networkAddress = ([address, bits]: Network): string =>
  (address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)
  ).toString();

function parse(text: string): Network | null {
  const [, host = '', mask] = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  // Forms such as 10.1 or 0x7f.1 mean something else to every reader.
  if (!ipaddr.IPv6.isValid(host) && !ipaddr.IPv4.isValidFourPartDecimal(host)) return null;
  const address = ipaddr.parse(host);
  const most = address instanceof ipaddr.IPv4 ? V4_BITS : V6_BITS;
  const bits = mask === undefined ? most : Number(mask);
  return bits > most ? null : unmapped([address, bits]);
}

/** A client by IPv4 is seen as `::ffff:203.0.113.7` where the server listens on both: the two are one address. */
function unmapped([address, bits]: Network): Network {
  if (address instanceof ipaddr.IPv4 || !address.isIPv4MappedAddress() || bits < MAPPED_BITS) return [address, bits];
  return [address.toIPv4Address(), bits - MAPPED_BITS];
}

/** What is wrong with a text that should be a network, for the validation of requests. */
export const networkForms = {
  network: (text: string): string | null => {
    const read = readNetwork(text);
    return 'problem' in read ? read.problem : null;
  },
};

/** A text that passed validation, as it is stored. */
export function storedNetwork(text: string): string {
  const read = readNetwork(text);
  if ('problem' in read) throw new Error(read.problem);
  return read.network;
}

/** Whether each address of some networks is in one of others; without networks any address is meant. */
export function areWithin(networks: readonly string[], others: readonly string[]): boolean {
  if (others.length === 0) return true;
  if (networks.length === 0) return false;
  const around = others.map(parse).filter((network) => network !== null);
  return networks.every((text) => {
    const [address, bits] = parse(text) ?? [];
    if (address === undefined || bits === undefined) return false;
    return around.some(
      ([other, most]) => other.kind() === address.kind() && bits >= most && address.match(other, most),
    );
  });
}

/** Whether an address is in one of the networks; without networks any is. What is no address is in none. */
export function createNetworkTest(networks: readonly string[]): (address: string | undefined) => boolean {
  if (networks.length === 0) return () => true;
  const known = networks.map(parse).filter((network) => network !== null);
  return (address) => {
    if (address === undefined || !ipaddr.isValid(address)) return false;
    const client = ipaddr.process(address);
    return known.some(([network, bits]) => network.kind() === client.kind() && client.match(network, bits));
  };
}
