import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Party } from '../../../server/http/party.ts';
import { amountOf } from '../../../server/kernel/budgets.ts';
import { createMetrics } from '../../../server/metrics.ts';
import { createFileTurns } from '../../../server/web/receipt/turns.ts';

const SHOP: Party = { accountId: 'acct_shop', liveMode: true };
const loud: Party = { accountId: 'acct_loud', liveMode: false };
const quiet: Party = { accountId: 'acct_quiet', liveMode: false };

const WAITING_MAX = amountOf('receipt_files', loud);

const refusals = async (metrics: ReturnType<typeof createMetrics>): Promise<number> => {
  const counted = await metrics.registry.getMetricsAsJSON();
  const { values = [] } = counted.find(({ name }) => name === 'fatura_budget_refusals_total') ?? {};
  return values.find(({ labels }) => labels.budget === 'receipt_files' && labels.mode === 'sandbox')?.value ?? 0;
};

afterEach(() => {
  vi.useRealTimers();
});

describe('files of receipts', () => {
  test('are made in order', async () => {
    const inTurn = createFileTurns({ metrics: createMetrics() });
    const done: string[] = [];
    const all = ['one', 'two'].map((name) =>
      inTurn(SHOP, async () => {
        done.push(`${name} begun`);
        await nextRound();
        done.push(`${name} made`);
      }),
    );
    await Promise.all(all);
    expect(done).toEqual(['one begun', 'one made', 'two begun', 'two made']);
  });

  test('that a crowd asks for at one sandbox keep neither a live buyer waiting nor another sandbox', async () => {
    const metrics = createMetrics();
    const inTurn = createFileTurns({ metrics });
    const made: string[] = [];
    const make = (of: Party, name: string) => inTurn(of, () => nextRound().then(() => made.push(name)));
    const crowd = Array.from({ length: WAITING_MAX + 1 }, () => make(loud, 'loud'));
    await expect(make(loud, 'one too many')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    expect(await refusals(metrics)).toBe(1);
    await Promise.all([...crowd, make(SHOP, 'live'), make(quiet, 'quiet')]);
    expect(made.slice(0, 4)).toEqual(['loud', 'live', 'loud', 'quiet']);
    expect(made).toHaveLength(WAITING_MAX + 3);
    await make(loud, 'later');
    expect(made.at(-1)).toBe('later');
  });

  test('are made after one that failed', async () => {
    const inTurn = createFileTurns({ metrics: createMetrics() });
    const fault = new Error('out of ink');
    const failing = inTurn(SHOP, () => Promise.reject(fault));
    const next = inTurn(SHOP, async () => 'next');
    await expect(failing).rejects.toBe(fault);
    expect(await next).toBe('next');
  });

  test.each([
    ['live mode', SHOP, 5],
    ['sandboxes', loud, 10],
  ] as const)('of %s have one part of %s of the time', async (_, of, timePerTaken) => {
    vi.useFakeTimers();
    const inTurn = createFileTurns({ metrics: createMetrics() });
    const [FILES, MAKING_MS] = [50, 40];
    const make = () => new Promise<void>((resolve) => setTimeout(resolve, MAKING_MS));
    const startedMs = performance.now();
    const all = (async () => {
      for (let nth = 0; nth < FILES; nth += 1) await inTurn(of, make);
    })();
    await vi.runAllTimersAsync();
    await all;
    const part = (FILES * MAKING_MS) / (performance.now() - startedMs);
    expect(part).toBeGreaterThan(1 / timePerTaken);
    expect(part).toBeLessThan(1.1 / timePerTaken);
  });
});
