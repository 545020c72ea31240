import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack, until } from '../support/stack.ts';
import { openBrowser } from '../web/browser.ts';

const run = promisify(execFile);
const TEST_MS = 90_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);
afterAll(() => stack.stop(), TEST_MS);

/** Runs an example as a new merchant does. */
async function play(example: string) {
  const { sandboxKey, fatura } = await stack.newMerchant();
  const { stdout } = await run(process.execPath, [`sdk/examples/${example}.ts`, sandboxKey, stack.baseUrl]);
  return { fatura, stdout };
}

async function expectSound(): Promise<void> {
  await until('every delivery recorded', () =>
    stack.withDatabase(async ({ pool }) => {
      const { rows } = await pool.query("SELECT count(*)::int AS n FROM delivery WHERE status = 'pending'");
      return rows[0].n === 0;
    }),
  );
  expect(await stack.audit()).toEqual([]);
}

test(
  'a shop sends its buyer to the hosted page, and thanks for what the event says is paid',
  async () => {
    const { sandboxKey } = await stack.newMerchant();
    const shop = spawn(process.execPath, ['sdk/examples/hosted-checkout.ts', sandboxKey, stack.baseUrl]);
    const browser = await openBrowser();
    try {
      const lines = createInterface({ input: shop.stdout })[Symbol.asyncIterator]();
      const url = /http:\S+/.exec(String((await lines.next()).value))?.[0] ?? '';
      const page = await browser.newPage({ locale: 'pt-BR' });
      await page.goto(url);
      await page.getByRole('button', { name: 'Comprar' }).click();
      await page.getByLabel('Nome completo').fill('Ana Souza');
      await page.getByLabel('CPF', { exact: true }).fill('529.982.247-25');
      await page.getByLabel('E-mail').fill('ana@loja.test');
      await page.getByLabel('Celular com DDD').fill('(11) 98765-4321');
      await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
      await page.getByRole('button', { name: 'Simular pagamento' }).click();
      expect((await lines.next()).value).toMatch(/^Fulfilled: cs_[0-9a-z]{26}$/);
      await page.waitForURL(/\/thanks\?session=cs_/);
      await page.getByRole('heading', { name: 'Pago. O curso é seu!' }).waitFor();
    } finally {
      await browser.close();
      shop.kill();
    }
    await expectSound();
  },
  TEST_MS,
);

const paid = (amount: string) => `paid R$\u00a0${amount}, access goes on`;
const times = (count: number, line: string): string[] => Array(count).fill(line);

test(
  "a merchant's script sells by PIX and its receiver verifies invoice.paid",
  async () => {
    const { stdout } = await play('pix-sale');
    expect(stdout).toMatch(/To pay: R\$\s99,90, 000201/);
    expect(stdout).toMatch(/Verified event: \{\s+id: 'evt_[0-9a-z]{26}',\s+object: 'event',\s+type: 'invoice\.paid'/);
    await expectSound();
  },
  TEST_MS,
);

test(
  "a merchant's script sells by card after a decline, refunds in two parts, and its receiver verifies what it is told",
  async () => {
    const { fatura, stdout } = await play('card-sale');
    expect(stdout.split('\n')).toEqual([
      'Declined: the funds do not suffice: use another card, or PIX',
      'Paid: R$\u00a099,90, installments: 3, visa ending in 4242',
      expect.stringMatching(/^Verified event: invoice\.paid evt_[0-9a-z]{26}$/),
      'Refunded: R$\u00a039,90, then R$\u00a060,00',
      expect.stringMatching(/^Verified event: refund\.updated evt_[0-9a-z]{26}$/),
      '',
    ]);
    const [intent, declined] = await fatura.paymentIntents.list().all({ max: 3 });
    expect(intent).toMatchObject({ status: 'refunded', installments: 3, amount: 9990, amount_refunded: 9990 });
    expect(declined).toMatchObject({ status: 'discarded', installments: 1 });
    await expectSound();
  },
  TEST_MS,
);

test(
  "a merchant's script lives through a year of a subscription by card, with a card that fails meanwhile",
  async () => {
    const { stdout } = await play('subscription-year');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('12 invoices paid, R$\u00a01.048,95 in all');
    const dated = lines.slice(0, -1).map((line) => /^(\d{4}-\d\d-\d\d) {2}(.+)$/.exec(line) ?? []);
    // Events of one instant are delivered in any order: within a day they are put in the order in which they came about.
    const ranks = ['the card was', 'overdue', 'the customer', 'paid', 'cancelled'];
    const rankOf = (words = '') => ranks.findIndex((rank) => words.startsWith(rank));
    const told = dated.toSorted(
      ([, a = '', aSaid], [, b = '', bSaid]) => a.localeCompare(b) || rankOf(aSaid) - rankOf(bSaid),
    );
    expect(told.map(([, , words]) => words)).toEqual([
      ...times(3, paid('49,95')),
      ...times(2, paid('99,90')),
      'the customer gave another card',
      ...times(2, 'the card was declined, it is charged again in some days'),
      'overdue, the customer is asked for another card',
      'the customer gave another card',
      ...times(7, paid('99,90')),
      'cancelled',
    ]);
    const days = dated.map(([, day]) => day);
    expect(days).toEqual(days.toSorted());
    await expectSound();
  },
  TEST_MS,
);
