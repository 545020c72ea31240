import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme, type Trouble } from '../../dev/fake-pagarme/pagarme.ts';
import { run } from '../../server/db/statement.ts';
import { type CardShop, openCardShop } from '../api/live/card-shop.ts';
import { issuerCodes } from '../api/live/pagarme.ts';
import { newInvoice } from '../support/factories.ts';
import type { FailpointName } from '../support/failpoints.ts';
import { ownStatement } from '../support/statements.ts';
import { answerOf } from './cell.ts';
import { liveAt } from './live/stage.ts';
import type { ApiProcess } from './processes.ts';
import { endLeasesOf, workOnce } from './rest.ts';
import { type Shop, type Stage, startStage } from './stage.ts';

const CELL_MS = 120_000;
const AMOUNT = 4_000;
const RETURNED = 1_500;
const GOOD = '4000000000000010';
const DECLINED = '4000000000000002';
const ROUNDS_MAX = 20;

/** What Pagar.me does with the order, or with its cancellation. */
const troubles = {
  nothing: [],
  request_lost: ['request_lost'],
  answer_lost: ['answer_lost'],
  fault: ['fault'],
  unavailable: ['unavailable'],
  'at the acquirer': ['stays_processing', 'refund_stays'],
} as const satisfies Record<string, readonly Trouble['kind'][]>;

const names = Object.keys(troubles) as (keyof typeof troubles)[]; // Object.keys forgets the keys' type

const letQuietPass = ownStatement(
  'test_card_quiet',
  `UPDATE charge_attempt SET deadline_at = now() - interval '10 minutes' WHERE account_id = $1 AND status = 'sent'`,
);

let stage: Stage;
let fake: FakePagarme;
beforeAll(async () => {
  [stage, fake] = await Promise.all([startStage(), startFakePagarme({ issuerCodes })]);
});
afterAll(async () => {
  const wrong = await stage.audit();
  await stage.stop();
  await fake.close();
  expect(wrong).toEqual([]);
});

interface Scene {
  readonly shop: Shop;
  readonly cards: CardShop;
}

async function open(): Promise<Scene> {
  const shop = await stage.newShop();
  const { composition, witness } = stage;
  const newMerchant = async () => shop.at(witness);
  return { shop, cards: await openCardShop({ api: { baseUrl: witness.baseUrl, composition, newMerchant }, fake }) };
}

function trouble({ cards: { own } }: Scene, kinds: readonly Trouble['kind'][], operation: Trouble['operation']): void {
  for (const kind of kinds) fake.troubles.set({ kind, operation, merchant: own.secretKey });
}

/** Longer than any of the requests takes to come to the step, or past it. */
const UNDER_WAY_MS = 4_000;

/** Sends requests to one process, and kills it while those that come to the step wait there. */
async function strike(step: FailpointName, sends: readonly ((victim: ApiProcess) => Promise<string>)[]): Promise<void> {
  const victim = await stage.processes.take();
  await victim.dieAt(step, { countdown: Number.MAX_SAFE_INTEGER, parks: true });
  const answers = Promise.all(sends.map((send) => send(victim)));
  await Promise.race([answers, sleep(UNDER_WAY_MS)]);
  await victim.kill9();
  await answers;
}

/** A request that a process may die of, and what it is of. */
interface Cell extends Scene {
  readonly name: string;
  readonly invoice: string;
  readonly send: (process: ApiProcess) => Promise<string>;
}

/** The client repeats under its key until all has come to rest, and is told the same ever after. */
async function seeThrough(cell: Cell): Promise<string> {
  await endLeasesOf(stage.composition.deps, cell.shop);
  await cell.send(stage.witness);
  await rest(cell);
  const final = await cell.send(stage.witness);
  await rest(cell);
  expect(await cell.send(stage.witness), `${cell.name}, ever after`).toBe(final);
  await expectEqual(cell);
  return final;
}

/** Pagar.me is well again, all its time has passed, and every case is seen through. */
async function rest({ shop, cards: { own } }: Scene): Promise<void> {
  const { deps } = stage.composition;
  fake.troubles.clear({ merchant: own.secretKey });
  for (const { id, status } of own.charges.values()) if (status === 'processing') fake.settleCharge(own, id, true);
  for (const { transactions } of own.charges.values())
    for (const { id, status } of transactions) if (status === 'pending_refund') fake.settleRefund(own, id, true);
  await fake.hooksSettled();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await run(deps.pool, letQuietPass, [shop.accountId]);
    if ((await workOnce(deps, shop)).length === 0) return;
  }
  throw new Error(`${shop.accountId} does not come to rest`);
}

/** Pagar.me has the money of an invoice once if we have it, and not otherwise; what went back is the same in both books. */
async function expectEqual({ cards, invoice, name }: Cell): Promise<void> {
  const paid = [...cards.own.charges.values()].filter(({ paidMs }) => paidMs !== null);
  const { amount_paid, amount_refunded, status } = await cards.fatura.invoices.retrieve(invoice);
  expect(
    paid.map(({ amount }) => amount),
    name,
  ).toEqual(amount_paid > 0 ? [amount_paid] : []);
  expect(status, name).toBe(amount_paid > 0 ? 'paid' : 'open');
  expect(
    paid.reduce((sum, { canceledAmount }) => sum + canceledAmount, 0),
    name,
  ).toBe(amount_refunded);
  const intents = await cards.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 10 });
  expect(
    intents.filter((intent) => ['processing', 'refunding'].includes(intent.status)),
    name,
  ).toEqual([]);
  const settled = intents.filter((intent) => ['paid', 'refunded'].includes(intent.status));
  expect(settled, name).toHaveLength(paid.length);
}

async function charging(name: keyof typeof troubles, number: string): Promise<Cell> {
  const scene = await open();
  const { id } = await newInvoice(scene.cards, { amount: AMOUNT });
  const card = await scene.cards.byToken(number);
  const idempotencyKey = randomUUID();
  const send = (process: ApiProcess) =>
    answerOf(liveAt(scene.shop, process).fatura.invoices.checkout(id, card, { idempotencyKey }));
  trouble(scene, troubles[name], 'createOrder');
  return { ...scene, name: `${name}, card ${number}`, invoice: id, send };
}

async function returning(name: keyof typeof troubles): Promise<Cell> {
  const scene = await open();
  const { id } = await newInvoice(scene.cards, { amount: AMOUNT });
  const { payment_intent } = await scene.cards.fatura.invoices.checkout(id, await scene.cards.byToken(GOOD));
  const idempotencyKey = randomUUID();
  const refund = { payment_intent: payment_intent ?? '', amount: RETURNED };
  const send = (process: ApiProcess) =>
    answerOf(liveAt(scene.shop, process).fatura.refunds.create(refund, { idempotencyKey }));
  trouble(scene, troubles[name], 'cancelCharge');
  return { ...scene, name, invoice: id, send };
}

test.each(['card.after-tokenize', 'card.after-attempt', 'card.after-charge', 'card.after-outcome'] as const)(
  'an API killed at %s of a live checkout by card charges once or not at all, whatever Pagar.me does',
  { timeout: CELL_MS },
  async (step) => {
    const cells = await Promise.all(names.flatMap((name) => [GOOD, DECLINED].map((number) => charging(name, number))));
    await strike(
      step,
      cells.map(({ send }) => send),
    );
    for (const cell of cells) {
      const final = await seeThrough(cell);
      const { status } = await cell.cards.fatura.invoices.retrieve(cell.invoice);
      expect(final === 'paid', cell.name).toBe(status === 'paid');
      expect(cell.cards.own.charges.size, cell.name).toBeLessThanOrEqual(1);
    }
  },
);

test.each(['refund.after-asking', 'refund.after-acquirer', 'refund.after-booking'] as const)(
  'an API killed at %s of a live refund by card returns once, whatever Pagar.me does',
  { timeout: CELL_MS },
  async (step) => {
    const cells = await Promise.all(names.map(returning));
    await strike(
      step,
      cells.map(({ send }) => send),
    );
    for (const cell of cells) {
      await seeThrough(cell);
      expect((await cell.cards.fatura.invoices.retrieve(cell.invoice)).amount_refunded, cell.name).toBe(RETURNED);
    }
  },
);
