import { afterAll, expect, test } from 'vitest';
import type { FakePsp } from '../../dev/fake-psp/psp.ts';
import { pixSettlementStep } from '../../server/payments/pix/settlement.ts';
import { type LiveShop, openLiveShop } from '../api/live/live-shop.ts';
import { newInvoice } from '../support/factories.ts';
import { expectSound, paymentScene } from './scene.ts';

const scene = paymentScene();
const psps: FakePsp[] = [];
afterAll(() => Promise.all(psps.map((psp) => psp.close())));

async function openShop(): Promise<LiveShop> {
  const shop = await openLiveShop(scene.api());
  psps.push(shop.psp);
  return shop;
}

test('a live bill is paid by PIX, and offers no card that nobody would take', async () => {
  const shop = await openShop();
  const id = await shop.invoice(4_000);
  const visit = await scene.open(id);
  const { page } = visit;
  await page.getByRole('heading', { name: 'Pague com PIX' }).waitFor();
  expect(await page.getByRole('radio').count()).toBe(0);
  expect(await page.getByText(/cartão/i).count()).toBe(0);
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  const txid = await shop.txidOf(id);
  shop.pay(txid);
  await shop.psp.quiet();
  await pixSettlementStep(shop.deps, txid);
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  await expectSound(visit);
});

test('a live bill of a shop that nobody can pay yet says so', async () => {
  const account = await scene.api().newMerchant();
  const { id } = await newInvoice({ ...account, fatura: account.live });
  const visit = await scene.open(id);
  await visit.page.getByText('Ainda não é possível pagar por aqui. Fale com Loja do Teste').waitFor();
  expect(await visit.page.getByRole('button', { name: /PIX/ }).count()).toBe(0);
  await expectSound(visit);
});
