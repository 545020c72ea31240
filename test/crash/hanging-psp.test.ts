import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveShop, openLiveShop } from '../api/live/live-shop.ts';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';

const TIMEOUT_MS = 90_000;
/** What a caller waits for at most, and some for a slow machine. */
const ANSWERED_WITHIN_MS = 30_000;

let api: RealTimeApi;
let hanging: LiveShop;
let healthy: LiveShop;
beforeAll(async () => {
  api = await startRealTimeApi();
  [hanging, healthy] = [await openLiveShop(api), await openLiveShop(api)];
});
afterAll(async () => {
  await Promise.all([hanging.psp.close(), healthy.psp.close()]);
  await api.stop();
});

test(
  'a PSP that never answers is not waited for beyond the time of an answer, and delays no other shop',
  async () => {
    const invoices = await Promise.all(Array.from({ length: 40 }, () => hanging.invoice(4_000)));
    // Without a token nothing would have happened.
    await hanging.sell();
    hanging.psp.troubles.set({ kind: 'hanging' });
    const startedMs = performance.now();
    const refused = invoices.map((invoice) =>
      expect(hanging.checkout(invoice)).rejects.toMatchObject({ code: 'ACQUIRER_TIMEOUT', status: 504 }),
    );
    for (let sale = 0; sale < 5; sale += 1) {
      const { invoice, txid } = await healthy.sell();
      healthy.pay(txid);
      await healthy.rest();
      expect(await healthy.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
    }
    const othersMs = performance.now() - startedMs;
    await Promise.all(refused);
    const waitedMs = performance.now() - startedMs;
    expect(waitedMs).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(othersMs).toBeLessThan(waitedMs);
    hanging.psp.troubles.clear();
    const [invoice = ''] = invoices;
    // The work was done all along: the QR code that nobody heard of is handed out.
    // What still hangs holds the few places that a silent PSP has.
    const again = () => hanging.checkout(invoice).catch(() => null);
    await expect.poll(again, { timeout: ANSWERED_WITHIN_MS, interval: 1_000 }).not.toBeNull();
    const { txid } = await hanging.checkout(invoice);
    expect(hanging.psp.books(hanging.credentials).cobs.filter((cob) => cob.txid === txid)).toHaveLength(1);
  },
  TIMEOUT_MS,
);
