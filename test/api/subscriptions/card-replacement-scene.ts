import type { Subscription } from '@fatura/sdk';
import { byCard, cards } from '../../support/cards.ts';
import { refusalOf, send } from '../requests.ts';
import { SubscriptionScene } from './subscription-scene.ts';

/** A scene of subscribers who give another card for their renewals. */
export class CardReplacementScene extends SubscriptionScene {
  replaceCard(id: string, ...card: Parameters<typeof byCard>): Promise<Subscription> {
    return this.subscriptions.updatePaymentMethod(id, byCard(...card));
  }

  /** The replacement as it goes over the wire: what came of it, in short. */
  async sendCard(id: string, { key, body = byCard(cards.elo) }: { key: string; body?: object }) {
    const request = { method: 'POST', path: `/subscriptions/${id}/payment_method`, key: this.merchant.sandboxKey };
    const answer = await send(this.api, { ...request, body, headers: { 'Idempotency-Key': key } });
    const isReplayed = answer.headers.get('Idempotent-Replayed') === 'true';
    const code = answer.status === 200 ? null : refusalOf(answer).code;
    return { answer, status: answer.status, code, isReplayed, body: answer.body };
  }

  /** The cards kept of a subscription's customer, oldest first, and which of them renewals are charged to. */
  keptCards(id: string) {
    return this.rows(
      `SELECT m.brand, m.last4, m.id = s.payment_method_id AS "isCharged" FROM subscription s
       JOIN payment_method m ON m.customer_id = s.customer_id WHERE s.id = $1 ORDER BY m.id`,
      id,
    );
  }

  /** The brand of the card that renewals are charged to. */
  async chargedBrand(id: string): Promise<unknown> {
    return (await this.keptCards(id)).find(({ isCharged }) => isCharged)?.brand;
  }

  /** Everything our books have of a subscription, its cards and what was told of it. */
  async standing(id: string): Promise<object> {
    const row = await this.rows('SELECT * FROM subscription WHERE id = $1', id);
    return { row, cards: await this.keptCards(id), told: await this.facts(id) };
  }
}
