import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { profileNames } from '../../../dev/fake-psp/psp.ts';
import { run } from '../../../server/db/statement.ts';
import { sweep } from '../../../server/payments/live/pix/sweep.ts';
import { runSweep } from '../../../server/payments/live/sweep.ts';
import { ownStatement } from '../../support/statements.ts';
import { type LiveShop, liveScene } from './live-shop.ts';

const scene = liveScene();

/** Nobody is told of anything there. */
const open = (options: Parameters<typeof scene.openShop>[0] = {}): Promise<LiveShop> =>
  scene.openShop({ ...options, callbacks: false });

/** Whole seconds are asked for: what happened within this one is of the next. */
const SECOND_OVER_MS = 1_050;

async function sweepOf(shop: LiveShop) {
  await sleep(SECOND_OVER_MS);
  return sweep(shop.deps, shop.merchant.accountId);
}
const statusOf = async (shop: LiveShop, invoice: string) => (await shop.fatura.invoices.retrieve(invoice)).status;

const age = ownStatement(
  'test_age_sweep',
  `UPDATE live_acquirer SET swept_until = swept_until - $2::int WHERE account_id = $1 RETURNING swept_until AS "sweptUntil"`,
);
const agedBy = async ({ deps, merchant }: LiveShop, seconds: number): Promise<number> => {
  const [row] = await run<{ sweptUntil: number }>(deps.pool, age, [merchant.accountId, seconds]);
  return row?.sweptUntil ?? 0;
};

test.each(profileNames)('what a PSP of the profile %s told nobody is found', async (profile) => {
  const shop = await open({ profile });
  const [paid, unpaid] = [await shop.sell(), await shop.sell()];
  shop.pay(paid.txid);
  await shop.rest();
  expect(await statusOf(shop, paid.invoice)).toBe('open');
  expect(await sweepOf(shop)).toBe('swept');
  await shop.rest();
  expect([await statusOf(shop, paid.invoice), await statusOf(shop, unpaid.invoice)]).toEqual(['paid', 'open']);
  // What is in the books is not asked about again.
  const asked = shop.psp.requests(shop.credentials).getCob;
  expect(await sweepOf(shop)).toBe('swept');
  await shop.rest();
  expect(shop.psp.requests(shop.credentials).getCob).toBe(asked);
});

describe('a sweep', () => {
  test('finds more payments than a page has', async () => {
    const shop = await open();
    const sales = [];
    for (let sale = 0; sale < 3; sale += 1) sales.push(await shop.sell());
    for (let other = 0; other < 110; other += 1) shop.psp.payKey(shop.credentials, 100);
    for (const { txid } of sales) shop.pay(txid);
    await sweepOf(shop);
    await shop.rest();
    for (const { invoice } of sales) expect(await statusOf(shop, invoice)).toBe('paid');
  });

  test('of a PSP that is away is made later, from where the last one ended', async () => {
    const shop = await open();
    const { invoice, txid } = await shop.sell();
    shop.pay(txid);
    shop.psp.troubles.set({ kind: 'unavailable', operation: 'listPix' });
    const before = await agedBy(shop, 0);
    expect(await sweepOf(shop)).toBe('postponed');
    expect(await agedBy(shop, 0)).toBe(before);
    shop.psp.troubles.clear();
    expect(await sweepOf(shop)).toBe('swept');
    await shop.rest();
    expect(await statusOf(shop, invoice)).toBe('paid');
  });

  test('catches up after days, and the run sweeps only what is due', async () => {
    const shop = await open();
    const { invoice, txid } = await shop.sell();
    shop.pay(txid);
    await agedBy(shop, 30 * 3_600);
    await sleep(SECOND_OVER_MS);
    const counts = await runSweep(shop.deps, { told: () => {} });
    expect(counts).toMatchObject({ swept: expect.any(Number) });
    await shop.rest();
    expect(await statusOf(shop, invoice)).toBe('paid');
    const asked = shop.psp.requests(shop.credentials).listPix;
    expect(asked).toBeGreaterThanOrEqual(5);
    await runSweep(shop.deps, { told: () => {} });
    expect(shop.psp.requests(shop.credentials).listPix).toBe(asked);
  });
});
