import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../server/accounts/keys.ts';
import type { Mode } from '../../server/kernel/mode.ts';
import { NOTICE_PATH } from '../../server/payments/live/notice-url.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';
import { type AnotherProcess, startAnother } from './another-process.ts';
import { refusalOf, send } from './requests.ts';

let api: TestApi;
let shop: Merchant;
const only = {} as Record<Mode, AnotherProcess>;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  for (const mode of ['live', 'sandbox'] as const) only[mode] = await startAnother(api, { modes: [mode] });
});
afterAll(async () => {
  for (const process of Object.values(only)) await process.stop();
  await api.stop();
});

const read = (at: { baseUrl: string }, key: string, path = '/account') => send(at, { method: 'GET', path, key });
const keyOf = (mode: Mode): string => (mode === 'live' ? shop.liveKey : shop.sandboxKey);
const other = { live: 'sandbox', sandbox: 'live' } as const satisfies Record<Mode, Mode>;

describe.each(['live', 'sandbox'] as const)('a process that serves %s alone', (mode) => {
  test('serves its keys, and tells those of the other mode that it does not serve it', async () => {
    expect((await read(only[mode], keyOf(mode))).status).toBe(200);
    const keys = [keyOf(other[mode]), newApiKey(other[mode] === 'live')];
    for (const key of keys)
      for (const path of ['/account', '/nothing'])
        expect(refusalOf(await read(only[mode], key, path))).toMatchObject({
          status: 421,
          type: 'invalid_request_error',
          code: 'MODE_NOT_SERVED',
          message: `This service serves ${mode} mode alone`,
        });
  });

  test('answers a key that is none 401 first', async () => {
    const mistyped = `${keyOf(other[mode]).slice(0, -1)}!`;
    expect((await read(only[mode], mistyped)).status).toBe(401);
    expect((await read(only[mode], newApiKey(mode === 'live'))).status).toBe(401);
  });

  test('shows what its links lead to, and refuses those of the other mode, page and script alike', async () => {
    for (const of of ['live', 'sandbox'] as const) {
      const merchant = of === 'live' ? { ...shop, fatura: shop.live } : shop;
      const { payment_url } = await newInvoice(merchant);
      const { pathname } = new URL(payment_url ?? '');
      const asked = await Promise.all(
        ['', '/state', '/receipt', '/receipt.pdf'].map((below) => fetch(only[mode].baseUrl + pathname + below)),
      );
      const statuses = asked.map(({ status }) => status);
      expect(statuses).toEqual(of === mode ? [200, 200, 404, 404] : [421, 421, 421, 421]);
      if (of === mode) continue;
      expect(await asked[0]?.text()).toContain('Este link não é aberto neste endereço.');
      expect(await asked[1]?.json()).toMatchObject({ purchase: null, problem: { code: 'MODE_NOT_SERVED' } });
      const pay = await fetch(`${only[mode].baseUrl}${pathname}/pix`, { method: 'POST' });
      expect(pay.status).toBe(421);
    }
  });

  test('takes callbacks of acquirers in live mode alone', async () => {
    const { status } = await fetch(`${only[mode].baseUrl}${NOTICE_PATH}/${'a'.repeat(43)}`, { method: 'POST' });
    expect(status).toBe(mode === 'live' ? 404 : 421);
  });
});

test('a process that serves both modes takes both keys', async () => {
  expect((await read(api, shop.liveKey)).status).toBe(200);
  expect((await read(api, shop.sandboxKey)).status).toBe(200);
});
