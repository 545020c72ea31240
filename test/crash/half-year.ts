import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Merchant } from '../support/api.ts';
import { byCard, cards } from '../support/cards.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Stack, until } from '../support/stack.ts';
import { newMonthly, subscribe, subscribeByCard } from '../support/subscriptions.ts';
import { beginAdvance, isReady } from '../support/test-clock.ts';

const DAY = 86_400;
const HALF_YEAR = 182 * DAY;
const ARRIVAL_MS = 90_000;
/** So that half a year takes long enough to be disturbed. */
const ANSWER_MS = 25;

/** An account whose clock is advanced by half a year. */
export interface HalfYear {
  readonly merchant: Merchant;
  readonly receiver: Receiver;
}

/** Subscriptions of every kind: by card, by PIX, by a card that is declined, and by one that is charged every day. */
export async function prepareHalfYear(stack: Stack): Promise<HalfYear> {
  const [merchant, receiver] = [await stack.newMerchant(), await startReceiver()];
  const { fatura } = merchant;
  const endpoint = await fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] });
  receiver.secret = endpoint.secret ?? '';
  await subscribeByCard(merchant);
  await subscribeByCard(merchant, cards.renewals_declined);
  await subscribeByCard(merchant, cards.renewals_delayed);
  const { id } = await subscribe(merchant);
  const { latest_invoice: first } = await fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
  const { payment_intent: intent } = await fatura.invoices.retrieve(first ?? '');
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  const daily = await newMonthly(merchant, { recurring: { interval: 'day' } });
  const byDay = await subscribe(merchant, { price_id: daily.id });
  await fatura.subscriptions.checkout(byDay.id, byCard(cards.mastercard));
  await until('the first deliveries', async () => isAllDelivered(stack, merchant));
  receiver.answer = () => sleep(ANSWER_MS).then(() => 200);
  return { merchant, receiver };
}

const isAllDelivered = (stack: Stack, { accountId }: Merchant): Promise<boolean> =>
  stack.withDatabase(async ({ pool }) => {
    const { rowCount } = await pool.query(`SELECT FROM delivery WHERE account_id = $1 AND status <> 'delivered'`, [
      accountId,
    ]);
    return rowCount === 0;
  });

export async function begin(stack: Stack, { merchant }: HalfYear): Promise<void> {
  const { now } = await merchant.fatura.testClock.retrieve();
  await beginAdvance(stack.baseUrl, merchant, now + HALF_YEAR);
}

/** Waits until the clock has moved on from where it is, or arrived. */
export async function untilMoving(stack: Stack, { merchant: { accountId } }: HalfYear): Promise<void> {
  await stack.withDatabase(async ({ pool }) => {
    const from = await heldAt(pool, accountId);
    await until('the clock to move', async () => (await heldAt(pool, accountId)) !== from, ARRIVAL_MS);
  });
}

/** Waits until nobody moves the clock any more. */
export async function untilStanding(stack: Stack, { merchant: { accountId } }: HalfYear): Promise<void> {
  await stack.withDatabase(async ({ pool }) => {
    await until('the clock to stand still', async () => {
      const from = await heldAt(pool, accountId);
      await sleep(1_000);
      return (await heldAt(pool, accountId)) === from;
    });
  });
}

async function heldAt(pool: pg.Pool, accountId: string): Promise<number | null> {
  const { rows } = await pool.query('SELECT clock_held_at FROM account WHERE id = $1', [accountId]);
  return rows[0].clock_held_at;
}

export async function untilArrived(stack: Stack, { merchant, receiver }: HalfYear): Promise<void> {
  await until('the clock to arrive', () => isReady(merchant), ARRIVAL_MS);
  await until('the last deliveries', () => isAllDelivered(stack, merchant));
  await receiver.stop();
}

/** What half a year came to, without ids and in seconds after each subscription's first payment. */
export interface Story {
  readonly events: string[];
  readonly invoices: string[];
  readonly charges: string[];
  /** Events that no receiver was told of. */
  readonly untold: string[];
}

const after = (instant: string): string => `coalesce((${instant} - s.billing_cycle_anchor)::text, '-')`;

/** Of every subscription, numbered in the order they were made. */
const ofAccount = `(SELECT *, row_number() OVER (ORDER BY id) AS nth FROM subscription WHERE account_id = $1) s`;

const queries = {
  events: `SELECT concat_ws(' ', s.nth, ${after('e.created')}, e.type, e.body::jsonb #>> '{data,object,status}',
      coalesce(e.body::jsonb #>> '{data,object,total}', e.body::jsonb #>> '{data,object,amount}')) AS line
    FROM ${ofAccount} JOIN event e ON e.related @> ARRAY[s.id] WHERE e.created > s.billing_cycle_anchor ORDER BY s.nth, e.id`,
  invoices: `SELECT concat_ws(' ', s.nth, i.cycle, i.status, i.total, i.amount_paid, ${after('i.period_start')}, ${after('i.due_at')},
      ${after('i.overdue_at')}, ${after('i.paid_at')}, i.charges, i.reminders) AS line
    FROM ${ofAccount} JOIN invoice i ON i.subscription_id = s.id WHERE i.cycle > 1 ORDER BY s.nth, i.cycle`,
  charges: `SELECT concat_ws(' ', s.nth, i.cycle, b.outcome, b.amount, count(*)) AS line
    FROM ${ofAccount} JOIN invoice i ON i.subscription_id = s.id JOIN charge_attempt c ON c.invoice_id = i.id
      JOIN sandbox_bank.charge b ON b.reference = c.id
    GROUP BY s.nth, i.cycle, b.outcome, b.amount ORDER BY s.nth, i.cycle, b.outcome`,
} as const;

export function readStory(stack: Stack, { merchant: { accountId }, receiver }: HalfYear): Promise<Story> {
  return stack.withDatabase(async ({ pool }) => {
    const lines = async (sql: string): Promise<string[]> =>
      (await pool.query<{ line: string }>(sql, [accountId])).rows.map(({ line }) => line);
    const told = new Set(receiver.accepted.map(({ id }) => id));
    const recorded = await lines(
      `SELECT e.id AS line FROM event e JOIN delivery d ON d.event_id = e.id WHERE e.account_id = $1 ORDER BY e.id`,
    );
    return {
      events: await lines(queries.events),
      invoices: await lines(queries.invoices),
      charges: await lines(queries.charges),
      untold: recorded.filter((id) => !told.has(id)),
    };
  });
}

/** Subscriptions with a charge that never reached the acquirer: its outcome is out of the promise (docs/product/test-clock.md#advancing). */
export const neverCharged = (stack: Stack, { merchant: { accountId } }: HalfYear): Promise<string[]> =>
  stack.withDatabase(async ({ pool }) => {
    const { rows } = await pool.query<{ nth: string }>(
      `SELECT DISTINCT s.nth::text AS nth FROM ${ofAccount} JOIN invoice i ON i.subscription_id = s.id
       JOIN charge_attempt c ON c.invoice_id = i.id WHERE c.status = 'never_charged'`,
      [accountId],
    );
    return rows.map(({ nth }) => nth);
  });

/** A story without some of its subscriptions. */
export function without(story: Story, left: readonly string[]): Story {
  const stays = (line: string) => !left.includes(line.split(' ')[0] ?? '');
  const { events, invoices, charges, untold } = story;
  return { events: events.filter(stays), invoices: invoices.filter(stays), charges: charges.filter(stays), untold };
}

/** The lines in which one story differs from another, for a failure that can be read. */
export function differences(story: Story, from: Story): string[] {
  // The keys of an object literal are those of its type.
  return (Object.keys(story) as (keyof Story)[]).flatMap((part) => [
    ...from[part].filter((line) => !story[part].includes(line)).map((line) => `${part} lack: ${line}`),
    ...story[part].filter((line) => !from[part].includes(line)).map((line) => `${part} have: ${line}`),
  ]);
}
