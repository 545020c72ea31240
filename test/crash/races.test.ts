import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Merchant } from '../support/api.ts';
import { byCard, cards } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { type Books, readBooks } from './books.ts';
import { answerOf, expectSound } from './cell.ts';
import { type ApiProcess, startApiProcess } from './processes.ts';
import { bringToRest } from './rest.ts';
import { type Shop, type Stage, startStage } from './stage.ts';

const TEST_MS = 60_000;
const AMOUNT = 9_990;

let stage: Stage;
let processes: [ApiProcess, ApiProcess];
beforeAll(async () => {
  stage = await startStage();
  processes = [stage.witness, await startApiProcess(stage.served)];
});
afterEach(async () => {
  expect(await stage.audit()).toEqual([]);
});
afterAll(async () => {
  await processes[1].kill9();
  await stage.stop();
});

interface Sale {
  readonly shop: Shop;
  readonly invoiceId: string;
  /** The merchant's client at the processes in turn. */
  client(turn: number): Merchant['fatura'];
}

async function newSale(amount = AMOUNT): Promise<Sale> {
  const shop = await stage.newShop();
  const { id: invoiceId } = await newInvoice(shop.at(stage.witness), { amount });
  const merchants = processes.map((process) => shop.at(process));
  const client = (turn: number) => (merchants[turn % merchants.length] ?? shop.at(stage.witness)).fatura;
  return { shop, invoiceId, client };
}

/** Charges the sale's invoice at the processes in turn. */
function payByCard(
  { invoiceId, client }: Sale,
  turn: number,
  { key = randomUUID(), number = cards.approved }: { key?: string; number?: string } = {},
): Promise<string> {
  return answerOf(client(turn).invoices.checkout(invoiceId, byCard(number), { idempotencyKey: key }));
}

const at = <T>(count: number, work: (turn: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, turn) => work(turn)));

/** How often each answer was given. */
const tally = (answers: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(answers, (answer) => answer)].map(([answer, all]) => [answer, all.length]));

const rest = ({ shop }: Sale): Promise<void> => bringToRest(stage.composition.deps, shop);
const booksOf = ({ invoiceId }: Sale) => readBooks(stage.composition.deps.pool, invoiceId);

const PAID_BY_CARD = {
  invoice: { status: 'paid', amount_paid: AMOUNT, amount_refunded: 0 },
  sessions: [],
  intents: ['card paid'],
  attempts: ['approved'],
  charges: [`approved ${AMOUNT}`],
  receipts: [],
  returns: [],
  disputes: [],
  events: [
    'invoice.created',
    'payment_intent.created',
    'payment_intent.processing',
    'payment_intent.paid',
    'invoice.paid',
  ],
};

test('a hundred card checkouts of one invoice at once, at two processes, charge once', {
  timeout: TEST_MS,
}, async () => {
  const sale = await newSale();
  const {
    paid,
    PAYMENT_IN_PROGRESS: inProgress = 0,
    INVOICE_NOT_OPEN: notOpen = 0,
    ...others
  } = tally(await at(100, (turn) => payByCard(sale, turn)));
  expect({ paid, refused: inProgress + notOpen, others }).toEqual({ paid: 1, refused: 99, others: {} });
  await rest(sale);
  expect(await booksOf(sale)).toEqual(PAID_BY_CARD);
});

test('a hundred of them under one key get one answer, or are told that it runs', { timeout: TEST_MS }, async () => {
  const sale = await newSale();
  const key = randomUUID();
  const {
    paid = 0,
    IDEMPOTENCY_KEY_IN_USE: inUse = 0,
    ...others
  } = tally(await at(100, (turn) => payByCard(sale, turn, { key })));
  expect(others).toEqual({});
  expect(paid).toBeGreaterThanOrEqual(1);
  expect(paid + inUse).toBe(100);
  const replays = await at(2, (turn) =>
    sale.client(turn).invoices.checkout(sale.invoiceId, byCard(), { idempotencyKey: key }),
  );
  expect(replays[0]).toEqual(replays[1]);
  expect(await payByCard(sale, 0, { key })).toBe('paid');
  await rest(sale);
  expect(await booksOf(sale)).toEqual(PAID_BY_CARD);
});

test('a request whose twin of the same key is at the acquirer is told that it still runs', {
  timeout: TEST_MS,
}, async () => {
  const sale = await newSale();
  const key = randomUUID();
  const [one, other] = processes;
  const late = await other.holdAt('card.after-tokenize');
  const twin = payByCard(sale, 1, { key });
  await late.reached;
  const early = await one.holdAt('card.after-attempt');
  const first = payByCard(sale, 0, { key });
  await early.reached;
  await late.release();
  expect(await twin).toBe('IDEMPOTENCY_KEY_IN_USE');
  await early.release();
  expect(await first).toBe('paid');
  await rest(sale);
  expect(await booksOf(sale)).toEqual(PAID_BY_CARD);
});

test('a request that comes to charge after its twin of the same key was declined charges nothing', {
  timeout: TEST_MS,
}, async () => {
  const sale = await newSale();
  const twice = { key: randomUUID(), number: cards.insufficient_funds };
  const late = await processes[1].holdAt('card.after-tokenize');
  const twin = payByCard(sale, 1, twice);
  await late.reached;
  expect(await payByCard(sale, 0, twice)).toBe('CARD_DECLINED insufficient_funds');
  await late.release();
  expect(await twin).toBe('IDEMPOTENCY_KEY_IN_USE');
  expect(await payByCard(sale, 1, twice)).toBe('CARD_DECLINED insufficient_funds');
  expect(await booksOf(sale)).toMatchObject({ intents: ['card failed'], charges: [`declined ${AMOUNT}`] });
});

const ROUNDS = 30;
/** Either starts up to this much after the other. */
const OFFSET_MAX_MS = 25;

/** Two things happen to one sale at nearly the same moment; answers what each came to. */
async function meet(one: () => Promise<string>, other: () => Promise<string>): Promise<[string, string]> {
  const offset = (Math.random() - 0.5) * 2 * OFFSET_MAX_MS;
  const [first, second] = [Math.max(0, offset), Math.max(0, -offset)];
  return Promise.all([sleep(first).then(one), sleep(second).then(other)]);
}

async function openQr(sale: Sale): Promise<string> {
  const { payment_intent: intentId } = await sale.client(1).invoices.checkout(sale.invoiceId, {
    payment_method_type: 'pix',
  });
  return intentId ?? '';
}

/** The bank takes about as long as the two are apart, so that they meet there too. */
const slowDown = ({ shop }: Sale): Promise<void> =>
  stage.behave(shop, { chargeCard: { latency_ms: OFFSET_MAX_MS }, expirePix: { latency_ms: OFFSET_MAX_MS } });

/** What the merchant has of a sale: what was captured and received, less what went back. */
function kept({ charges, receipts, returns }: Books): number {
  const sum = (lines: readonly string[]) => lines.reduce((total, line) => total + Number(/\d+/.exec(line)?.[0]), 0);
  const captured = sum(charges.filter((line) => line.startsWith('approved')));
  const received = receipts.reduce((total, amount) => total + amount, 0);
  return captured + received - sum(returns.filter((line) => !line.endsWith('refused')));
}

test.each(['paid', 'paid_late'] as const)(
  'of a card and a PIX (%s) that pay an invoice at one moment, one is kept',
  { timeout: TEST_MS },
  async (scenario) => {
    const rounds = await at(ROUNDS, async (turn) => {
      const sale = await newSale();
      const intentId = await openQr(sale);
      if (turn % 2 === 0) await slowDown(sale);
      const pay = () => answerOf(sale.client(1).testHelpers.paymentIntents.payPix(intentId, { scenario }));
      const answers = await meet(() => payByCard(sale, 0), pay);
      await rest(sale);
      return { answers, books: await booksOf(sale) };
    });
    for (const { answers, books } of rounds) {
      const [byCardAnswer] = answers;
      expect({ answers, kept: kept(books) }).toEqual({ answers, kept: AMOUNT });
      expect(books.invoice).toEqual({ status: 'paid', amount_paid: AMOUNT, amount_refunded: 0 });
      expect(books.charges).toHaveLength(byCardAnswer === 'paid' ? 1 : 0);
      expectSound(books);
    }
  },
);

test('of a void and a card that meet at an invoice, one has its way', { timeout: TEST_MS }, async () => {
  const rounds = await at(ROUNDS, async (turn) => {
    const sale = await newSale();
    if (turn % 2 === 0) await openQr(sale);
    const answers = await meet(
      () => payByCard(sale, 0),
      () => answerOf(sale.client(1).invoices.void(sale.invoiceId)),
    );
    await rest(sale);
    return { answers, books: await booksOf(sale) };
  });
  for (const { answers, books } of rounds) {
    const [byCardAnswer, voided] = answers;
    const { status } = books.invoice;
    expect({ answers, status }).toEqual({ answers, status: byCardAnswer === 'paid' ? 'paid' : 'void' });
    expect(voided === 'void').toBe(status === 'void');
    expect(kept(books)).toBe(status === 'paid' ? AMOUNT : 0);
    expectSound(books);
  }
});

const PART = 700;
const PARTS_THAT_FIT = Math.floor(AMOUNT / PART);

test.each(['card', 'pix'] as const)(
  'of fifty refunds of a part at once, as many as the %s payment holds succeed',
  { timeout: TEST_MS },
  async (method) => {
    const sale = await newSale();
    const intentId = method === 'pix' ? await openQr(sale) : '';
    if (method === 'card') await payByCard(sale, 0);
    else await sale.client(0).testHelpers.paymentIntents.payPix(intentId, { scenario: 'paid' });
    const { payment_intent: paid } = await sale.client(0).invoices.retrieve(sale.invoiceId);
    const answers = await at(50, (turn) =>
      answerOf(sale.client(turn).refunds.create({ payment_intent: paid ?? '', amount: PART })),
    );
    const made = method === 'card' ? 'refunded' : 'refunding';
    expect(tally(answers)).toEqual({ [made]: PARTS_THAT_FIT, REFUND_EXCEEDS_BALANCE: 50 - PARTS_THAT_FIT });
    await rest(sale);
    const { invoice, returns } = await booksOf(sale);
    const amount_refunded = PARTS_THAT_FIT * PART;
    expect(invoice).toEqual({ status: 'paid', amount_paid: AMOUNT, amount_refunded });
    expect(returns).toEqual(Array(PARTS_THAT_FIT).fill(String(PART)));
    expect(await sale.client(0).refunds.retrieve(paid ?? '')).toMatchObject({
      amount: amount_refunded,
      status: 'refunded',
    });
  },
);
