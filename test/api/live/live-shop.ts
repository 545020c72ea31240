import {
  type FakePsp,
  type MerchantCredentials,
  type ProfileName,
  startFakePsp,
} from '../../../scripts/fake-psp/psp.ts';
import { run } from '../../../server/db/statement.ts';
import type { Deps } from '../../../server/deps.ts';
import { PspClient } from '../../../server/payments/acquirer/api-pix/client.ts';
import type { ApiPixSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import { registerWebhook } from '../../../server/payments/acquirer/api-pix/webhook.ts';
import { noticeUrl } from '../../../server/payments/live/notice-url.ts';
import { openSettings, readLiveAcquirer, setLiveAcquirer } from '../../../server/payments/live/store.ts';
import { type CaseKind, caseSteps } from '../../../workflows/steps.ts';
import type { Merchant, RealTimeApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { settingsFor } from './psp.ts';

const takeWork = ownStatement('live_take_work', `DELETE FROM outbox WHERE account_id = $1 RETURNING kind, key`);
const readToken = ownStatement(
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
    const { id: invoice } = await newInvoice(this.merchant, { amount });
    return { invoice, ...(await this.checkout(invoice)) };
  }

  async checkout(invoice: string): Promise<{ intent: string; txid: string; copyPaste: string }> {
    const { payment_intent: intent, payment_method: method } = await this.fatura.invoices.checkout(invoice, {
      payment_method_type: 'pix',
    });
    return { intent: intent ?? '', txid: await this.txidOf(invoice), copyPaste: method?.pix?.pix_copy_paste ?? '' };
  }

  async txidOf(invoice: string): Promise<string> {
    const [qr] = await run<{ txid: string }>(this.deps.pool, readToken, [invoice]);
    return qr?.txid ?? '';
  }

  pay(txid: string, options: Parameters<FakePsp['pay']>[2] = {}): string {
    return this.psp.pay(this.credentials, txid, options);
  }

  /** Looks once at every case that the relay would start; answers those that go on. */
  async work(): Promise<{ open: string[]; taken: number }> {
    type Work = { kind: CaseKind; key: string } & Record<string, unknown>;
    const open: string[] = [];
    const works = await run<Work>(this.deps.pool, takeWork, [this.merchant.accountId]);
    for (const { kind, key } of works) if (!(await caseSteps[kind](this.deps, key)).done) open.push(`${kind}/${key}`);
    return { open, taken: works.length };
  }

  /** Once the PSP has sent every callback, every case is seen through. */
  async rest(): Promise<void> {
    await this.psp.quiet();
    let open: string[] = [];
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const again = [];
      for (const name of open) {
        const [kind = '', key = ''] = name.split('/');
        if (!(await caseSteps[kind as CaseKind](this.deps, key)).done) again.push(name);
      }
      const begun = await this.work();
      open = [...again, ...begun.open];
      if (open.length === 0 && begun.taken === 0) return;
    }
    throw new Error(`it does not come to rest: ${open.join(', ')}`);
  }
}

/** Opens an account, configures its PSP, and registers its callbacks there unless they are not wanted. */
export async function openLiveShop(
  api: RealTimeApi,
  { profile = 'standard', psp, callbacks = true }: { profile?: ProfileName; psp?: FakePsp; callbacks?: boolean } = {},
): Promise<LiveShop> {
  const { deps } = api.composition;
  const bank = psp ?? (await startFakePsp({ profile, callbackRetriesMs: [10, 50] }));
  const credentials = await bank.newMerchant();
  const account = await api.newMerchant();
  const merchant = { ...account, fatura: account.live };
  const settings = settingsFor(bank, credentials, profile);
  const certificateEndsAt = new Date(deps.clock.real() * 1_000 + 86_400_000);
  const row = { accountId: account.accountId, method: 'pix', profile, settings, certificateEndsAt } as const;
  await setLiveAcquirer(deps.pool, deps.secretBox, row);
  const noticeUrl = await noticeUrlOf(api, account.accountId);
  const shop = new LiveShop({ deps, psp: bank, credentials, merchant, noticeUrl });
  if (callbacks) await registerCallbacks(shop, settings);
  return shop;
}

async function noticeUrlOf({ baseUrl, composition: { deps } }: RealTimeApi, accountId: string): Promise<string> {
  const row = await readLiveAcquirer(deps.pool, { accountId, method: 'pix' });
  if (row === null) throw new Error(`${accountId} has no acquirer`);
  return noticeUrl(baseUrl, openSettings(deps.secretBox, row).noticeToken);
}

async function registerCallbacks({ noticeUrl: url }: LiveShop, settings: ApiPixSettings): Promise<void> {
  const client = new PspClient(settings);
  const refusal = await registerWebhook(client, url);
  await client.close();
  if (refusal !== null) throw new Error(refusal);
}
