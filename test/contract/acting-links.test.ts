import { expect, test } from 'vitest';
import { ACTING_LINK } from '../../contract/kernel.ts';
import { buildOpenApi } from '../../contract/openapi.ts';

interface Field {
  readonly examples?: readonly unknown[];
}

const { schemas } = buildOpenApi().components as { schemas: Record<string, { properties?: Record<string, Field> }> };

/** A payment link is an object with an address of its own. */
const holdsAddress = ([name, { examples = [] }]: [string, Field]): boolean =>
  /(?<!^payment)(^|_)(ur[il]s?|links?|href)$/.test(name) ||
  examples.some((example) => /^https?:\/\//.test(String(example)));

/** The fields of the contract that hold an address, such as `Invoice.payment_url`. */
const addresses = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties)
    .filter(holdsAddress)
    .map(([name, field]) => ({ place: `${schema}.${name}`, isActing: ACTING_LINK in field })),
);

const acting = [
  'CheckoutSession.url',
  'Export.url',
  'Invoice.payment_url',
  'PaymentLink.url',
  'Price.payment_url',
  'Subscription.update_payment_url',
];

/** By what an address is harmless: it is the merchant's own, it only shows, or no key that may only read is answered it. */
const harmless: Readonly<Record<string, string>> = {
  'Account.logo_url': 'an image',
  'Account.privacy_url': "the shop's own",
  'Account.terms_url': "the shop's own",
  'AccountUpdate.logo_url': 'is sent',
  'AccountUpdate.privacy_url': 'is sent',
  'AccountUpdate.terms_url': 'is sent',
  'CheckoutSession.return_url': "the shop's own",
  'CheckoutSession.success_url': "the shop's own",
  'CheckoutSessionCreate.return_url': 'is sent',
  'CheckoutSessionCreate.success_url': 'is sent',
  'CreatedCheckoutSession.return_url': "the shop's own",
  'CreatedCheckoutSession.success_url': "the shop's own",
  'CreatedCheckoutSession.url': 'answers a key that may write',
  'ErrorDetail.doc_url': 'a page of the docs',
  'Invoice.receipt_url': 'shows that an invoice is paid, which stays so',
  'MandateQr.image_url': 'an image',
  'PaymentLink.return_url': "the shop's own",
  'PaymentLink.success_url': "the shop's own",
  'PaymentLinkCreate.return_url': 'is sent',
  'PaymentLinkCreate.success_url': 'is sent',
  'PaymentLinkUpdate.return_url': 'is sent',
  'PaymentLinkUpdate.success_url': 'is sent',
  'PortalLink.url': 'answers a key that may write',
  'PortalLinkInput.return_url': 'is sent',
  'WebhookEndpoint.url': "the shop's own",
  'WebhookEndpointCreate.url': 'is sent',
  'WebhookEndpointUpdate.url': 'is sent',
};

const isPathOfList = (place: string): boolean => place.endsWith('List.url');

test('each address in the contract acts and is marked so, or is named harmless with its reason', () => {
  const marked = addresses.filter(({ isActing }) => isActing).map(({ place }) => place);
  expect(marked.toSorted()).toEqual(acting);
  const others = addresses.flatMap(({ place, isActing }) => (isActing || isPathOfList(place) ? [] : [place]));
  expect(others.toSorted()).toEqual(Object.keys(harmless).toSorted());
});
