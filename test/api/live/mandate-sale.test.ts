import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, type ProfileName, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import type { ApiPixSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { instantOf } from '../../support/story.ts';
import { passUntil, renew, subscribe } from '../../support/subscriptions.ts';
import { type LiveShop, openLiveShop } from './live-shop.ts';

const byMandate = { payment_method_type: 'pix_automatico' } as const;

let api: TestApi;
const psps: FakePsp[] = [];
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await Promise.all(psps.map((psp) => psp.close()));
  await api.stop();
});

/** A live shop whose PSP is on the clock of the service. */
async function open(profile: ProfileName, given: Partial<ApiPixSettings> = {}): Promise<LiveShop> {
  const clock = () => api.clock.now() * 1_000;
  const psp = await startFakePsp({ profile, clock, callbackRetriesMs: [10, 50] });
  psps.push(psp);
  return openLiveShop(api, { profile, psp, given });
}

interface Sold {
  readonly shop: LiveShop;
  readonly id: string;
  readonly mandate: string;
  readonly bankRef: string;
}

const bankRefOf = async (mandate: string): Promise<string> =>
  (await api.composition.deps.pool.query('SELECT bank_ref FROM mandate WHERE id = $1', [mandate])).rows[0]?.bank_ref ??
  '';

/** A subscription whose first bill was paid by the code that authorises too. */
async function authorised(shop: LiveShop): Promise<Sold> {
  const { id, latest_invoice: invoice } = await subscribe(shop.merchant);
  const { mandate, payment_method: method } = await shop.fatura.subscriptions.checkout(id, byMandate);
  expect(method?.pix?.pix_copy_paste).toMatch(/^000201.*6304[0-9A-F]{4}$/);
  const bankRef = await bankRefOf(mandate ?? '');
  shop.psp.approve(shop.credentials, bankRef);
  await shop.rest();
  expect(await shop.fatura.invoices.retrieve(invoice ?? '')).toMatchObject({ status: 'paid' });
  expect(await shop.fatura.subscriptions.retrieve(id)).toMatchObject({
    ...{ status: 'active', payment_method_type: 'pix_automatico', mandate },
  });
  return { shop, id, mandate: mandate ?? '', bankRef };
}

const collected = ({ shop, id }: Sold) => ({ api, merchant: shop.merchant, id });

/** Lets time pass for a subscription and its bank; both tell each other what happened. */
async function to(sold: Sold, day: string, time: string, later = 0): Promise<void> {
  const date = Temporal.PlainDate.from(day).add({ days: later }).toString();
  const { psp, credentials } = sold.shop;
  await passUntil(collected(sold), instantOf(`${date} ${time}`));
  psp.tick(credentials);
  await sold.shop.rest();
  await passUntil(collected(sold), api.clock.now() + 1);
}

async function scheduled(sold: Sold) {
  const { id: invoice, payment_intent: intent } = await renew(collected(sold));
  await passUntil(collected(sold), api.clock.now() + 1);
  const { scheduled_for: day, status } = await sold.shop.fatura.paymentIntents.retrieve(intent ?? '');
  expect(status).toBe('scheduled');
  return { invoice, intent: intent ?? '', day: day ?? '', txid: await sold.shop.txidOf(invoice) };
}

describe.each(['efi', 'sicredi'] as const)('live Pix Automático at a PSP of the profile %s', (profile) => {
  test('is authorised with the first payment, and debits renewals on their day', async () => {
    const sold = await authorised(await open(profile));
    const { shop } = sold;
    for (let month = 1; month <= 2; month += 1) {
      const { invoice, day, intent } = await scheduled(sold);
      await to(sold, day, '09:00');
      expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
      expect(await shop.fatura.paymentIntents.retrieve(intent)).toMatchObject({
        payment_method_type: 'pix_automatico',
      });
      await to(sold, day, '12:00', 3);
    }
    const { payments, returns } = shop.psp.books(shop.credentials);
    expect(payments.map(({ amount }) => amount)).toEqual([9_990, 9_990, 9_990]);
    expect(returns).toEqual([]);
  });

  test('that fails on four days is paid by QR code, once', async () => {
    const sold = await authorised(await open(profile));
    const { shop } = sold;
    const { invoice, day, txid, intent } = await scheduled(sold);
    for (const later of [0, 1, 3, 7]) {
      if (later > 1) await to(sold, day, '12:30', later - 1);
      shop.psp.decideDebit(shop.credentials, txid, { code: 'AM02' });
      await to(sold, day, '21:30', later);
    }
    expect(await shop.fatura.paymentIntents.retrieve(intent)).toMatchObject({ status: 'discarded', attempts: 4 });
    const qr = await shop.checkout(invoice);
    shop.pay(qr.txid);
    await shop.rest();
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 9_990 });
    expect(shop.psp.books(shop.credentials).payments.map(({ amount }) => amount)).toEqual([9_990, 9_990]);
  });

  test('that its payer ends is told by the bank, and the bill is paid by QR code', async () => {
    const sold = await authorised(await open(profile));
    const { shop, id, mandate, bankRef } = sold;
    const { invoice } = await scheduled(sold);
    shop.psp.cancelRec(shop.credentials, bankRef, 'USUARIO_PAGADOR');
    await shop.rest();
    await passUntil(collected(sold), api.clock.now() + 1);
    expect(await shop.fatura.mandates.retrieve(mandate)).toMatchObject({
      ...{ status: 'ended', end_reason: 'cancelled_by_payer' },
    });
    expect(await shop.fatura.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      payment_method_type: 'pix',
    });
    const { payment_intent: waiting } = await shop.fatura.invoices.retrieve(invoice);
    expect(await shop.fatura.paymentIntents.retrieve(waiting ?? '')).toMatchObject({
      status: 'pending',
      mandate: null,
    });
  });

  test('is found without a callback: the mandate by its case, the debit by its step', async () => {
    const shop = await open(profile);
    shop.psp.troubles.set({ kind: 'callback_none', share: 1 });
    const sold = await authorisedByLook(shop);
    const { invoice, day } = await scheduled(sold);
    await to(sold, day, '09:00');
    await to(sold, day, '21:00');
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
  });

  test('that is ended by us is ended at the bank', async () => {
    const { shop, mandate, bankRef } = await authorised(await open(profile));
    await shop.fatura.mandates.cancel(mandate);
    await shop.rest();
    expect(shop.psp.books(shop.credentials)).toMatchObject({ recs: [{ idRec: bankRef, status: 'CANCELADA' }] });
  });
});

async function authorisedByLook(shop: LiveShop): Promise<Sold> {
  const { id } = await subscribe(shop.merchant);
  const { mandate = '' } = await shop.fatura.subscriptions.checkout(id, byMandate);
  const bankRef = await bankRefOf(mandate ?? '');
  shop.psp.approve(shop.credentials, bankRef);
  for (let look = 0; look < 3; look += 1) await shop.work();
  const { latest_invoice: invoice } = await shop.fatura.subscriptions.retrieve(id);
  await shop.checkout(invoice ?? '').catch(() => {});
  return { shop, id, mandate: mandate ?? '', bankRef };
}

test('an acquirer without an account for debits offers no mandates, and nothing happens', async () => {
  const shop = await open('standard', { receiverAccount: null, receiverType: null, receiverBranch: null });
  const { id, latest_invoice: invoice } = await subscribe(shop.merchant);
  await expect(shop.fatura.subscriptions.checkout(id, byMandate)).rejects.toMatchObject({
    code: 'MANDATE_UNSUPPORTED',
  });
  expect(await shop.fatura.paymentIntents.list({ invoice_id: invoice ?? '' }).all({ max: 9 })).toEqual([]);
  expect(shop.psp.books(shop.credentials)).toMatchObject({ cobs: [], recs: [] });
});
