import { AccountSchema, ApiKeySchema } from './accounts/entity.ts';
import { PriceSchema, ProductSchema } from './catalog/entity.ts';
import { CheckoutSessionSchema } from './checkout/entity.ts';
import { CustomerSchema } from './customers/entity.ts';
import { WebhookEndpointSchema } from './events/entity.ts';
import { InvoiceSchema } from './invoices/entity.ts';
import {
  ChargeAttemptSchema,
  DisputeSchema,
  PaymentIntentSchema,
  PaymentMethodSchema,
  PixReceiptSchema,
  QrCodeSchema,
  RefundPartSchema,
  RefundSchema,
} from './payments/entity.ts';
import { SubscriptionSchema } from './subscriptions/entity.ts';

/** Every entity of the service. */
export const entities = [
  AccountSchema,
  ApiKeySchema,
  CustomerSchema,
  ProductSchema,
  PriceSchema,
  InvoiceSchema,
  PaymentIntentSchema,
  QrCodeSchema,
  PixReceiptSchema,
  RefundPartSchema,
  RefundSchema,
  DisputeSchema,
  ChargeAttemptSchema,
  PaymentMethodSchema,
  SubscriptionSchema,
  CheckoutSessionSchema,
  WebhookEndpointSchema,
];
