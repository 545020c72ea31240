import type { Invoice, Subscription } from '@fatura/sdk';
import { byCard } from '../support/cards.ts';
import { leaveUnpaid, renew, subscribe } from '../support/subscriptions.ts';
import { PaymentScene } from './payment-scene.ts';

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

/** A scene of sales in which customers subscribe. */
export class SubscriptionScene extends PaymentScene {
  get fatura() {
    return this.merchant.fatura;
  }
  get subscriptions() {
    return this.merchant.fatura.subscriptions;
  }

  now(): number {
    return this.api.clock.now();
  }

  /** What the collection to come works on. */
  collected(id: string) {
    return { api: this.api, merchant: this.merchant, id };
  }

  subscribe(overrides: Parameters<typeof subscribe>[1] = {}): Promise<Subscription> {
    return subscribe(this.merchant, overrides);
  }

  async subscribeByCard(...card: Parameters<typeof byCard>): Promise<Subscription> {
    return this.subscriptions.checkout((await this.subscribe()).id, byCard(...card));
  }

  renew(id: string): Promise<Invoice> {
    return renew(this.collected(id));
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
    await this.subscriptions.checkout(id, byCard());
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
