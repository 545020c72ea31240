import ipaddr from 'ipaddr.js';

/** IANA's registry of special-purpose IPv4 addresses, its nested networks too, and those for multicast. */
const IPV4 = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '224.0.0.0/24',
  '232.0.0.0/8',
  '233.252.0.0/24',
  '239.0.0.0/8',
  '240.0.0.0/4',
  '255.255.255.255/32',
];

/** The same of IPv6, with what is not delegated to anybody; forms that hold an IPv4 address stand in `embedded`. */
const IPV6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '200::/7',
  '400::/6',
  '800::/5',
  '1000::/4',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/3',
  '5f00::/16',
  '6000::/3',
  '8000::/3',
  'a000::/3',
  'c000::/3',
  'e000::/4',
  'f000::/5',
  'f800::/6',
  'fc00::/7',
  'fd00::/8',
  'fe00::/9',
  'fe80::/10',
  'fe80::/64',
  'fec0::/10',
  'ff00::/8',
  'ff02::/16',
  'ff05::/16',
];

/** Where machines of clouds and clusters ask for their own keys, and other services of their host. */
const HOST_SERVICES = [
  '169.254.169.254', // AWS, Google, Azure, DigitalOcean, Oracle and others
  '169.254.169.253', // names of AWS
  '169.254.169.123', // time of AWS
  '169.254.170.2', // ECS
  '169.254.170.23', // EKS
  '169.254.42.42', // Scaleway
  '169.254.0.23', // Tencent
  '100.100.100.200', // Alibaba
  '100.100.100.100', // Tailscale
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  '10.96.0.1', // Kubernetes
  '10.43.0.1',
  '172.17.0.1', // Docker
  'fd00:ec2::254', // AWS
  'fd00:ec2::253',
  'fd00:ec2::23',
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
];

/** IPv4 addresses that are looked at in every form of IPv6 that holds one. */
const EMBEDDED = ['127.0.0.1', '0.0.0.0', '10.0.0.1', '172.31.255.254', '192.168.1.1', '169.254.169.254', '100.64.0.1'];
const TRANSLATED = [...EMBEDDED, '168.63.129.16', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'];

const hexOf = (address: string, mask = 0): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(address).toByteArray();
  return [(a << 8) | b, (c << 8) | d].map((word) => (word ^ mask).toString(16)).join(':');
};

/** Forms that reach what the IPv4 address is, wherever it leads. */
const REACHING = [(hex: string) => `::ffff:${hex}`, (hex: string) => `64:ff9b::${hex}`];
/** Forms of tunnels and of old standards. */
const TUNNELLED = [
  (hex: string) => `::${hex}`,
  (hex: string) => `::ffff:0:${hex}`,
  (hex: string) => `64:ff9b:1::${hex}`,
  (hex: string) => `2002:${hex}::1`,
  (hex: string) => `2001:0:${hex}::1`,
  (hex: string) => `fe80::5efe:${hex}`,
  (hex: string) => `2606:4700::5efe:${hex}`,
  (hex: string) => `2606:4700::200:5efe:${hex}`,
];

function embedded(): string[] {
  const reaching = TRANSLATED.flatMap((address) => REACHING.map((form) => form(hexOf(address))));
  const tunnelled = EMBEDDED.flatMap((address) => TUNNELLED.map((form) => form(hexOf(address))));
  // Teredo writes the address of its client turned over, behind a server that is a public one.
  const teredo = EMBEDDED.map((address) => `2001:0:808:808::${hexOf(address, 0xffff)}`);
  return [...reaching, ...tunnelled, ...teredo].map((address) => ipaddr.parse(address).toString());
}

const numberOf = (bytes: readonly number[]): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function addressAt(number: bigint, length: number): string {
  const bytes = Array.from({ length }, (_, i) => Number((number >> BigInt(8 * (length - 1 - i))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

interface Network {
  readonly first: bigint;
  readonly size: bigint;
  readonly bytes: number;
}

function networkOf(cidr: string): Network {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  return { first: numberOf(bytes), size: 1n << BigInt(8 * bytes.length - bits), bytes: bytes.length };
}

/** The first, the last and the middle ones of a network. */
function within(cidr: string): string[] {
  const { first, size, bytes } = networkOf(cidr);
  const offsets = [0n, 1n, size / 4n, size / 2n, size - 2n, size - 1n].filter(
    (offset) => offset >= 0n && offset < size,
  );
  return offsets.map((offset) => addressAt(first + offset, bytes));
}

/** Addresses that no delivery may reach, each once. */
export const specialAddresses: readonly string[] = [
  ...new Set([...IPV4.flatMap(within), ...IPV6.flatMap(within), ...HOST_SERVICES, ...embedded()]),
];

/** The addresses just before and behind each IPv4 network that are public. */
export function publicNeighbours(): string[] {
  const networks = IPV4.map(networkOf);
  const last = (1n << 32n) - 1n;
  const beside = networks
    .flatMap(({ first, size }) => [first - 1n, first + size])
    .filter((at) => at >= 0n && at <= last);
  const isSpecial = (at: bigint) => networks.some(({ first, size }) => at >= first && at < first + size);
  return [...new Set(beside.filter((at) => !isSpecial(at)).map((at) => addressAt(at, 4)))];
}
