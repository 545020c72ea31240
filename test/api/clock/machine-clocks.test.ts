import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ClockReading, goBy, realTimeMs } from '../../../server/kernel/time.ts';
import { type RealTimeApi, sdkFor, startRealTimeApi } from '../../support/api.ts';
import { byCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { startServer } from '../../support/server-process.ts';
import { until } from '../../support/stack.ts';

const HOURS_MS = 3_600_000;

let api: RealTimeApi;

beforeAll(async () => {
  api = await startRealTimeApi();
});
afterAll(() => api.stop());

describe.each([
  ['two hours ahead', 2 * HOURS_MS],
  ['two hours behind', -2 * HOURS_MS],
  ['twenty seconds behind', -20_000],
])('an API whose machine is %s of PostgreSQL', (_, clockAheadMs) => {
  test('sells by card and by PIX at the instants of PostgreSQL, and tells', async () => {
    const server = await startServer({ ...api, clockAheadMs });
    onTestFinished(() => void server.stop());
    const shop = await api.newMerchant();
    const fatura = sdkFor(server.baseUrl, shop.sandboxKey);
    const there = { ...shop, fatura };
    const began = Math.floor(Date.now() / 1_000);

    const byCardInvoice = await newInvoice(there);
    const charged = await fatura.invoices.checkout(byCardInvoice.id, byCard());
    expect(charged.status).toBe('paid');
    const byPix = await newInvoice(there);
    await fatura.invoices.checkout(byPix.id, { payment_method_type: 'pix' });
    const [intent] = await fatura.paymentIntents.list({ invoice_id: byPix.id }).all({ max: 1 });
    await fatura.testHelpers.paymentIntents.payPix(intent?.id ?? expect.fail(), { scenario: 'paid' });
    expect((await fatura.invoices.retrieve(byPix.id)).status).toBe('paid');
    const late = Math.floor(Date.now() / 1_000) - began + 2;
    for (const { created } of [byCardInvoice, byPix]) {
      expect(created - began).toBeGreaterThanOrEqual(-2);
      expect(created - began).toBeLessThanOrEqual(late);
    }

    const read = async (path: string) => (await fetch(`${server.baseUrl}${path}`)).text();
    expect(await read('/readyz')).toContain('"clock"');
    const skew = /^fatura_clock_skew_seconds (\S+)$/m.exec(await read('/metrics'))?.[1];
    expect(Math.abs(Number(skew) - Math.abs(clockAheadMs) / 1_000)).toBeLessThan(1);
    await until('the alarm', async () => server.logged().includes('"alarm":"clock_skewed"'), 10_000);
  });
});

describe('real time', () => {
  /** A clock that shows `aheadMs` more than ours, asked over a way of `wayMs` there and back. */
  const reading = (aheadMs: number, wayMs: number): ClockReading => {
    const askedMs = performance.now();
    return { shownMs: realTimeMs() + aheadMs + wayMs / 2, askedMs, answeredMs: askedMs + wayMs };
  };
  const goneBy = (aheadMs: number, wayMs: number): number => {
    const beforeMs = realTimeMs();
    goBy(reading(aheadMs, wayMs));
    return realTimeMs() - beforeMs;
  };

  test('goes by a clock that differs by more than its reading may be off, or was read faster than before', () => {
    expect(goneBy(60_000, 100)).toBeCloseTo(60_000, -2);
    expect(goneBy(-60_000, 100)).toBeCloseTo(-60_000, -2);
    expect(Math.abs(goneBy(400, 1_000))).toBeLessThan(20);
    expect(Math.abs(goneBy(-400, 1_000))).toBeLessThan(20);
    expect(goneBy(30, 80)).toBeCloseTo(30, -1);
    expect(goneBy(-30, 70)).toBeCloseTo(-30, -1);
  });
});
