import { z } from 'zod';
import { exampleId, field, objectName, timestamp } from './kernel.ts';
import { webUrl } from './texts.ts';

const EXPIRES_IN_MIN = 300;
const EXPIRES_IN_MAX = 86_400;
export const PORTAL_EXPIRES_IN_DEFAULT = 3_600;

export const PortalLinkInput = z
  .strictObject({
    return_url: field(
      webUrl.optional(),
      'Where the page leads back to, at the shop.',
      'https://loja.example.com/conta',
    ),
    expires_in: field(
      z.int().min(EXPIRES_IN_MIN).max(EXPIRES_IN_MAX).optional(),
      'For how long the link opens the page: 300 to 86,400 seconds of real time; 3,600 without it.',
      PORTAL_EXPIRES_IN_DEFAULT,
    ),
  })
  .meta({ id: 'PortalLinkInput', description: 'A link to what an account has of a customer.' });

export type PortalLinkInput = z.output<typeof PortalLinkInput>;

export const PortalLink = z
  .object({
    object: objectName('portal_link'),
    customer: field(z.string(), 'The customer who acts there.', exampleId('cus')),
    url: field(
      z.string(),
      'The page. Whoever has the link acts for the customer, so it is shown in this answer alone.',
      'https://pay.example.com/portal/3vJ6nq0yX8mP2tR5wZ1cK4hB7dF9gL0sQaUeIoNxYzE',
    ),
    expires_at: timestamp('When the link ends, in real time.'),
  })
  .meta({ id: 'PortalLink', description: 'A link by which a customer sees and changes what the account has of them.' });

export type PortalLink = z.output<typeof PortalLink>;
