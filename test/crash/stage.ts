import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { audit } from '../../ops/audit/audit.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { type Composition, compose } from '../../server/compose.ts';
import type { Database } from '../../server/db/database.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { realTime } from '../../server/kernel/time.ts';
import { type BankCall, type CallSettings, changeBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { type Merchant, sdkFor } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { unreachedLimits } from '../support/limits.ts';
import { takeRoles } from '../support/roles.ts';
import { type ApiProcess, ApiProcesses, type Served, startApiProcess } from './processes.ts';

/** What the bank does with the calls of one account. */
export type BankMode = Partial<Record<BankCall, CallSettings>>;

/** A merchant as one process serves it. */
export interface ServedMerchant extends Merchant {
  readonly baseUrl: string;
}

/** A merchant of a cell's own, so that neither its bank's behaviour nor its books meet those of another cell. */
export interface Shop {
  readonly accountId: string;
  /** The merchant's client at one of the processes. */
  at(process: ApiProcess): ServedMerchant;
}

/** One database with API processes that come and go, and the part of the worker that tests play. */
export interface Stage {
  readonly composition: Composition;
  readonly served: Served;
  readonly processes: ApiProcesses;
  /** An API process that nothing kills and that nothing but last questions are asked. */
  readonly witness: ApiProcess;
  newShop(): Promise<Shop>;
  behave(shop: Shop, mode: BankMode): Promise<void>;
  /** Sentences of what is wrong; none when all is right. */
  audit(): Promise<string[]>;
  stop(): Promise<void>;
}

const composeFor = ({ databaseUrl, encryptionKey }: Served): Promise<Composition> =>
  compose({
    databaseUrl: loginUrls(databaseUrl).api,
    keyRing: createKeyRing([encryptionKey]),
    publicUrl: 'http://127.0.0.1:3000',
    sharedByAccounts: true,
    trustProxy: 0,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    webhookAllowedNetworks: [],
    logger: pino({ level: 'silent' }),
  });

async function newShop(database: Database): Promise<Shop> {
  const account = await createAccount(database, { name: 'Loja do Teste', email: 'dono@loja.test' });
  const { id: accountId, sandbox_key: sandboxKey, live_key: liveKey } = account;
  await setLimits(database, accountId, unreachedLimits);
  return {
    accountId,
    at: ({ baseUrl }) => ({
      baseUrl,
      accountId,
      sandboxKey,
      liveKey,
      fatura: sdkFor(baseUrl, sandboxKey),
      live: sdkFor(baseUrl, liveKey),
    }),
  };
}

export async function startStage(): Promise<Stage> {
  const database = await createDatabase();
  const served = { databaseUrl: database.url, encryptionKey: randomBytes(32) };
  const processes = new ApiProcesses(served);
  const [composition, witness] = await Promise.all([composeFor(served), startApiProcess(served)]);
  const { pool } = composition.deps;
  const roles = await takeRoles(pool, database.url);
  return {
    composition,
    served,
    processes,
    witness,
    newShop: () => newShop(roles.operator),
    async behave({ accountId }, mode) {
      // The names of a mode are those of the bank's calls; Object.entries forgets that.
      for (const [call, changes] of Object.entries(mode) as [BankCall, CallSettings][])
        await changeBehaviour(pool, { accountId, call, changes });
    },
    audit: () => audit(roles.auditor, { now: realTime() }),
    async stop() {
      await Promise.all([processes.stop(), witness.kill9()]);
      await composition.close();
      await roles.close();
      await database.drop();
    },
  };
}
