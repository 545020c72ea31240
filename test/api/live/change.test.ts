import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FakePsp } from '../../../dev/fake-psp/psp.ts';
import { sweep } from '../../../server/payments/live/pix/sweep.ts';
import { forgetFormer, setLiveAcquirer } from '../../../server/payments/live/store.ts';
import { rolesOf } from '../../support/roles.ts';
import { type LiveShop, liveScene } from './live-shop.ts';
import { settingsFor } from './psp.ts';

const scene = liveScene();

/** A shop that went to another PSP while it had open QR codes and payments at the first. */
async function changed(): Promise<{ shop: LiveShop; other: FakePsp; sold: Awaited<ReturnType<LiveShop['sell']>>[] }> {
  const shop = await scene.openShop();
  const other = await scene.openPsp('efi');
  const sold = [await shop.sell(), await shop.sell(), await shop.sell()];
  shop.pay(sold[0]?.txid ?? '');
  await shop.rest();
  const settings = settingsFor(other, await other.newMerchant(), 'efi');
  const certificateEndsAt = new Date(Date.now() + 86_400_000);
  const row = {
    accountId: shop.merchant.accountId,
    method: 'pix',
    settings,
    certificateEndsAt,
  } as const;
  await setLiveAcquirer(rolesOf(shop.deps.pool).operator.pool, shop.deps.secretBox, row);
  await expect.poll(() => shop.deps.acquirers.live.pix(shop.merchant.accountId)).toMatchObject({ name: 'api-pix efi' });
  return { shop, other, sold };
}

test('what was sold at the former PSP is paid, ended and returned there, and new money goes by the present one', async () => {
  const { shop, other, sold } = await changed();
  const [paid, open, voided] = sold;
  if (paid === undefined || open === undefined || voided === undefined) throw new Error('three were sold');
  // The former PSP goes on telling of payments at the same address.
  shop.pay(open.txid);
  await shop.rest();
  expect(await shop.fatura.invoices.retrieve(open.invoice)).toMatchObject({ status: 'paid' });
  await shop.fatura.invoices.void(voided.invoice);
  await shop.fatura.refunds.create({ payment_intent: paid.intent, amount: 1_000 });
  await shop.rest();
  expect(await shop.fatura.refunds.retrieve(paid.intent)).toMatchObject({ status: 'refunded', amount: 1_000 });
  const books = shop.psp.books(shop.credentials);
  expect(books.returns).toMatchObject([{ amount: 1_000, status: 'DEVOLVIDO' }]);
  expect(books.cobs.map(({ status }) => status).toSorted()).toEqual([
    'CONCLUIDA',
    'CONCLUIDA',
    'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  ]);
  const cobsBefore = books.cobs.length;
  await shop.sell();
  expect(shop.psp.books(shop.credentials).cobs).toHaveLength(cobsBefore);
  expect(other.requests().putCob).toBe(1);
});

test('what the former PSP told nobody is found by the sweep as well', async () => {
  const { shop, sold } = await changed();
  const { txid = '', invoice = '' } = sold[1] ?? {};
  shop.pay(txid, { notify: false });
  await sleep(1_050);
  expect(await sweep(shop.deps, shop.merchant.accountId)).toBe('swept');
  await shop.rest();
  expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
});

test('settings that never made a QR code are not kept', async () => {
  const { deps } = scene.api().composition;
  const psp = await scene.openPsp();
  const { accountId } = await scene.api().newMerchant();
  const certificateEndsAt = new Date(Date.now() + 86_400_000);
  for (const clientId of ['mistyped', 'right']) {
    const settings = { ...settingsFor(psp, await psp.newMerchant(), 'standard'), clientId };
    await setLiveAcquirer(rolesOf(deps.pool).operator.pool, deps.secretBox, {
      accountId,
      method: 'pix',
      settings,
      certificateEndsAt,
    });
  }
  expect(await forgetFormer(rolesOf(deps.pool).operator.pool, deps.secretBox, { accountId, method: 'pix' })).toBe(0);
});

test('a former PSP that never answers again delays nothing of the present one, and is forgotten by command', async () => {
  const { shop, other } = await changed();
  await shop.psp.close();
  const { txid } = await shop.sell();
  expect(other.requests().putCob).toBe(1);
  expect(await sweep(shop.deps, shop.merchant.accountId)).toBe('swept');
  expect(txid).not.toBe('');
  const of = { accountId: shop.merchant.accountId, method: 'pix' } as const;
  expect(await forgetFormer(rolesOf(shop.deps.pool).operator.pool, shop.deps.secretBox, of)).toBe(1);
  expect(await forgetFormer(rolesOf(shop.deps.pool).operator.pool, shop.deps.secretBox, of)).toBe(0);
});
