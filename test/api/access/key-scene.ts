import { type KeyTerms, listKeys } from '../../../server/accounts/api-keys.ts';
import { createKey } from '../../../server/accounts/key-changes.ts';
import { type Merchant, startApi } from '../../support/api.ts';
import { startAnother } from '../another-process.ts';
import { send } from '../requests.ts';

/** What a process remembers of a key is forgotten after this (docs/product/requests.md#api-keys). */
export const FELT_MS = 1_000;

export type KeyScene = Awaited<ReturnType<typeof openKeyScene>>;

/** The service, and another process of it behind a proxy that it trusts; and what is asked of both with keys. */
export async function openKeyScene() {
  const api = await startApi();
  const another = await startAnother(api, { trustProxy: 1 });
  const { operator: database } = api;
  const get = (key: string, at: { baseUrl: string } = api, headers: Record<string, string> = {}) =>
    send(at, { method: 'GET', path: '/products', key, headers });
  return {
    api,
    another,
    database,
    get,
    pool: database.pool,
    statusOf: async (key: string) => (await get(key)).status,
    newKey: (shop: Merchant, terms: Partial<KeyTerms> = {}) =>
      createKey(database, {
        accountId: shop.accountId,
        liveMode: false,
        name: 'erp',
        scope: 'full',
        networks: [],
        expiresAt: null,
        reads: 'latest',
        ...terms,
      }),
    keysOf: async (shop: Merchant) =>
      (await listKeys(database.pool, shop.accountId)).filter(({ liveMode }) => !liveMode),
    refusals: async (reason: string): Promise<number> => {
      const { values } = await api.composition.deps.metrics.keyRefusals.get();
      return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
    },
    stop: async () => {
      await another.stop();
      await api.stop();
    },
  };
}
