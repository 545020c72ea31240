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
  "a merchant's script sells by PIX and its receiver verifies invoice.paid",
  async () => {
    const args = ['sdk/examples/pix-sale.ts', stack.sandboxKey, stack.baseUrl];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).toMatch(/To pay: R\$ 99\.90, 000201/);
    expect(stdout).toMatch(/Verified event: \{\s+id: 'evt_[0-9a-z]{26}',\s+object: 'event',\s+type: 'invoice\.paid'/);
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
