import { afterAll, beforeAll } from 'vitest';
import { type FakePagarme, type PagarmeMerchant, startFakePagarme } from '../../../dev/fake-pagarme/pagarme.ts';
import { run } from '../../../server/db/statement.ts';
import type { Deps } from '../../../server/deps.ts';
import type { PagarmeSettings } from '../../../server/payments/acquirer/pagarme/settings.ts';
import { noticeUrl } from '../../../server/payments/live/notice-url.ts';
import { openSettings, readLiveAcquirer, setLiveAcquirer } from '../../../server/payments/live/store.ts';
import { caseSteps, type PlainCase } from '../../../workflows/steps.ts';
import { type Merchant, type RealTimeApi, startApi, type TestApi } from '../../support/api.ts';
import { rolesOf } from '../../support/roles.ts';
import { ownStatement } from '../../support/statements.ts';
import { browserToken, issuerCodes, settingsFor } from './pagarme.ts';

const takeWork = ownStatement('card_shop_take_work', `DELETE FROM outbox WHERE account_id = $1 RETURNING kind, key`);

const ROUNDS_MAX = 5;

type Work = { kind: string; key: string } & Record<string, unknown>;

const isPlain = (kind: string): kind is PlainCase => kind in caseSteps;

/** An account whose live cards a fake Pagar.me charges. */
export interface CardShop extends Merchant {
  readonly own: PagarmeMerchant;
  readonly noticeUrl: string;
  /** How a buyer pays with a number: its browser has made a token of it. */
  byToken(number: string): Promise<{
    payment_method_type: 'card';
    card_token: string;
    billing_details: { name: string; document: string };
  }>;
  /** Sees the cases through that the relay would start. */
  rest(): Promise<void>;
}

export function cardScene() {
  let api: TestApi;
  let fake: FakePagarme;
  const deps = (): Deps => api.composition.deps;
  beforeAll(async () => {
    api = await startApi();
    fake = await startFakePagarme({ issuerCodes });
  });
  afterAll(async () => {
    await api.stop();
    await fake.close();
  });

  const openShop = (overrides: Partial<PagarmeSettings> = {}) => openCardShop({ api, fake }, overrides);
  return { openShop, deps, api: () => api, fake: () => fake };
}

/** An account of a service whose live cards a fake Pagar.me charges. */
export async function openCardShop(
  { api, fake }: { api: Pick<RealTimeApi, 'baseUrl' | 'composition' | 'newMerchant'>; fake: FakePagarme },
  overrides: Partial<PagarmeSettings> = {},
): Promise<CardShop> {
  const { deps } = api.composition;
  const merchant = await api.newMerchant();
  const { accountId } = merchant;
  const own = fake.newMerchant();
  const settings = settingsFor(fake, own, { takeCardNumbers: false, ...overrides });
  const of = { accountId, method: 'card' } as const;
  const { secretBox } = deps;
  await setLiveAcquirer(rolesOf(deps.pool).operator.pool, secretBox, { ...of, settings, certificateEndsAt: null });
  const row = await readLiveAcquirer(deps.pool, of);
  if (row === null) throw new Error('it was set');
  const open = new Map<string, { kind: PlainCase; key: string }>();
  own.hookUrl = noticeUrl(api.baseUrl, openSettings(secretBox, row).noticeToken);
  return {
    ...merchant,
    fatura: merchant.live,
    own,
    noticeUrl: own.hookUrl,
    byToken: async (number) => ({
      payment_method_type: 'card',
      card_token: await browserToken(fake, own, number),
      billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
    }),
    async rest() {
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        await fake.hooksSettled();
        for (const { kind, key } of await run<Work>(deps.pool, takeWork, [accountId]))
          if (isPlain(kind)) open.set(`${kind}/${key}`, { kind, key });
        for (const [name, { kind, key }] of [...open]) {
          open.delete(name);
          if (!(await caseSteps[kind](deps, key)).done) open.set(name, { kind, key });
        }
        if (open.size === 0) return;
      }
    },
  };
}
