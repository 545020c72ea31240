import type { Mandate, PaymentIntent, Subscription } from '@fatura/sdk';
import { pixMandateStep } from '../../../../server/subscriptions/mandates/case.ts';
import { newPrice } from '../../../support/factories.ts';
import { instantOf } from '../../../support/story.ts';
import { pass, passUntil, subscribeByMandate } from '../../../support/subscriptions.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

/** A renewal that is debited: its bill, its debit and the days that count. */
export interface Debited {
  readonly id: string;
  readonly mandate: string;
  readonly invoice: string;
  readonly intent: string;
  /** The civil day of the debit. */
  readonly day: string;
}

const byMandate = { payment_method_type: 'pix_automatico' } as const;

/** A scene of subscriptions whose buyers authorise debits. */
export class MandateScene extends SubscriptionScene {
  get mandates() {
    return this.fatura.mandates;
  }

  /** A pending one, with the mandate that its first bill brings. */
  async asked(overrides: Parameters<SubscriptionScene['subscribe']>[0] = {}) {
    const { id, latest_invoice: invoice } = await this.subscribe(overrides);
    const { mandate, payment_method: method } = await this.subscriptions.checkout(id, byMandate);
    const { payment_intent: intent } = await this.invoice(invoice ?? '');
    return {
      id,
      invoice: invoice ?? '',
      intent: intent ?? '',
      mandate: mandate ?? '',
      code: method?.pix?.pix_copy_paste,
    };
  }

  authorised(overrides: Parameters<SubscriptionScene['subscribe']>[0] = {}): Promise<Subscription> {
    return subscribeByMandate(this.merchant, overrides);
  }

  /** One whose renewal is scheduled to be debited. */
  async scheduled(overrides: Parameters<SubscriptionScene['subscribe']>[0] = {}): Promise<Debited> {
    const { id, mandate } = await this.authorised(overrides);
    const { id: invoice, payment_intent: intent } = await this.renew(id);
    await pass(this.collected(id), async () => (await this.intent(intent ?? '')).status === 'scheduled');
    const { scheduled_for: day } = await this.intent(intent ?? '');
    return { id, mandate: mandate ?? '', invoice, intent: intent ?? '', day: day ?? '' };
  }

  decide(intent: string, outcome: 'paid' | 'insufficient' | 'limit' | 'account_closed' | 'expired') {
    return this.fatura.testHelpers.paymentIntents.debit(intent, { outcome });
  }

  /** Lets time pass for a subscription up to an hour of a civil day, `21:00`, so many days after another. */
  async to(id: string, day: string, time: string, later = 0): Promise<string[]> {
    const date = Temporal.PlainDate.from(day).add({ days: later }).toString();
    return passUntil(this.collected(id), instantOf(`${date} ${time}`));
  }

  /** The case of a mandate looks at it once. */
  look(mandate: string) {
    return pixMandateStep(this.deps, mandate);
  }

  async mandateOf(id: string): Promise<Mandate> {
    const [newest] = (await this.mandates.list({ subscription_id: id, limit: 1 }).page()).data;
    if (newest === undefined) throw new Error(`${id} has no mandate`);
    return newest;
  }

  async stateOf(intent: string): Promise<Pick<PaymentIntent, 'status' | 'attempts' | 'scheduled_for'>> {
    const { status, attempts, scheduled_for } = await this.intent(intent);
    return { status, attempts, scheduled_for };
  }

  every(interval: 'day' | 'week' | 'month', interval_count = 1) {
    return newPrice(this.merchant, { type: 'recurring', recurring: { interval, interval_count } });
  }
}
