import { z } from 'zod';
import { amount, currency, exampleId, field, objectName, timestamp, timestampOrNull, typeId } from './kernel.ts';
import { RecurrenceInterval } from './recurrence.ts';

export const SubscriptionPrice = z
  .object({
    id: typeId('price', 'The price.'),
    object: objectName('price'),
    active: field(z.boolean(), 'Whether the price can be bought anew; renewals go on without.', true),
    created: timestamp('When the price was created.'),
    currency,
    product: typeId('prod', 'What is sold.'),
    type: field(z.literal('recurring'), 'Always `recurring`.', 'recurring'),
    interval: field(RecurrenceInterval, 'Unit of the recurrence.', 'month'),
    interval_count: field(z.int(), 'Units between two charges.', 1),
    unit_amount: amount('Of one unit in one cycle.'),
    unit_amount_decimal: field(z.string(), 'The amount in cents as a string.', '9990'),
    nickname: field(z.string().nullable(), "The price's description; null when it has none.", 'Mensal'),
  })
  .meta({ id: 'SubscriptionPrice', description: 'Summary of the price that a subscription bills.' });

export const SubscriptionItem = z
  .object({
    id: typeId('si', 'Identifier of the item.'),
    object: objectName('subscription_item'),
    created: timestamp('When the item was created.'),
    current_period_start: timestampOrNull('When the cycle under way began.'),
    current_period_end: timestampOrNull('When the cycle under way ends.'),
    quantity: field(z.int(), 'Units billed each cycle.', 1),
    subscription: typeId('sub', 'The subscription.'),
    price: field(SubscriptionPrice, 'What is billed.'),
  })
  .meta({ id: 'SubscriptionItem', description: 'What a subscription bills each cycle.' });

export const itemExample = {
  id: exampleId('si'),
  object: 'subscription_item',
  created: 1_795_257_600,
  current_period_start: 1_795_257_600,
  current_period_end: 1_797_849_600,
  quantity: 1,
  subscription: exampleId('sub'),
  price: {
    id: exampleId('price'),
    object: 'price',
    active: true,
    created: 1_795_257_600,
    currency: 'brl',
    product: exampleId('prod'),
    type: 'recurring',
    interval: 'month',
    interval_count: 1,
    unit_amount: 9990,
    unit_amount_decimal: '9990',
    nickname: 'Mensal',
  },
};
