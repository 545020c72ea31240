import { afterAll, beforeAll } from 'vitest';
import { type FakePsp, type MerchantCredentials, type ProfileName, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import { run } from '../../../server/db/statement.ts';
import type { Deps } from '../../../server/deps.ts';
import { PspClient } from '../../../server/payments/acquirer/api-pix/client.ts';
import type { ApiPixSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import { registerWebhook } from '../../../server/payments/acquirer/api-pix/webhook.ts';
import { noticeUrl } from '../../../server/payments/live/notice-url.ts';
import { openSettings, readLiveAcquirer, setLiveAcquirer } from '../../../server/payments/live/store.ts';
import { caseSteps, type PlainCase } from '../../../workflows/steps.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';
import { ownStatement } from '../../support/statements.ts';
import { settingsFor } from './psp.ts';

const takeWork = ownStatement('live_take_work', `DELETE FROM outbox WHERE account_id = $1 RETURNING kind, key`);
const countWork = ownStatement('live_count_work', 'SELECT count(*)::int AS rows FROM outbox WHERE account_id = $1');
const readQr = ownStatement(
  'live_qr_of_invoice',
  `SELECT c.id AS txid FROM pix_charge c WHERE c.invoice_id = $1 ORDER BY c.id DESC LIMIT 1`,
);
const ROUNDS_MAX = 20;

/** An account whose live money a fake PSP moves. */
export class LiveShop {
  readonly deps: Deps;
  readonly psp: FakePsp;
  readonly credentials: MerchantCredentials;
  readonly merchant: Merchant;
  /** Where its callbacks come to. */
  readonly noticeUrl: string;
  readonly #open = new Map<string, { kind: PlainCase; key: string }>();

  constructor(parts: Pick<LiveShop, 'deps' | 'psp' | 'credentials' | 'merchant' | 'noticeUrl'>) {
    this.deps = parts.deps;
    this.psp = parts.psp;
    this.credentials = parts.credentials;
    this.merchant = parts.merchant;
    this.noticeUrl = parts.noticeUrl;
  }

  get fatura() {
    return this.merchant.fatura;
  }

  /** An invoice with a QR code. */
  async sell(amount = 4_000): Promise<{ invoice: string; intent: string; txid: string; copyPaste: string }> {
    const invoice = await this.invoice(amount);
    return { invoice, ...(await this.checkout(invoice)) };
  }

  /** An invoice that nobody was asked to pay yet. */
  async invoice(amount: number): Promise<string> {
    return (await newInvoice(this.merchant, { amount })).id;
  }

  async checkout(invoice: string): Promise<{ intent: string; txid: string; copyPaste: string }> {
    const { payment_intent: intent, payment_method: method } = await this.fatura.invoices.checkout(invoice, {
      payment_method_type: 'pix',
    });
    return { intent: intent ?? '', txid: await this.txidOf(invoice), copyPaste: method?.pix?.pix_copy_paste ?? '' };
  }

  async txidOf(invoice: string): Promise<string> {
    const [qr] = await run<{ txid: string }>(this.deps.pool, readQr, [invoice]);
    return qr?.txid ?? '';
  }

  pay(txid: string, options: Parameters<FakePsp['pay']>[2] = {}): string {
    return this.psp.pay(this.credentials, txid, options);
  }

  /** Looks once at every case that goes on or that the relay would start; answers how many did not end. */
  async work(deps: Deps = this.deps): Promise<number> {
    type Work = { kind: PlainCase; key: string } & Record<string, unknown>;
    // The case of a subscription is a workflow of its own: the tests of a renewal do its steps.
    for (const { kind, key } of await run<Work>(this.deps.pool, takeWork, [this.merchant.accountId]))
      if (kind in caseSteps) this.#open.set(`${kind}/${key}`, { kind, key });
    for (const [name, { kind, key }] of [...this.#open]) {
      this.#open.delete(name);
      if (!(await caseSteps[kind](deps, key)).done) this.#open.set(name, { kind, key });
    }
    return this.#open.size;
  }

  /** Once the PSP has sent every callback, every case is seen through. */
  async rest(deps: Deps = this.deps): Promise<void> {
    await this.psp.quiet();
    for (let round = 0; round < ROUNDS_MAX; round += 1)
      if ((await this.work(deps)) === 0 && !(await this.#hasWork())) return;
    throw new Error(`it does not come to rest: ${[...this.#open.keys()].join(', ')}`);
  }

  async #hasWork(): Promise<boolean> {
    const [found] = await run<{ rows: number }>(this.deps.pool, countWork, [this.merchant.accountId]);
    return found?.rows !== 0;
  }
}

/** What a live shop is opened at. */
export type Opening = Pick<RealTimeApi, 'baseUrl' | 'composition' | 'newMerchant'>;

/** Opens an account, configures its PSP, and registers its callbacks there unless they are not wanted. */
export async function openLiveShop(
  api: Opening,
  {
    profile = 'standard',
    psp,
    callbacks = true,
    given = {},
  }: { profile?: ProfileName; psp?: FakePsp; callbacks?: boolean; given?: Partial<ApiPixSettings> } = {},
): Promise<LiveShop> {
  const { deps } = api.composition;
  const bank = psp ?? (await startFakePsp({ profile, callbackRetriesMs: [10, 50] }));
  const credentials = await bank.newMerchant();
  const account = await api.newMerchant();
  const merchant = { ...account, fatura: account.live };
  const settings = { ...settingsFor(bank, credentials, profile), ...given };
  const certificateEndsAt = new Date(deps.clock.real() * 1_000 + 86_400_000);
  const row = { accountId: account.accountId, method: 'pix', settings, certificateEndsAt } as const;
  await setLiveAcquirer(rolesOf(deps.pool).operator.pool, deps.secretBox, row);
  const noticeUrl = await noticeUrlOf(api, account.accountId);
  const shop = new LiveShop({ deps, psp: bank, credentials, merchant, noticeUrl });
  if (callbacks) await registerCallbacks(shop, settings);
  return shop;
}

/** The service on real time, with PSPs that end with the tests of a file. */
export function liveScene() {
  let api: RealTimeApi;
  const psps = new Set<FakePsp>();
  beforeAll(async () => {
    api = await startRealTimeApi();
  });
  afterAll(async () => {
    await Promise.all([...psps].map((psp) => psp.close()));
    await api.stop();
  });
  return {
    api: () => api,
    /** A PSP that ends with the tests. */
    async openPsp(profile: ProfileName = 'standard'): Promise<FakePsp> {
      const psp = await startFakePsp({ profile });
      psps.add(psp);
      return psp;
    },
    async openShop(options: Parameters<typeof openLiveShop>[1] = {}): Promise<LiveShop> {
      const shop = await openLiveShop(api, options);
      psps.add(shop.psp);
      return shop;
    },
  };
}

async function noticeUrlOf({ baseUrl, composition: { deps } }: Opening, accountId: string): Promise<string> {
  const row = await readLiveAcquirer(deps.pool, { accountId, method: 'pix' });
  if (row === null) throw new Error(`${accountId} has no acquirer`);
  return noticeUrl(baseUrl, openSettings(deps.secretBox, row).noticeToken);
}

const TOPICS = ['webhook', 'webhookrec', 'webhookcobr'] as const;

async function registerCallbacks({ noticeUrl: url }: LiveShop, settings: ApiPixSettings): Promise<void> {
  const client = new PspClient(settings);
  const refusals = [];
  for (const topic of settings.receiverAccount === null ? (['webhook'] as const) : TOPICS)
    refusals.push(await registerWebhook(client, topic, url));
  const refusal = refusals.find((one) => one !== null) ?? null;
  await client.close();
  if (refusal !== null) throw new Error(refusal);
}
