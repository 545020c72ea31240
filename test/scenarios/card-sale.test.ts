import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack, until } from '../support/stack.ts';

const run = promisify(execFile);
const TEST_MS = 60_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);
afterAll(() => stack.stop(), TEST_MS);

test(
  "a merchant's script sells by card after a decline, refunds in two parts, and its receiver verifies what it is told",
  async () => {
    const args = ['sdk/examples/card-sale.ts', stack.sandboxKey, stack.baseUrl];
    const { stdout } = await run(process.execPath, args);
    expect(stdout.split('\n')).toEqual([
      'Declined: the funds do not suffice: use another card, or PIX',
      'Paid: R$ 99.90, installments: 3, visa ending in 4242',
      expect.stringMatching(/^Verified event: invoice\.paid evt_[0-9a-z]{26}$/),
      'Refunded: R$ 39.90, then R$ 60.00',
      expect.stringMatching(/^Verified event: refund\.updated evt_[0-9a-z]{26}$/),
      '',
    ]);
    const [intent, declined] = await stack.fatura.paymentIntents.list().all({ max: 3 });
    expect(intent).toMatchObject({ status: 'refunded', installments: 3, amount: 9990, amount_refunded: 9990 });
    expect(declined).toMatchObject({ status: 'discarded', installments: 1 });
    await until('every delivery recorded', () =>
      stack.withDatabase(async ({ pool }) => {
        const { rows } = await pool.query("SELECT count(*)::int AS n FROM delivery WHERE status = 'pending'");
        return rows[0].n === 0;
      }),
    );
    expect(await stack.audit()).toEqual([]);
  },
  TEST_MS,
);
