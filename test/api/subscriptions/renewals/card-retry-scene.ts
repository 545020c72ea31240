import { performStep } from '../../../../server/subscriptions/collection/step.ts';
import { tokenOfSubscription } from '../../../support/card-token.ts';
import { cards } from '../../../support/cards.ts';
import { SENT } from '../../payments/payment-scene.ts';
import { CardReplacementScene } from '../card-replacement-scene.ts';

const DAY = 86_400;

/** Events of a charge by itself on the charge that is there, and of an invoice that is overdue. */
export const RETRIED = 'payment_intent.processing';
export const OVERDUE = ['invoice.overdue', 'subscription.overdue'];
/** A renewal by card up to its first answer (docs/product/events.md#what-each-use-case-records). */
export const RENEWED = ['subscription.period_started', 'invoice.created', ...SENT];

export interface Renewal {
  readonly id: string;
  readonly invoice: string;
  readonly intent: string;
  /** The instant that the period began and the card was charged first. */
  readonly at: number;
}

/** A scene of renewals whose cards are charged by themselves. */
export class CardRetryScene extends CardReplacementScene {
  /** A renewal whose first charge was made by itself; `issuer` decides of it, as the sandbox names what it does. */
  async renewal(number: string = cards.renewals_declined, issuer: string | null = null): Promise<Renewal> {
    const { id } = await this.subscribeByCard(number);
    if (issuer !== null) await this.issuerAnswers({ id }, issuer);
    const { id: invoice, payment_intent: intent } = await this.renew(id);
    return { id, invoice, intent: intent ?? '', at: this.now() };
  }

  /** The open invoices of a weekly subscription a week after the first of them was left unpaid, oldest first. */
  async twoOpen(): Promise<{ id: string; older: string; younger: string; at: number }> {
    const { id } = await this.subscribeUnfunded({ interval: 'week' });
    const { id: older } = await this.renew(id);
    const at = this.now();
    const { id: younger } = await this.renew(id);
    return { id, older, younger, at };
  }

  /** What is asked of an invoice by itself at this moment. */
  perform(invoice: string) {
    return performStep(this.deps, invoice);
  }

  /** Lets time pass up to so many days after the period began; answers what was told meanwhile. */
  toldUntil({ id, at }: Pick<Renewal, 'id' | 'at'>, days: number): Promise<unknown[]> {
    return this.told(id, () => this.pass(id, at + days * DAY - this.now()));
  }

  /** The issuer decides otherwise from now on about the card that is charged. */
  async issuerAnswers({ id }: Pick<Renewal, 'id'>, scenario: string): Promise<void> {
    await this.rows(
      'UPDATE sandbox_bank.card SET scenario = $2 WHERE token = $1',
      ...[await tokenOfSubscription(this.deps, id), scenario],
    );
  }

  /** When the card is charged for an invoice by itself next. */
  async nextChargeOf(invoice: string): Promise<unknown> {
    return (await this.rows('SELECT next_charge_at FROM invoice WHERE id = $1', invoice))[0]?.next_charge_at;
  }

  async outcomesOf(invoice: string): Promise<unknown[]> {
    return (await this.chargesAtBank(invoice)).map(({ outcome }) => outcome);
  }
}
