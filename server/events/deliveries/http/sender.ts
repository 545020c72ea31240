import { FairSemaphore } from '../../../kernel/fair-semaphore.ts';
import { isLive, MODES, modeOf, perMode } from '../../../kernel/mode.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type Download, type DownloadRequest, Downloads } from './download.ts';
import { Exchange, type ExchangeLimits, type SendResult } from './exchange.ts';
import {
  createAddressGuard,
  createAllowance,
  createCheckedResolve,
  createConnectors,
  RefusedAddress,
} from './guarded-connector.ts';
import { createLookup, type Lookup, NameResolver } from './name-resolver.ts';
import { readTarget, type Target } from './target-url.ts';

export type { Download } from './download.ts';
export type { SendResult } from './exchange.ts';
export type { SendFailure } from './failures.ts';
export type { Lookup, ResolvedAddress } from './name-resolver.ts';

/** One delivery attempt, signed. */
export type SignedDelivery = {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  accountId: string;
  liveMode: boolean;
  /** Less time than the 15 s, for attempts inside an advance of the test clock. */
  timeoutMs?: number;
};

/** Whether a URL may be registered as an endpoint; `dns` says only that its name does not resolve now. */
export type TargetVerdict = { ok: true } | { ok: false; failure: 'dns' | 'private_address'; detail: string };

/** Sends webhook deliveries, and fetches what merchants show, at permitted addresses only. */
export type Sender = {
  /** Sends one delivery. Never rejects for what a receiver or a URL does; rejects when the caller passes `inUseMax`. */
  post(delivery: SignedDelivery): Promise<SendResult>;
  /** Bounds the deliveries that requests wait for, by account and mode. */
  readonly waited: FairSemaphore;
  checkTarget(target: Target): Promise<TargetVerdict>;
  /** Whether a sandbox target leads nowhere but to the operator's allowed networks, as far as its name resolves now. */
  isAllowedNetwork(target: Target): Promise<boolean>;
  /** Fetches a small file. Never rejects for what a server does. */
  get(request: DownloadRequest): Promise<Download>;
  /** Refuses further deliveries and resolves when those in flight have ended. */
  close(): Promise<void>;
};

/** The networks beside the public internet that sandbox deliveries may reach; the rest is for tests and tuning. */
export type SenderOptions = Partial<ExchangeLimits> & {
  allowedNetworks: readonly string[];
  /** Whether what those networks answer is shown to merchants: where nobody but this machine reaches the API. */
  quotesAllowedNetworks?: boolean;
  /** The name servers to ask, `address` or `address:port`; null, the default: those of the machine. */
  nameServers?: readonly string[] | null;
  lookup?: Lookup;
  /** How many deliveries of a mode may be in flight at once. */
  inUseMax?: number;
  /** How many unused connections are kept, to all receivers of a mode together. */
  idleMax?: number;
};

const CONNECT_TIMEOUT_MS = 5_000; // name, TCP and TLS together
const RESPONSE_TIMEOUT_MS = 15_000; // from the start to the last header
const BODY_TIMEOUT_MS = 2_000; // from the last header to the end of the body, within the 15 s
const WAITED = { each: 4, total: 512 };
const IN_USE_MAX = 2_048;
const IDLE_MAX = 512;
const IDLE_MS = 30_000; // or sooner, by the receiver's Keep-Alive header
const LIFETIME_MS = 300_000;

/** Makes the sender; it throws if an allowed network is not a CIDR. */
export function createSender(options: SenderOptions): Sender {
  const guard = createAddressGuard(options.allowedNetworks);
  const isAllowed = createAllowance(options.allowedNetworks);
  const limits = {
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    responseTimeoutMs: options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS,
    bodyTimeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
  };
  const lookup = options.lookup ?? createLookup(options.nameServers ?? null);
  const names = () => new NameResolver({ lookup, timeoutMs: limits.connectTimeoutMs });
  const resolve = perMode((mode) => createCheckedResolve({ guard, names: names(), liveMode: isLive(mode) }));
  const connectors = perMode((mode) => createConnectors({ guard, resolve: resolve[mode], liveMode: isLive(mode) }));
  const bounds = {
    inUseMax: options.inUseMax ?? IN_USE_MAX,
    idleMax: options.idleMax ?? IDLE_MAX,
    idleMs: IDLE_MS,
    lifetimeMs: LIFETIME_MS,
  };
  const pools = perMode((mode) => new ConnectionPool(connectors[mode], bounds));
  const downloads = perMode((mode) => new Downloads(pools[mode]));
  return {
    get: (request) => downloads[modeOf(request.target)].get(request),
    waited: new FairSemaphore(WAITED),
    post: (delivery) =>
      new Promise((settle) => {
        const target = readTarget(delivery.url, delivery);
        if ('problem' in target) settle(refusedUrl(target.problem));
        else {
          const pool = pools[modeOf(target)];
          const hides = (address: string) =>
            !target.liveMode && options.quotesAllowedNetworks !== true && isAllowed(address);
          new Exchange({ pool, limits: limitsOf(delivery, limits), target, delivery, hides, resolve: settle }).start();
        }
      }),
    checkTarget: (target) =>
      resolve[modeOf(target)](target).then(
        () => ({ ok: true }),
        (error: Error) => ({
          ok: false,
          failure: error instanceof RefusedAddress ? 'private_address' : 'dns',
          detail: error.message,
        }),
      ),
    isAllowedNetwork: async (target) => {
      if (target.liveMode || options.allowedNetworks.length === 0) return false;
      const addresses = await resolve.sandbox(target).catch(() => []);
      return addresses.length > 0 && addresses.every(({ address }) => isAllowed(address));
    },
    close: async () => {
      await Promise.all(MODES.map((mode) => pools[mode].close()));
    },
  };
}

function limitsOf({ timeoutMs }: SignedDelivery, limits: ExchangeLimits): ExchangeLimits {
  return timeoutMs === undefined
    ? limits
    : { ...limits, responseTimeoutMs: Math.min(timeoutMs, limits.responseTimeoutMs) };
}

function refusedUrl(problem: string): SendResult {
  return {
    ok: false,
    failure: 'connection',
    status: null,
    durationMs: 0,
    retryAfterSeconds: null,
    detail: `the URL ${problem}`,
    answer: null,
  };
}
