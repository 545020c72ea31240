import type { Invoice, Subscription } from '@fatura/sdk';
import { beforeAll } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newPrice } from '../../support/factories.ts';
import {
  leaveUnpaid,
  passUntil,
  renew,
  subscribe,
  subscribeByPix,
  subscribeUnfunded,
  suspend,
} from '../../support/subscriptions.ts';
import { PaymentScene } from '../payments/payment-scene.ts';

const DAY = 86_400;

/** Events of a first payment, and of one after a suspension, behind those of the payment. */
export const ACTIVATED = ['subscription.activated', 'subscription.period_started'];
export const RESUMED = ['subscription.reactivated', ...ACTIVATED];

/** Where a subscription can stand; `reactivated` is pending once more, and every `active` one has an open renewal. */
export const standings = ['pending', 'active', 'suspended', 'reactivated', 'inactive'] as const;
export type Standing = (typeof standings)[number];

/** A subscription with the invoice that it, or its customer, has to pay. */
export interface Subject {
  readonly id: string;
  readonly customer: string;
  readonly invoice: string;
}

/** A scene of sales in which customers subscribe, from noon on: a reminder is then due when its day is, and not at the first hour of letters. */
export class SubscriptionScene extends PaymentScene {
  constructor(...options: ConstructorParameters<typeof PaymentScene>) {
    super(...options);
    beforeAll(() => this.api.clock.advanceToHour(12));
  }

  get fatura() {
    return this.merchant.fatura;
  }
  get subscriptions() {
    return this.merchant.fatura.subscriptions;
  }

  now(): number {
    return this.api.clock.now();
  }

  /** Whose subscription time passes for. */
  collected(id: string) {
    return { api: this.api, merchant: this.merchant, id };
  }

  subscribe(overrides: Parameters<typeof subscribe>[1] = {}): Promise<Subscription> {
    return subscribe(this.merchant, overrides);
  }

  async subscribeByCard(...card: Parameters<typeof byCard>): Promise<Subscription> {
    return this.subscriptions.checkout((await this.subscribe()).id, byCard(...card));
  }

  /** One whose card is declined for each renewal, which so stays open. */
  subscribeUnfunded(recurring?: Parameters<typeof subscribeUnfunded>[1]): Promise<Subscription> {
    return subscribeUnfunded(this.merchant, recurring);
  }

  renew(id: string): Promise<Invoice> {
    return renew(this.collected(id));
  }

  suspend(id: string): Promise<void> {
    return suspend(this.collected(id));
  }

  /** Lets so much time pass for a subscription; answers what was done of it by itself. */
  pass(id: string, seconds: number): Promise<string[]> {
    return passUntil(this.collected(id), this.now() + seconds);
  }

  /** Until what the calendar brings a subscription next is due, which is not done yet. */
  async untilDue(id: string): Promise<void> {
    const [row] = await this.rows('SELECT due_at FROM subscription WHERE id = $1', id);
    this.api.clock.advance(Math.max(0, Number(row?.due_at) - this.now()));
  }

  /** One that is paid by PIX, for its first cycle so far. */
  async subscribePaidByPix(
    recurring: Parameters<typeof subscribeUnfunded>[1] = { interval: 'month' },
    overrides: Parameters<typeof subscribe>[1] = {},
  ): Promise<Subscription> {
    const price = await newPrice(this.merchant, { type: 'recurring', recurring });
    return subscribeByPix(this.merchant, { price_id: price.id, ...overrides });
  }

  /** What was told of a subscription since an instant, in days after it, and the types. */
  async story(id: string, since: number): Promise<[number, unknown][]> {
    const told = await this.rows(
      `SELECT created, type FROM event WHERE related @> ARRAY[$1] AND created >= $2 ORDER BY id`,
      ...[id, since],
    );
    return told.map(({ created, type }) => [(Number(created) - since) / DAY, type]);
  }

  /** The open invoices of a subscription, oldest first. */
  async openInvoices(id: string): Promise<Invoice[]> {
    const open = await this.fatura.invoices.list({ subscription_id: id, status: 'open' }).all({ max: 100 });
    return open.toReversed();
  }

  /** Changes how the account collects while this work is done. */
  async withDays(days: string, work: () => Promise<void>): Promise<void> {
    const { accountId } = this.merchant;
    await this.rows(`UPDATE collection_settings SET ${days} WHERE account_id = $1`, accountId);
    await work().finally(() =>
      this.rows(
        `UPDATE collection_settings SET overdue_days = DEFAULT, suspend_days = DEFAULT, cancel_days = DEFAULT, retry_days = DEFAULT, penalty_on_unpaid = DEFAULT WHERE account_id = $1`,
        accountId,
      ),
    );
  }

  /** A pending one with its QR code. */
  async subscribeByPix(): Promise<Subject & { intent: string; txid: string }> {
    const { id, customer, latest_invoice: invoice } = await this.subscribe();
    await this.subscriptions.checkout(id, { payment_method_type: 'pix' });
    return { id, customer, ...(await this.checkoutByPix(invoice ?? '')) };
  }

  async make(standing: Standing): Promise<Subject> {
    const { id, customer, latest_invoice: first } = await this.subscribe();
    const subject = { id, customer, invoice: first ?? '' };
    if (standing === 'pending') return subject;
    if (standing === 'inactive') {
      await this.subscriptions.cancel(id);
      return subject;
    }
    await this.subscriptions.checkout(id, byCard(cards.renewals_declined));
    if (standing === 'active') return { ...subject, invoice: (await this.renew(id)).id };
    const { id: invoice } = await leaveUnpaid(this.collected(id));
    if (standing === 'reactivated') await this.subscriptions.reactivate(id);
    return { ...subject, invoice };
  }

  async status(id: string): Promise<string> {
    return (await this.subscriptions.retrieve(id)).status;
  }

  /** Types of all events of a subscription, its invoices and charges, in their order. */
  async types(id: string): Promise<unknown[]> {
    return (await this.facts(id)).map(({ type }) => type);
  }

  /** What is told while this work is done. */
  async told(id: string, work: () => Promise<unknown>): Promise<unknown[]> {
    const before = await this.types(id);
    await work();
    return (await this.types(id)).slice(before.length);
  }

  /** What a subscription keeps to itself, and its invoices by cycle. */
  async cycles(id: string): Promise<{ cycle: unknown; anchorCycle: unknown; invoices: unknown[][] }> {
    const [row] = await this.rows('SELECT cycle, anchor_cycle FROM subscription WHERE id = $1', id);
    const invoices = await this.rows(
      'SELECT cycle, status, period_start, period_end FROM invoice WHERE subscription_id = $1 ORDER BY cycle',
      id,
    );
    return {
      cycle: row?.cycle,
      anchorCycle: row?.anchor_cycle,
      invoices: invoices.map((one) => [one.cycle, one.status, one.period_start, one.period_end]),
    };
  }
}
