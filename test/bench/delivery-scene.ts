import { setTimeout as sleep } from 'node:timers/promises';
import { Fatura } from '../../sdk/src/index.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';
import { unreachedLimits } from '../support/limits.ts';
import type { Shop } from './backlog.ts';
import type { BenchContext } from './bench.ts';
import { type Merchant, startMerchant } from './merchant.ts';
import type { Secrets } from './receiver.ts';
import type { Stage } from './stage.ts';

/** As many as an account may have in each mode. */
export const ENDPOINTS_OF_A_SHOP = 5;
/** As long as an `invoice.created` event, so that the figures speak of real bodies. */
const DESCRIPTION = 'Acesso completo ao curso, com certificado. '.repeat(18).trim();
const WRITTEN_BACK_WAIT_MS = 120_000;
const POLL_MS = 200;
const FORGET_TRIES_MAX = 20;

/** Shops whose endpoints are all at one receiver, each at a path and with a secret of its own. */
export interface Market {
  readonly shops: readonly Shop[];
  readonly secrets: Secrets;
  /** Of each shop. */
  readonly endpoints: number;
}

export interface DeliveryScene {
  readonly context: BenchContext;
  readonly stage: Stage;
  readonly merchant: Merchant;
  readonly watched: {
    readonly worker: number;
    readonly temporal: number;
    readonly postgres: number;
    readonly receiver: number;
  };
}

export async function setScene(context: BenchContext): Promise<DeliveryScene> {
  const stage = await context.setStage();
  const merchant = await startMerchant(context.teardown);
  const { worker, temporal } = await stage.startWorker();
  const watched = { worker, temporal, postgres: stage.pids.postgres, receiver: merchant.pid };
  return { context, stage, merchant, watched };
}

/** A new shop with endpoints at paths of their own. */
export async function openShop(
  scene: Pick<DeliveryScene, 'stage'>,
  { urls }: { urls: readonly string[] },
): Promise<{ shop: Shop; secrets: Secrets; fatura: Fatura }> {
  const database = await openDatabase(scene.stage.databaseUrl, { entities, size: 1 });
  const account = await createAccount(database, { name: 'Loja da Medida', email: 'dono@loja.test' });
  await setLimits(database, account.id, unreachedLimits);
  await database.close();
  const baseUrl = `http://127.0.0.1:${scene.stage.port}`;
  const fatura = new Fatura({ apiKey: account.sandbox_key, baseUrl, retries: 0 });
  const created = await fatura.products.create({ name: 'Curso', description: DESCRIPTION });
  const secrets: Record<string, string> = {};
  for (const url of urls) {
    const { secret } = await fatura.webhookEndpoints.create({ url, event_types: ['product.updated'] });
    if (secret === undefined) throw new Error('the new endpoint shows no secret');
    secrets[new URL(url).pathname] = secret;
  }
  // Its own text, without what the client adds to an answer.
  return { shop: { accountId: account.id, product: JSON.parse(JSON.stringify(created)) }, secrets, fatura };
}

/** Shops that have so many endpoints together. */
export async function openMarket(scene: DeliveryScene, endpoints: number): Promise<Market> {
  const each = Math.min(endpoints, ENDPOINTS_OF_A_SHOP);
  const market = { shops: [] as Shop[], secrets: {} as Record<string, string>, endpoints: each };
  for (let nth = 0; nth < endpoints / each; nth += 1) {
    const urls = Array.from(
      { length: each },
      (_, own) => `http://127.0.0.1:${scene.merchant.port}/${endpoints}/${nth}/${own}`,
    );
    const { shop, secrets } = await openShop(scene, { urls });
    market.shops.push(shop);
    Object.assign(market.secrets, secrets);
  }
  return market;
}

const UNDELIVERED = `SELECT count(*)::int AS count FROM delivery WHERE status <> 'delivered' OR attempts <> 1`;

export async function untilWrittenBack({ pool }: Stage): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(UNDELIVERED);
    if (rows[0]?.count === 0) return;
    if (performance.now() - startedMs > WRITTEN_BACK_WAIT_MS) {
      throw new Error(`${rows[0]?.count} deliveries are not "delivered" with one attempt`);
    }
    await sleep(POLL_MS);
  }
}

/** Every delivery was made by one attempt, and lists say so. */
export async function checkRows({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ deliveries: number; attempts: number; wrong: number }>(
    `SELECT (SELECT count(*)::int FROM delivery) AS deliveries, (SELECT count(*)::int FROM delivery_attempt) AS attempts,
       (SELECT count(*)::int FROM event_delivery_status s WHERE s.type = 'product.updated' AND s.status <> 'delivered') AS wrong`,
  );
  const { deliveries = 0, attempts = -1, wrong = -1 } = rows[0] ?? {};
  if (deliveries !== attempts) throw new Error(`${deliveries} deliveries have ${attempts} attempts`);
  if (wrong !== 0) throw new Error(`${wrong} events are not listed as delivered`);
  return deliveries;
}

/** Removes what was told, so that the next figure begins on tables as small as the first one's. */
export async function forgetEvents({ pool }: Stage): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    // A worker that still claims may hold one of the tables and wait for another.
    const done = await pool
      .query('TRUNCATE event, event_delivery_status, delivery, delivery_attempt')
      .catch((error) => {
        if (tries >= FORGET_TRIES_MAX) throw error;
      });
    if (done !== undefined) return;
  }
}
