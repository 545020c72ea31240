import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** One address of a name. */
export type ResolvedAddress = { address: string; family: number };

/** Resolves a name to all its addresses; the signal ends the look-up. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

const QUERY_TIMEOUT_MS = 1_500; // of the first try; each further one gets more
const QUERY_TRIES = 3;
const OTHER_FAMILY_MS = 250; // some name servers answer for IPv4 and are silent for IPv6
const HOSTS_KEPT_MS = 5_000;
const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up in the machine's hosts file, then at the name servers (`address` or `address:port`), by default those
 * of the machine.
 *
 * The system's own resolver would hold one of the process's few threads for each name whose name server is silent. Here a
 * look-up holds a socket and no thread, and it can be cancelled because its resolver is its own.
 */
export function createLookup(nameServers?: readonly string[]): Lookup {
  let hosts = { names: new Map<string, ResolvedAddress[]>(), readAtMs: Number.NEGATIVE_INFINITY };
  return async (hostname, signal) => {
    if (performance.now() - hosts.readAtMs > HOSTS_KEPT_MS) {
      hosts = { names: readHosts(hostsText()), readAtMs: performance.now() };
    }
    const known = addressesIn(hosts.names, hostname);
    return known.length > 0 ? known : askNameServers(hostname, { nameServers, signal });
  };
}

async function askNameServers(
  hostname: string,
  { nameServers, signal }: { nameServers: readonly string[] | undefined; signal: AbortSignal },
): Promise<ResolvedAddress[]> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  let hurry: NodeJS.Timeout | undefined;
  const answered = (addresses: string[]): ResolvedAddress[] => {
    hurry ??= setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  const [ipv4, ipv6] = await Promise.allSettled([
    resolver.resolve4(hostname).then(answered),
    resolver.resolve6(hostname).then(answered),
  ]);
  clearTimeout(hurry);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [ipv4, ipv6].flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
}

/** The names of a hosts file with their addresses, in its order. */
export function readHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((written) => written.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
    }
  }
  return hosts;
}

function addressesIn(hosts: Map<string, ResolvedAddress[]>, hostname: string): ResolvedAddress[] {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const isLocal = name === 'localhost' || name.endsWith('.localhost'); // never asked of a name server (RFC 6761)
  return [...(hosts.get(name) ?? (isLocal ? (hosts.get('localhost') ?? LOOPBACK) : []))];
}

function hostsText(): string {
  try {
    return readFileSync(HOSTS_FILE, 'utf8');
  } catch {
    return ''; // a machine may have none
  }
}
