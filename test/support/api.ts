import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoginUrls } from '../../dev/embedded/postgres-logins.ts';
import { type AuditOptions, audit } from '../../ops/audit/audit.ts';
import { Fatura } from '../../sdk/src/index.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { createApp } from '../../server/app.ts';
import { type ComposeOptions, type Composition, compose } from '../../server/compose.ts';
import type { Database } from '../../server/db/database.ts';
import { createHttpServer } from '../../server/http/http-server.ts';
import { civilDay, isoDate } from '../../server/kernel/brazil.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { type AccountClock, type Clock, DAY, HOUR, REAL_CLOCK, type Timestamp } from '../../server/kernel/time.ts';
import { createLogger } from '../../server/logging.ts';
import { createDatabase } from './database.ts';
import { type Failpoint, reportSteps } from './failpoints.ts';
import { findLeaks } from './leaks.ts';
import { unreachedLimits } from './limits.ts';
import { asApi, takeRoles } from './roles.ts';

/** A clock that moves only when told; all accounts of a test share it. */
export class FakeClock implements Clock {
  #now: Timestamp;
  constructor(now: Timestamp = Math.floor(Date.now() / 1_000)) {
    this.#now = now;
  }
  now(scope: { clock: AccountClock } = { clock: REAL_CLOCK }): Timestamp {
    return scope.clock.heldAt ?? this.#now + scope.clock.aheadSeconds;
  }
  real(): Timestamp {
    return this.#now;
  }
  advance(seconds: number): void {
    this.#now += seconds;
  }
  /** To an hour of the civil day in São Paulo, the next one that comes. */
  advanceToHour(hour: number): void {
    this.#now = nextHour(this.#now, hour);
  }
}

/** The next instant at which it is this hour of the civil day in São Paulo. */
export function nextHour(now: Timestamp, hour: number): Timestamp {
  const today = civilDay(isoDate(now)).from + hour * HOUR;
  return today >= now ? today : today + DAY;
}

export interface Merchant {
  readonly accountId: string;
  readonly sandboxKey: string;
  readonly liveKey: string;
  /** The SDK with the sandbox key. */
  readonly fatura: Fatura;
  /** The SDK with the live key. */
  readonly live: Fatura;
}

export interface RealTimeApi {
  readonly baseUrl: string;
  /** The superuser's. */
  readonly databaseUrl: string;
  /** Those of the programs. */
  readonly urls: LoginUrls;
  readonly encryptionKey: Uint8Array;
  readonly composition: Composition;
  /** The database as operators log in to it. */
  readonly operator: Database;
  /** A new account with limits that no test reaches, unless it sets its own; `clock` is its sandbox's first instant. */
  newMerchant(options?: { clock?: Timestamp }): Promise<Merchant>;
  /** Every line of the log so far. */
  logged(): string;
  /** Proves the invariants of the whole database and that no card was kept anywhere, then takes everything down. */
  stop(): Promise<void>;
}

export interface TestApi extends RealTimeApi {
  readonly clock: FakeClock;
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Retries would hide an answer that a test wants to see. */
export const sdkFor = (baseUrl: string, apiKey: string): Fatura => new Fatura({ apiKey, baseUrl, retries: 0 });

/** How long work of a worker, which no test of the API alone has, may lie about until the audit. */
type Patience = Pick<AuditOptions, 'patienceSeconds'>;

type Reach = Partial<Pick<ComposeOptions, 'webhookAllowedNetworks' | 'webhookNameServers' | 'publicUrl'>>;

/** Called at each step of a use case that `steps` of failpoints.ts names. */
type Steps = { readonly failpoint?: Failpoint };

/** The whole API in this process, on a database of its own and a clock that the test moves. */
export async function startApi({
  patienceSeconds,
  ...options
}: Steps & Pick<ComposeOptions, 'mail' | 'oidc' | 'temporalUi' | 'tracing'> & Reach & Patience = {}): Promise<TestApi> {
  const clock = new FakeClock();
  const held = { validateResponses: true, ...(patienceSeconds !== undefined && { patienceSeconds }) };
  return { ...(await startOn({ ...options, clock }, held)), clock };
}

/** The same on the service's own clock, for what real time brings; its objects may be such as no contract knows. */
export const startRealTimeApi = ({
  validateResponses = true,
  ...options
}: Steps & { validateResponses?: boolean } = {}): Promise<RealTimeApi> => startOn(options, { validateResponses });

async function startOn(
  { failpoint, ...options }: Steps & Pick<ComposeOptions, 'mail' | 'oidc' | 'temporalUi' | 'tracing' | 'clock'> & Reach,
  { validateResponses, ...patience }: { validateResponses: boolean } & Patience,
): Promise<RealTimeApi> {
  const database = await createDatabase();
  const encryptionKey = randomBytes(32);
  const log: string[] = [];
  const composition = await compose({
    databaseUrl: database.urls.api,
    keyRing: createKeyRing([encryptionKey]),
    publicUrl: 'http://127.0.0.1:3000',
    sharedByAccounts: true,
    trustProxy: 0,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    webhookAllowedNetworks: LOOPBACK,
    quotesAllowedNetworks: true,
    // Everything is logged, and read at the end.
    logger: createLogger({ level: 'trace', process: 'api', destination: { write: (line) => void log.push(line) } }),
    ...options,
  });
  if (failpoint !== undefined) reportSteps(composition.deps, failpoint);
  const roles = await takeRoles(composition.database.pool, database.url);
  const readiness = {
    check: async () => ({ database: true, everReady: true, degraded: [] }),
    workerMetrics: async () => [],
  };
  const app = createApp(composition.deps, { readiness, validateResponses });
  const server = await new Promise<Server>((resolve) => {
    const { server: listening } = createHttpServer(
      (request, response) => asApi(() => app(request, response)),
      composition.deps,
    );
    listening.listen(0, '127.0.0.1', () => resolve(listening));
  });
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl,
    databaseUrl: database.url,
    urls: database.urls,
    encryptionKey,
    composition,
    operator: roles.operator,
    async newMerchant({ clock: start } = {}) {
      const account = await createAccount(roles.operator, { name: 'Loja do Teste', email: 'dono@loja.test' });
      await setLimits(roles.operator, account.id, unreachedLimits);
      if (start !== undefined) {
        const ahead = 'UPDATE account SET sandbox_offset_seconds = $2 WHERE id = $1';
        await composition.database.pool.query(ahead, [account.id, start - composition.deps.clock.real()]);
      }
      return {
        accountId: account.id,
        sandboxKey: account.sandbox_key,
        liveKey: account.live_key,
        fatura: sdkFor(baseUrl, account.sandbox_key),
        live: sdkFor(baseUrl, account.live_key),
      };
    },
    logged: () => log.join(''),
    async stop() {
      const { pool, secretBox, metrics, clock } = composition.deps;
      const findings = await audit(roles.auditor, { now: clock.real(), ...patience });
      const left = { pool, secretBox, log: log.join(''), metrics: await metrics.registry.metrics() };
      const leaks = await findLeaks(left);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await composition.close();
      await roles.close();
      await database.drop();
      if (findings.length > 0) throw new Error(`the audit found:\n${findings.join('\n')}`);
      if (leaks.length > 0) throw new Error(`card data was kept:\n${leaks.join('\n')}`);
    },
  };
}
