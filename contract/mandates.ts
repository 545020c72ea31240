import { z } from 'zod';
import { failures } from './errors.ts';
import {
  day,
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';

export const mandateStatuses = ['pending', 'active', 'failed', 'ended'] as const;
export type MandateStatus = (typeof mandateStatuses)[number];
const MandateStatus = named('MandateStatus', mandateStatuses, 'Where a mandate stands.');

export const mandateJourneys = ['first_payment', 'mandate_only'] as const;
export type MandateJourney = (typeof mandateJourneys)[number];
const MandateJourney = named('MandateJourney', mandateJourneys, 'How the buyer authorises a mandate.');

export const mandateAmountTypes = ['variable', 'fixed'] as const;
const MandateAmountType = named('MandateAmountType', mandateAmountTypes, 'What a mandate lets be debited.');

export const mandateEndReasons = [
  'rejected',
  'expired',
  'cancelled_by_payer',
  'cancelled_by_payer_bank',
  'cancelled_by_merchant',
  'cancelled_by_bank',
  'subscription_ended',
  'replaced',
] as const;
export type MandateEndReason = (typeof mandateEndReasons)[number];
const MandateEndReason = named('MandateEndReason', mandateEndReasons, 'Why a mandate failed or ended.');

const mandateIntervals = ['week', 'month'] as const;
const MandateInterval = named('MandateInterval', mandateIntervals, 'The unit of the period of a mandate.');

const MandateQr = z
  .object({
    copy_paste: field(z.string(), 'The BR Code to copy and paste into a banking app.', '00020101021226…6304ABCD'),
    image_url: field(
      z.string(),
      'Image of the QR code: a `data:image/png;base64,` URL.',
      'data:image/png;base64,iVBORw0KGgo=',
    ),
    expires_at: timestamp('Until when it may be authorised.'),
  })
  .meta({ id: 'MandateQr', description: 'The QR code by which a buyer authorises.' });

const MandateBank = z
  .object({
    name: field(z.string().nullable(), 'Name of the bank; null: it is not told.', null),
    ispb: field(z.string().nullable(), 'Number of the bank (ISPB); null: it is not told.', '00000000'),
  })
  .meta({ id: 'MandateBank', description: 'The bank of the buyer.' });

export const Mandate = z
  .object({
    id: typeId('mdt', 'Identifier of the mandate.'),
    object: objectName('mandate'),
    accepts_retries: field(z.boolean(), 'Whether a debit that failed is tried again within seven days.', true),
    activated_at: timestampOrNull('When the buyer authorised.'),
    amount: field(z.int().nullable(), 'The amount of each debit; null: each has its own. Integer cents.', null),
    amount_type: field(
      MandateAmountType,
      '`variable`: each debit has its own amount; `fixed`: all have `amount`.',
      'variable',
    ),
    bank: field(MandateBank, 'The bank of the buyer.', { name: null, ispb: '00000000' }),
    created: timestamp('When the mandate was created.'),
    customer: typeId('cus', 'Who authorises.'),
    end_reason: field(MandateEndReason.nullable(), 'Why it failed or ended; null until then.', null),
    ended_at: timestampOrNull('When it failed or ended.'),
    ends_on: field(z.null(), 'Always null: a mandate has no last day.', null),
    interval: field(MandateInterval, 'The unit of its period.', 'month'),
    interval_count: field(z.int(), 'How many of them its period has.', 1),
    journey: field(
      MandateJourney,
      '`first_payment`: the QR code pays the first bill and authorises; `mandate_only`: it authorises alone.',
      'first_payment',
    ),
    live_mode: liveMode,
    minimum_amount: field(
      z.int().nullable(),
      'No limit that the buyer sets lies below it; null: there is none. Integer cents.',
      null,
    ),
    qr: field(
      MandateQr.nullable(),
      'Of a pending one: the QR code to authorise by; null until the acquirer has made it, in lists and in events.',
      null,
    ),
    starts_on: day('The first day on which may be debited.', '2026-12-24'),
    status: field(
      MandateStatus,
      '`pending`: the buyer has not authorised yet; `active`: renewals are debited; `failed`: it was never authorised; `ended`: nothing is debited any more.',
      'active',
    ),
    subscription: typeId('sub', 'The subscription whose bills are debited.'),
  })
  .meta({ id: 'Mandate', description: 'What a buyer authorised to be debited each period: Pix Automático.' });

export type Mandate = z.output<typeof Mandate>;

export const mandateOfSubscription = field(
  typeId('mdt', 'The mandate.').nullable(),
  'The mandate of Pix Automático that its buyer is asked for, or authorised; null: there is none.',
  null,
);

export const MandateListQuery = z.strictObject({
  ...pageQuery('mdt'),
  subscription_id: typeId('sub', 'Only mandates of this subscription.').optional(),
  customer_id: typeId('cus', 'Only mandates of this customer.').optional(),
  status: field(MandateStatus.optional(), 'Only mandates in this status.', 'active'),
});

const AMOUNT_MAX = 99_999_999;

export const MandateInput = z
  .strictObject({
    journey: field(
      z.literal('mandate_only'),
      'The buyer authorises alone; to pay and authorise at once, check out by `pix_automatico`.',
      'mandate_only',
    ),
    amount_type: field(
      MandateAmountType.optional(),
      '`variable`, the default, or `fixed`: each debit has the amount of the present renewal, and another price needs another mandate.',
      'variable',
    ),
    minimum_amount: field(
      z.int().min(1).max(AMOUNT_MAX).optional(),
      'No limit that the buyer sets lies below it. Not with `fixed`. Integer cents.',
      9_990,
    ),
  })
  .refine(({ amount_type: type, minimum_amount: minimum }) => type !== 'fixed' || minimum === undefined, {
    message: 'must not come with "fixed", which has one amount',
    path: ['minimum_amount'],
  })
  .meta({ id: 'MandateInput', description: 'What a buyer is asked to authorise.' });

export type MandateInput = z.output<typeof MandateInput>;

const mandatePath = pathId('mandate', 'mdt');

export const mandates = c.router(
  {
    create: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/mandates',
      pathParams: pathId('subscription', 'sub'),
      summary: 'Ask a buyer for a mandate',
      description:
        'Of an active subscription or one in its trial: answers the QR code by which the buyer authorises that its bills are debited, within seven days. Until then it is paid as before. A repeat of a request whose answer was lost is answered the same mandate.',
      body: MandateInput,
      responses: { 201: Mandate, ...writeErrors, ...failures(503, 504) },
      metadata: meta({ scope: 'write', idPrefix: 'sub' }),
    },
    retrieve: {
      method: 'GET',
      path: '/mandates/:mandate_id',
      pathParams: mandatePath,
      summary: 'Retrieve a mandate',
      responses: { 200: Mandate, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'mdt' }),
    },
    list: {
      method: 'GET',
      path: '/mandates',
      summary: 'List mandates',
      query: MandateListQuery,
      responses: { 200: listOf(Mandate, { id: 'MandateList', url: '/api/v1/mandates' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    cancel: {
      method: 'POST',
      path: '/mandates/:mandate_id/cancel',
      pathParams: mandatePath,
      summary: 'Cancel a mandate',
      description:
        'Nothing is debited by it any more: a debit that is scheduled is cancelled first, and its bill is paid by QR code. Refused with 409 PAYMENT_IN_PROGRESS while a debit can no longer be cancelled, from 22:00 of the day before until its outcome. The subscription goes on, paid by PIX. One that is over is answered as it is.',
      body: emptyBody,
      responses: { 200: Mandate, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'mdt' }),
    },
  },
  routerOptions,
);
