import { defineEntity } from '@mikro-orm/core';
import { index, own, p, scoped, scopeFilter } from '../db/columns.ts';

/** A link to the page of a customer: the secret in it is known by its hash alone. Requests of live accounts remove such rows too: a customer is anonymized. */
export const PortalLinkSchema = defineEntity({
  name: 'PortalLink',
  tableName: 'portal_link',
  filters: scopeFilter,
  policies: own,
  properties: {
    /** Keyed, of the mode too. */
    secretHash: p.blob().primary(),
    accountId: scoped.accountId,
    liveMode: scoped.liveMode,
    customerId: p.idIn('customer'),
    /** Where the page leads back to. */
    returnUrl: p.text().nullable(),
    createdAt: p.stamp(),
    expiresAt: p.timestamp(),
  },
  indexes: [index('portal_link_customer', ['customerId']), index('portal_link_end', ['expiresAt'])],
});
