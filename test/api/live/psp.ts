import { setTimeout as sleep } from 'node:timers/promises';
import { type FakePsp, type MerchantCredentials, type ProfileName, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import { newId } from '../../../server/kernel/ids.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { type ApiPixAcquirer, createApiPixAcquirer } from '../../../server/payments/acquirer/api-pix/adapter.ts';
import type { ApiPixSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import type { Merchant, PixCharges } from '../../../server/payments/acquirer/port.ts';

/** How the fake PSP names what a profile of ours calls otherwise. */
const EXTRAS: Readonly<Record<string, string>> = { 'gw-dev-app-key': 'app_key', 'x-conta-corrente': 'account' };

/** Settings with which an account reaches a merchant of a fake PSP. */
export const settingsFor = (psp: FakePsp, credentials: MerchantCredentials, profile: ProfileName): ApiPixSettings => ({
  profile,
  clientId: credentials.clientId,
  clientSecret: credentials.clientSecret,
  certificate: credentials.certificatePem,
  key: credentials.keyPem,
  pixKey: credentials.pixKey,
  baseUrl: psp.baseUrl,
  tokenUrl: psp.tokenUrl,
  ca: psp.caPem,
  callbackCa: null,
  ...({ receiverAccount: '997182', receiverType: 'corrente', receiverBranch: '0001' } as const),
  chargesPerSecond: 20,
  extras: Object.fromEntries(
    Object.entries(credentials.extras).flatMap(([name, value]) =>
      EXTRAS[name] === undefined ? [] : [[EXTRAS[name], value]],
    ),
  ),
});

/** Merchants of a fake PSP, each with an adapter of its own, as each account has one. */
export async function openFakePsp(profile: ProfileName) {
  const psp = await startFakePsp({ profile });
  const adapters = new Map<string, ApiPixAcquirer>();
  const merchants = new Map<string, MerchantCredentials>();
  const of = ({ accountId }: Merchant): ApiPixAcquirer => {
    const adapter = adapters.get(accountId);
    if (adapter === undefined) throw new Error(`${accountId} has no acquirer`);
    return adapter;
  };
  const credentialsOf = ({ accountId }: Merchant): MerchantCredentials => {
    const credentials = merchants.get(accountId);
    if (credentials === undefined) throw new Error(`${accountId} is no merchant`);
    return credentials;
  };
  const acquirer: PixCharges = {
    name: 'the adapter of each merchant',
    repeatableForMs: Number.POSITIVE_INFINITY,
    createPix: (merchant, request) => of(merchant).createPix(merchant, request),
    findPix: (merchant, txid) => of(merchant).findPix(merchant, txid),
    expirePix: (merchant, txid) => of(merchant).expirePix(merchant, txid),
    refundPix: (merchant, request) => of(merchant).refundPix(merchant, request),
    findRefund: (merchant, request) => of(merchant).findRefund(merchant, request),
    findReceived: async (merchant, query) =>
      (await of(merchant).findReceived?.(merchant, query)) ?? { known: false, why: 'fault' },
  };
  return {
    psp,
    acquirer,
    credentialsOf,
    newMerchant: async (): Promise<Merchant> => {
      const accountId = newId('acct');
      const credentials = await psp.newMerchant();
      merchants.set(accountId, credentials);
      adapters.set(accountId, createApiPixAcquirer(accountId, settingsFor(psp, credentials, profile)));
      return { accountId, liveMode: true, name: 'Loja do Teste', city: 'SAO PAULO', now: realTime() };
    },
    payQrCode: async (merchant: Merchant, txid: string) => void psp.pay(credentialsOf(merchant), txid),
    afterReturn: async (merchant: Merchant) => {
      await sleep(20);
      // Before a minute is over a refusal may be that of a repeat.
      return { ...merchant, now: realTime() + 60 };
    },
    async close() {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()));
      await psp.close();
    },
  };
}

export type OpenPsp = Awaited<ReturnType<typeof openFakePsp>>;
