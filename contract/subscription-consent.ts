import { z } from 'zod';
import { field, timestamp } from './kernel.ts';

/** What whoever bought a subscription on a page agreed to. */
const SubscriptionConsent = z
  .object({
    at: timestamp('When the buyer agreed, by paying or by giving the first card.'),
    ip: field(z.string(), 'The address that the buyer came from.', '203.0.113.7'),
    text: field(
      z.string(),
      'What the page said beside the button, in the language of the buyer, with the addresses of your terms and privacy policy at that moment.',
      'Ao assinar, você autoriza Loja Exemplo a cobrar R$ 99,90 hoje e R$ 99,90 todo mês, até você cancelar.',
    ),
  })
  .meta({
    id: 'SubscriptionConsent',
    description: 'What the buyer of a subscription agreed to on the page that sold it.',
  });

export const consentOfSubscription = field(
  SubscriptionConsent.nullable(),
  'What the buyer agreed to on the page of a checkout session; null: it was sold otherwise, is not agreed to yet, or its customer was anonymized.',
  null,
);
