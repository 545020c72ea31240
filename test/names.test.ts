import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The service; the page, the site and the fake PSP are programs of their own. */
const files = globSync('{server,workflows,contract,ops}/**/*.ts').map((path) => path.replaceAll('\\', '/'));

const DECLARATION = /^export (?:async )?(?:const|function|class|interface|type) +([\w$]+)/gm;

const namesIn = (text: string): string[] => [...text.matchAll(DECLARATION)].map(([, name = '']) => name);

/** Files by the names that they export. */
const declared = Map.groupBy(
  files.flatMap((path) => namesIn(readFileSync(path, 'utf8')).map((name) => ({ name, path }))),
  ({ name }) => name,
);

/** An object as it is stored and as the API shows it, and the routes of a resource beside its table. */
const ENTITY_AND_VIEW = [
  'Account',
  'ApiKey',
  'CheckoutSession',
  'CollectionSettings',
  'Coupon',
  'Customer',
  'Dispute',
  'Export',
  'Invoice',
  'InvoiceItem',
  'Mandate',
  'Note',
  'PaymentIntent',
  'PaymentLink',
  'PaymentMethod',
  'PixReceipt',
  'Price',
  'Product',
  'PromotionCode',
  'Refund',
  'RefundPart',
  'Subscription',
  'SubscriptionChange',
  'SubscriptionDiscount',
  'WebhookEndpoint',
  'collectionSettings',
  'coupons',
  'customers',
  'disputes',
  'invoiceItems',
  'mandates',
  'paymentMethods',
  'promotionCodes',
  'subscriptions',
  'testClock',
];

test('an exported name means one thing', () => {
  const several = [...declared].filter(([, places]) => new Set(places.map(({ path }) => path)).size > 1);
  expect(several.length).toBeGreaterThan(0);
  expect(several.map(([name]) => name).sort()).toEqual(ENTITY_AND_VIEW.sort());
});
