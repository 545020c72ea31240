export type { Answer, WithResponse } from './answer.ts';
export { Fatura } from './client.ts';
export {
  type ClientErrorCode,
  type ErrorCodeOf,
  FaturaError,
  type FaturaErrorCode,
  type FaturaErrorOf,
  type FaturaViolation,
  isFaturaError,
} from './errors.ts';
export type {
  CheckoutSessionCreate,
  InvoiceByCard,
  InvoiceByPix,
  InvoiceCreate,
  Price,
  PriceCreate,
  SubscriptionByCard,
  SubscriptionByPix,
} from './forms.ts';
export type { GeneralErrorCode } from './generated/error-codes.ts';
export type { RouteId } from './generated/routes.ts';
export type * from './generated/types.ts';
export type { Logger, RequestInfo, ResponseInfo } from './observers.ts';
export type { FaturaOptions, RequestOptions, WriteOptions } from './options.ts';
export type { List, Page } from './pages.ts';
export type { AdvanceOptions } from './resources/test-clock.ts';
export type { Span, Tracer } from './tracing.ts';
export {
  type Event,
  type EventOf,
  type RawBody,
  type SignOptions,
  type UnknownEvent,
  type UnwrapOptions,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks.ts';
