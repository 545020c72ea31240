import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack, until } from '../support/stack.ts';

const run = promisify(execFile);
const TEST_MS = 90_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);
afterAll(() => stack.stop(), TEST_MS);

const paid = (amount: string) => `paid R$ ${amount}, access goes on`;
const times = (count: number, line: string): string[] => Array(count).fill(line);

test(
  "a merchant's script lives through a year of a subscription by card, with a card that fails meanwhile",
  async () => {
    const args = ['sdk/examples/subscription-year.ts', stack.sandboxKey, stack.baseUrl];
    const { stdout } = await run(process.execPath, args);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('12 invoices paid, R$ 1048.95 in all');
    const dated = lines.slice(0, -1).map((line) => /^(\d{4}-\d\d-\d\d) {2}(.+)$/.exec(line) ?? []);
    expect(dated.map(([, , words]) => words)).toEqual([
      ...times(3, paid('49.95')),
      ...times(2, paid('99.90')),
      'the customer gave another card',
      ...times(2, 'the card was declined, it is charged again in some days'),
      'overdue, the customer is asked for another card',
      'the customer gave another card',
      ...times(7, paid('99.90')),
      'cancelled',
    ]);
    const days = dated.map(([, day]) => day);
    expect(days).toEqual(days.toSorted());
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
