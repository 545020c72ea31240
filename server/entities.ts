import { EntitySchema } from '@mikro-orm/core';
import * as accounts from './accounts/entity.ts';
import * as catalog from './catalog/entity.ts';
import * as checkout from './checkout/entity.ts';
import * as coupons from './coupons/entity.ts';
import * as customers from './customers/entity.ts';
import * as service from './db/entity.ts';
import * as events from './events/entity.ts';
import * as exported from './exports/entity.ts';
import * as invoiceItems from './invoice-items/entity.ts';
import * as invoices from './invoices/entity.ts';
import * as mail from './mail/entity.ts';
import * as outbox from './outbox/entity.ts';
import * as bank from './payments/acquirer/sandbox/entity.ts';
import * as disputes from './payments/disputes/entity.ts';
import * as payments from './payments/entity.ts';
import * as live from './payments/live/entity.ts';
import * as debits from './payments/pix/entity.ts';
import * as portal from './portal/entity.ts';
import * as staff from './staff/entity.ts';
import * as subscriptions from './subscriptions/entity.ts';
import * as mandates from './subscriptions/mandates/entity.ts';

/** Every entity of the service: its tables, but for `write_proof`, whose rows have no key. */
export const entities = [
  accounts,
  customers,
  catalog,
  coupons,
  invoiceItems,
  invoices,
  payments,
  debits,
  disputes,
  subscriptions,
  mandates,
  checkout,
  exported,
  portal,
  events,
  mail,
  live,
  outbox,
  staff,
  service,
  bank,
]
  .flatMap((room): unknown[] => Object.values(room))
  .filter((value) => value instanceof EntitySchema);
