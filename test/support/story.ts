import type { Fatura, Price, Subscription, SubscriptionCreate } from '@fatura/sdk';
import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { TIME_ZONE } from '../../server/kernel/brazil.ts';
import { eventually, workerFor } from '../workflows/support.ts';
import { type Merchant, startApi, type TestApi } from './api.ts';
import { byCard } from './cards.ts';
import { newCustomer, newPrice } from './factories.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Civil time in America/Sao_Paulo: `2027-01-31 10:00`, or a date at ten in the morning. */
export type Civil = string;

const TIME_OF_DAY = '10:00';
const SECOND_MS = 1_000;

export function instantOf(civil: Civil): number {
  const [date, time = TIME_OF_DAY] = civil.split(' ');
  return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(TIME_ZONE).epochMilliseconds / SECOND_MS;
}

/** As `instantOf` reads it: ten o'clock goes without saying. */
export function civilOf(instant: number): Civil {
  const at = Temporal.Instant.fromEpochMilliseconds(instant * SECOND_MS).toZonedDateTimeISO(TIME_ZONE);
  const time = at.toPlainTime().toString({ smallestUnit: at.second === 0 ? 'minute' : 'second' });
  return time === TIME_OF_DAY ? at.toPlainDate().toString() : `${at.toPlainDate()} ${time}`;
}

/** A merchant whose sandbox begins on a day of its own, with a receiver that keeps every event. */
export class Story {
  readonly fatura: Fatura;
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly #pool: pg.Pool;
  #told = 0;

  constructor(merchant: Merchant, { receiver, pool }: { receiver: Receiver; pool: pg.Pool }) {
    this.#pool = pool;
    this.merchant = merchant;
    this.fatura = merchant.fatura;
    this.receiver = receiver;
  }

  /** Lets time pass up to an instant. */
  async to(civil: Civil): Promise<void> {
    await this.fatura.testClock.advance({ to: instantOf(civil) });
  }

  /** As `to`, unless it is past already. */
  async toAtLeast(instant: number): Promise<void> {
    const { now } = await this.fatura.testClock.retrieve();
    if (instant > now) await this.fatura.testClock.advance({ to: instant });
  }

  /** A recurring price of R$ 99,90, monthly unless told otherwise. */
  price(overrides: Parameters<typeof newPrice>[1] = {}): Promise<Price> {
    return newPrice(this.merchant, { type: 'recurring', recurring: { interval: 'month' }, ...overrides });
  }

  /** A pending subscription of a new customer. */
  async subscribe(
    overrides: Partial<SubscriptionCreate> & { price?: Parameters<typeof newPrice>[1] } = {},
  ): Promise<Subscription> {
    const { price, ...rest } = overrides;
    const customer_id = rest.customer_id ?? (await newCustomer(this.merchant)).id;
    const price_id = rest.price_id ?? (await this.price(price)).id;
    return this.fatura.subscriptions.create({ ...rest, customer_id, price_id });
  }

  /** Subscribes and pays the first cycle by card. */
  async subscribeByCard(number?: string, overrides: Parameters<Story['subscribe']>[0] = {}): Promise<Subscription> {
    const { id } = await this.subscribe(overrides);
    return this.fatura.subscriptions.checkout(id, byCard(number));
  }

  /** Subscribes and pays the first cycle by PIX. */
  async subscribeByPix(overrides: Parameters<Story['subscribe']>[0] = {}): Promise<Subscription> {
    const { id, latest_invoice } = await this.subscribe(overrides);
    await this.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
    await this.payPix(latest_invoice ?? '');
    return this.fatura.subscriptions.retrieve(id);
  }

  /** The buyer pays the QR code of an invoice. */
  async payPix(invoiceId: string): Promise<void> {
    const { payment_intent } = await this.fatura.invoices.retrieve(invoiceId);
    await this.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
  }

  /** What the receiver was told since it was last asked, in the order it happened: `2027-02-28 invoice.paid`. */
  async news(): Promise<string[]> {
    await this.#allDelivered();
    const events = this.receiver.accepted.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const news = events.slice(this.#told);
    this.#told = events.length;
    return news.map(({ type, created }) => `${civilOf(created)} ${type}`);
  }

  /** What was written to buyers, oldest first. */
  mails(): Promise<{ step: number | null; status: string; created: number }[]> {
    return this.rows('SELECT step, status, created FROM mail WHERE account_id = $1 ORDER BY created, id');
  }

  /** Rows of the account, whose id is the statement's only value. */
  async rows<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, [this.merchant.accountId])).rows;
  }

  /** Those of commands are sent by the worker as soon as they are committed; those of an advance are sent with it. */
  async #allDelivered(): Promise<void> {
    await eventually('every event at the receiver', async () => {
      const { data } = await this.fatura.events.list({ limit: 100, delivery_status: 'pending' }).page();
      return data.length === 0;
    });
  }
}

/** The service with a worker, for the dated stories of one file. */
export class Stories {
  #api: TestApi | null = null;
  readonly #receivers: Receiver[] = [];

  constructor() {
    let worker: ReturnType<typeof workerFor> | null = null;
    beforeAll(async () => {
      this.#api = await startApi();
      worker = workerFor(this.#api);
      await eventually('the worker', async () => worker?.isTemporalUp);
    });
    afterAll(async () => {
      await worker?.stop();
      await this.#api?.stop();
      for (const receiver of this.#receivers) await receiver.stop();
    });
  }

  get api(): TestApi {
    if (this.#api === null) throw new Error('the stories have not begun');
    return this.#api;
  }

  /** A new account whose clock shows this as it is created, and tells a receiver of everything. */
  async startOn(civil: Civil): Promise<Story> {
    const merchant = await this.api.newMerchant({ clock: instantOf(civil) });
    const receiver = await startReceiver();
    this.#receivers.push(receiver);
    const endpoint = await merchant.fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] });
    receiver.secret = endpoint.secret ?? '';
    return new Story(merchant, { receiver, pool: this.api.composition.deps.pool });
  }
}

const at = (civil: Civil, types: readonly string[]): string[] => types.map((type) => `${civil} ${type}`);

/** What use cases record, by the table of docs/product/events.md#what-each-use-case-records. */
export const told = {
  subscribed: (day: Civil) =>
    at(day, ['customer.created', 'product.created', 'price.created', 'subscription.created', 'invoice.created']),
  chargeSent: (day: Civil) => at(day, ['payment_intent.created', 'payment_intent.processing']),
  paid: (day: Civil) => at(day, ['payment_intent.paid', 'invoice.paid']),
  /** By a card that is stored with it. */
  paidByCard: (day: Civil) => at(day, ['payment_intent.paid', 'payment_method.attached', 'invoice.paid']),
  activated: (day: Civil) => at(day, ['subscription.activated', 'subscription.period_started']),
  declined: (day: Civil) => at(day, ['payment_intent.failed', 'invoice.payment_failed']),
  retried: (day: Civil) => at(day, ['payment_intent.processing']),
  /** A cycle begins, is billed and charged. */
  renewing: (day: Civil) => [...at(day, ['subscription.period_started', 'invoice.created']), ...told.chargeSent(day)],
  renewed: (day: Civil) => [...told.renewing(day), ...told.paid(day)],
  billed: (day: Civil) => at(day, ['invoice.created', 'payment_intent.created']),
  periodStarted: (day: Civil) => at(day, ['subscription.period_started']),
  overdue: (day: Civil) => at(day, ['invoice.overdue', 'subscription.overdue']),
  suspended: (day: Civil) => at(day, ['subscription.suspended']),
  givenUp: (day: Civil) =>
    at(day, ['payment_intent.discarded', 'invoice.marked_uncollectible', 'subscription.canceled']),
} as const;
