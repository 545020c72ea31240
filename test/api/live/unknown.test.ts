import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type LiveShop, liveScene } from './live-shop.ts';
import { compareBooks, countUnknown, mixed, recover } from './troubled.ts';

/** SOAK=1 has ten thousand together; a run of every change has two hundred. */
const UNKNOWN = process.env.SOAK === undefined ? 100 : 5_000;
const AT_ONCE = 6;
/** About what a callback takes. */
const CALLBACK_MS = 30;
const TIMEOUT_MS = process.env.SOAK === undefined ? 120_000 : 3_600_000;

const scene = liveScene();

/** What an acquirer that fails leads to is refused with a code; anything else is a fault of ours. */
const EXPECTED = new Set([
  'ACQUIRER_TIMEOUT',
  'ACQUIRER_UNAVAILABLE',
  'PIX_PAYMENT_CONFIRMED',
  'PAYMENT_IN_PROGRESS',
  'INVOICE_NOT_OPEN',
  'INVALID_STATE',
  'REFUND_EXCEEDS_BALANCE',
]);

async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (EXPECTED.has(code)) return null;
    throw error;
  }
}

/** A payer pays a QR code that their bank knows, late or twice too; a payer of one that it does not know cannot. */
function payIfThere(shop: LiveShop, txid: string): void {
  if (shop.psp.books(shop.credentials).cobs.some((cob) => cob.txid === txid)) shop.pay(txid, { late: true });
}

/** One sale as it may go: asked for again, paid once, twice, late or never, voided, refunded in parts. */
async function tradeOnce(shop: LiveShop, chance: () => number): Promise<void> {
  const { fatura } = shop;
  const invoice = await shop.invoice(1_000 + Math.floor(chance() * 9_000));
  for (let tries = 0; tries < 5; tries += 1) if ((await attempt(() => shop.checkout(invoice))) !== null) break;
  const txid = await shop.txidOf(invoice);
  if (chance() < 0.1) await attempt(() => fatura.invoices.void(invoice));
  if (txid !== '' && chance() < 0.9) payIfThere(shop, txid);
  if (txid !== '' && chance() < 0.1) payIfThere(shop, txid);
  await sleep(CALLBACK_MS);
  await shop.work();
  const { payment_intent: intent, status } = await fatura.invoices.retrieve(invoice);
  if (status !== 'paid' || intent === null) return;
  for (let part = 0; part < 2; part += 1)
    if (chance() < 0.5)
      await attempt(() => fatura.refunds.create({ payment_intent: intent, amount: 1 + Math.floor(chance() * 900) }));
  await shop.work();
}

test.each(['standard', 'sicredi'] as const)(
  `${UNKNOWN} answers of a PSP of the profile %s that tell nothing lose no cent and make none up`,
  async (profile) => {
    const shop = await scene.openShop({ profile });
    const unknown = countUnknown(shop);
    shop.psp.troubles.set(...mixed);
    const trade = async (): Promise<void> => {
      while (unknown() < UNKNOWN) await tradeOnce(shop, Math.random);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, trade));
    await recover(shop);
    const { ours, theirs, surplusKept } = await compareBooks(shop);
    expect(ours).toEqual(theirs);
    expect(surplusKept).toEqual([]);
  },
  TIMEOUT_MS,
);
