import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { codeOf } from '../../../kernel/errors.ts';
import { FairSemaphore, NoPermit } from '../../../kernel/fair-semaphore.ts';

/** One address of a name. */
export type ResolvedAddress = { address: string; family: number };

/** Resolves a name to all its addresses; the signal ends the look-up. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

/** A name with the account on whose behalf it is looked up. */
export type NameQuestion = { hostname: string; accountId: string };

/** The host's name does not resolve, or was not looked up. */
export class UnresolvedName extends Error {
  override readonly name = 'UnresolvedName';
}

/** Names of one account: its endpoints, and what it registers meanwhile. */
const ACCOUNT_MAX = 8;
const IN_FLIGHT_MAX = 256;
const WAITING_MAX = 2_048;
/** Less than the first step of a ladder, so that no attempt fails by the answer that the one before it got. */
const UNRESOLVED_KEPT_MS = 10_000;
const UNRESOLVED_MAX = 4_096;

/**
 * Looks names up, so many at once for an account and for all of them: an account that has reached its bound is told so
 * without a look-up, beyond the bound of all accounts take turns. The time of a look-up begins with its turn, so that
 * whoever waited long is not told that the name does not resolve.
 *
 * Concurrent questions about one name share one look-up that is in flight; one that waits for its turn is shared by
 * questions of its account alone. An address is asked for anew each time; that there is none is remembered for a short while.
 */
export class NameResolver {
  readonly #lookup: Lookup;
  readonly #timeoutMs: number;
  readonly #semaphore: FairSemaphore;
  readonly #asked = new Map<string, Promise<ResolvedAddress[]>>();
  /** By account and name. */
  readonly #waiting = new Map<string, Promise<ResolvedAddress[]>>();
  readonly #askedBy = new Map<string, number>();
  readonly #unresolved = new Map<string, { error: UnresolvedName; atMs: number }>();

  constructor(options: { lookup: Lookup; timeoutMs: number }) {
    this.#lookup = options.lookup;
    this.#timeoutMs = options.timeoutMs;
    // Longer than a look-up: whoever has none in flight comes next when one ends.
    const timeoutMs = 2 * options.timeoutMs;
    this.#semaphore = new FairSemaphore({ total: IN_FLIGHT_MAX, each: ACCOUNT_MAX, timeoutMs });
  }

  /** Every address of a host, or throws `UnresolvedName`. */
  async resolve(question: NameQuestion): Promise<ResolvedAddress[]> {
    const { hostname, accountId } = question;
    const family = isIP(hostname);
    if (family !== 0) return [{ address: hostname, family }];
    const unresolved = this.#recallUnresolved(hostname);
    if (unresolved !== null) throw unresolved;
    const key = `${accountId} ${hostname}`;
    const asked = this.#asked.get(hostname) ?? this.#waiting.get(key);
    if (asked !== undefined) return asked;
    const leave = this.#enter(question);
    const answer = this.#inTurn(question).finally(() => {
      this.#waiting.delete(key);
      leave();
    });
    this.#waiting.set(key, answer);
    return answer;
  }

  async #inTurn({ hostname, accountId }: NameQuestion): Promise<ResolvedAddress[]> {
    const end = await this.#semaphore.acquire(accountId).catch((error: unknown) => {
      throw error instanceof NoPermit ? this.#late(hostname) : error;
    });
    try {
      const unresolved = this.#recallUnresolved(hostname);
      if (unresolved !== null) throw unresolved;
      // Another account's turn may have come first.
      const asked = this.#asked.get(hostname);
      if (asked !== undefined) return await asked;
      const answer = this.#ask(hostname).finally(() => this.#asked.delete(hostname));
      this.#asked.set(hostname, answer);
      return await answer;
    } finally {
      end();
    }
  }

  #recallUnresolved(hostname: string): UnresolvedName | null {
    const known = this.#unresolved.get(hostname);
    if (known === undefined) return null;
    if (performance.now() - known.atMs < UNRESOLVED_KEPT_MS) return known.error;
    this.#unresolved.delete(hostname);
    return null;
  }

  #enter({ hostname, accountId }: NameQuestion): () => void {
    const count = this.#askedBy.get(accountId) ?? 0;
    if (count >= ACCOUNT_MAX) {
      throw new UnresolvedName(`${hostname} was not looked up: ${count} other names of the account do not answer`);
    }
    if (this.#semaphore.use.waiting >= WAITING_MAX)
      throw new UnresolvedName(`${hostname} was not looked up: too many wait`);
    this.#askedBy.set(accountId, count + 1);
    return () => {
      const left = (this.#askedBy.get(accountId) ?? 0) - 1;
      if (left > 0) this.#askedBy.set(accountId, left);
      else this.#askedBy.delete(accountId);
    };
  }

  async #ask(hostname: string): Promise<ResolvedAddress[]> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(this.#late(hostname)), this.#timeoutMs);
    try {
      return await untilAborted(end.signal, addressesOf(hostname, this.#lookup(hostname, end.signal)));
    } catch (error) {
      if (error instanceof UnresolvedName) this.#remember(hostname, error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #late(hostname: string): UnresolvedName {
    return new UnresolvedName(`${hostname} did not resolve within ${this.#timeoutMs} ms`);
  }

  #remember(hostname: string, error: UnresolvedName): void {
    this.#unresolved.delete(hostname); // to the end: the map is in the order of the answers
    this.#unresolved.set(hostname, { error, atMs: performance.now() });
    const [oldest] = this.#unresolved.keys();
    if (this.#unresolved.size > UNRESOLVED_MAX && oldest !== undefined) this.#unresolved.delete(oldest);
  }
}

async function addressesOf(hostname: string, lookup: Promise<ResolvedAddress[]>): Promise<ResolvedAddress[]> {
  let resolved: ResolvedAddress[];
  try {
    resolved = await lookup;
  } catch (cause) {
    throw new UnresolvedName(`${hostname} does not resolve: ${codeOf(cause) ?? 'unknown error'}`, { cause });
  }
  if (resolved.length === 0) throw new UnresolvedName(`${hostname} has no address`);
  return resolved;
}

function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}

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
 * Looks names up in the machine's hosts file, then at the name servers (`address` or `address:port`); null
 * stands for those of the machine.
 *
 * The system's own resolver would hold one of the process's few threads for each name whose name server is silent. Here a
 * look-up holds a socket and no thread, and it can be cancelled because its resolver is its own.
 */
export function createLookup(nameServers: readonly string[] | null): Lookup {
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
  { nameServers, signal }: { nameServers: readonly string[] | null; signal: AbortSignal },
): Promise<ResolvedAddress[]> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (nameServers !== null) resolver.setServers(nameServers);
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
