import type { Subscription } from '@fatura/sdk';

/** What the items of a subscription come to each cycle, before discounts. Cents. */
export const itemsSubtotal = ({ data }: Pick<Subscription['items'], 'data'>): number =>
  data.reduce((sum, { quantity, price }) => sum + quantity * price.unit_amount, 0);
