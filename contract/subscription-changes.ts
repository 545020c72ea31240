import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { InvoicePreview } from './invoice-preview.ts';
import {
  amount,
  evenWhenInvalid,
  exampleId,
  field,
  innerList,
  liveMode,
  meta,
  named,
  objectName,
  pathId,
  timestamp,
  typeId,
} from './kernel.ts';
import { QUANTITY_MAX } from './lines.ts';
import { c, emptyBody, routerOptions, writeErrors } from './router.ts';
import { ITEMS_MAX, PenaltyChoice } from './subscription-inputs.ts';

export const changeMoments = ['now', 'period_end', 'cycle'] as const;
const ChangeMoment = named(
  'ChangeMoment',
  changeMoments,
  'When a change holds from: `cycle` is a later one, by its number.',
);

/** More than 80 years of months. */
const CYCLE_MAX = 1_000;

const LaterCycle = z
  .strictObject({
    cycle: field(z.int().min(1).max(CYCLE_MAX), 'Its number, the first being 1: none that has begun.', 4),
  })
  .meta({ id: 'ChangeCycle', description: 'A later cycle of a subscription.' });
const ChangeTime = named('ChangeTime', ['now', 'period_end'], 'When a change holds from, by name.');

export const changeProrations = ['next_invoice', 'invoice_now', 'none'] as const;
const ChangeProration = named(
  'ChangeProration',
  changeProrations,
  'What becomes of the rest of the period: `next_invoice`: the next bill charges what it comes to anew, and credits what was charged for it; `invoice_now`: an invoice of its own does, and the change holds once that is paid; `none`: no money moves before the next bill.',
);

export const changeStatuses = ['scheduled', 'awaiting_payment', 'applied', 'lapsed', 'canceled'] as const;
const ChangeStatus = named(
  'SubscriptionChangeStatus',
  changeStatuses,
  'Where a change stands: `scheduled` until its period begins, `awaiting_payment` until its invoice is paid, `applied` once it holds, `lapsed` where its items were gone by then or its invoice was not paid in time, `canceled` where it was taken back or replaced.',
);

const ChangedItem = z
  .object({
    object: objectName('subscription_change_item'),
    item: field(
      typeId('si', 'The item.').nullable(),
      'The item of the subscription; null of a new one that is still to come.',
      exampleId('si'),
    ),
    price: typeId('price', 'What it bills.'),
    quantity: field(z.int(), 'How many of it each cycle bills.', 1),
  })
  .meta({ id: 'SubscriptionChangeItem', description: 'An item as it was before a change, or is after it.' });

const itemsExample = {
  object: 'list',
  data: [{ object: 'subscription_change_item', item: exampleId('si'), price: exampleId('price'), quantity: 1 }],
};
const items = (id: string, description: string) =>
  field(innerList(ChangedItem, { id, description }), description, itemsExample);

/** What a change asks of the buyer for the rest of the period. */
const money = {
  charge: amount(
    'What the rest of the period comes to under the new terms, less their discounts; 0 where no money moves.',
  ),
  credit: amount('What was charged for the rest of the period; 0 where no money moves.'),
  total: field(z.int(), 'Charge less credit; below 0 the buyer gets a credit. Integer cents.', 3_214),
};

const effectiveAt = timestamp('When it holds from.');

export const SubscriptionChange = z
  .object({
    id: typeId('chg', 'Identifier of the change.'),
    object: objectName('subscription_change'),
    ...money,
    created: timestamp('When it was asked for.'),
    cycle: field(
      z.int().nullable(),
      'The number of the cycle with which it begins to hold; null where it holds at once.',
      null,
    ),
    effective: field(ChangeMoment, 'When it was to hold from.', 'now'),
    effective_at: effectiveAt,
    invoice: field(
      typeId('in', 'The invoice.').nullable(),
      'The invoice of the change alone (`invoice_now`); null without one.',
      null,
    ),
    items_after: items('SubscriptionChangeItemsAfter', 'The items as they are after it.'),
    items_before: items('SubscriptionChangeItemsBefore', 'The items as they were before it.'),
    lapses_at: field(
      z.int().nullable(),
      'Until when its invoice is to be paid, else it lapses; null without one. Unix time, seconds.',
      null,
    ),
    live_mode: liveMode,
    proration: field(ChangeProration, 'What became of the rest of the period.', 'next_invoice'),
    status: field(ChangeStatus, 'Where it stands.', 'applied'),
    subscription: typeId('sub', 'The subscription.'),
  })
  .meta({ id: 'SubscriptionChange', description: 'A change of what a subscription bills.' });

export type SubscriptionChange = z.output<typeof SubscriptionChange>;

export const ChangePreview = z
  .object({
    object: objectName('change_preview'),
    ...money,
    due_now: amount('What an invoice of the change alone would ask for at once.', 0),
    effective: field(ChangeMoment, 'When it would hold from.', 'now'),
    effective_at: effectiveAt,
    items: items('ChangePreviewItems', 'The items as they would be.'),
    live_mode: liveMode,
    next_invoice: field(InvoicePreview, 'What the next bill would be.'),
    penalty: amount('What it would charge, once it holds, as the penalty of a minimum term.', 0),
    proration: field(ChangeProration, 'What would become of the rest of the period.', 'next_invoice'),
    subscription: typeId('sub', 'The subscription.'),
  })
  .meta({ id: 'ChangePreview', description: 'What a change would come to. Nothing is stored.' });

export type ChangePreview = z.output<typeof ChangePreview>;

const ChangedItemInput = z
  .strictObject({
    item: typeId('si', 'An item of the subscription; absent: a new one.').optional(),
    price_id: typeId('price', 'A recurring, active price: of a new item, or the new one of this.').optional(),
    quantity: field(
      z.int().min(1).max(QUANTITY_MAX).optional(),
      'Units billed each cycle: 1 to 999. Of a new item by default 1, else as before.',
      1,
    ),
    removed: field(z.literal(true).optional(), 'The item goes.', true),
  })
  .superRefine((item, context) => {
    const refuse = (path: string, message: string, missing = false) =>
      context.addIssue({ code: 'custom', path: [path], message, ...(missing && { params: { missing } }) });
    if (item.item === undefined && item.price_id === undefined) refuse('item', 'or price_id is required', true);
    if (item.removed === undefined) return;
    if (item.item === undefined) refuse('removed', 'must be absent of a new item');
    if (item.price_id !== undefined) refuse('price_id', 'must be absent of an item that goes');
    if (item.quantity !== undefined) refuse('quantity', 'must be absent of an item that goes');
  }, evenWhenInvalid)
  .meta({ id: 'ChangedItemInput', description: 'What becomes of an item; items that are not named stay.' });

const asked = {
  items: field(
    arrayOf(ChangedItemInput, { min: 1, max: ITEMS_MAX }),
    '1 to 20 items: changed, new or removed. What is not named stays.',
    [{ item: exampleId('si'), price_id: exampleId('price') }],
  ),
  effective: field(
    z.union([ChangeTime, LaterCycle]).optional(),
    '`now`, by default where the new terms come to no less for the period than the old ones; `period_end`, by default where they come to less, and of another interval: with the next cycle; or a later cycle, by its number, up to 10 of them.',
    'now',
  ),
  proration: field(
    ChangeProration.optional(),
    'Of a change now; default `next_invoice`. `invoice_now` is as that where nothing is left to pay. A change of the interval now is always by `invoice_now`, and begins a new first period.',
    'next_invoice',
  ),
  penalty: field(
    PenaltyChoice.optional(),
    'Of a change for less within a minimum term, which is refused without it: `apply`: once it holds, the next bill charges the percent of the penalty of what the cycles left bring less; `waive`.',
    'apply',
  ),
};

export const ChangePreviewInput = z
  .strictObject(asked)
  .meta({ id: 'SubscriptionChangePreviewInput', description: 'A change to preview.' });

export const ChangeInput = z
  .strictObject({
    ...asked,
    expected_total: field(
      z.int().optional(),
      'The `total` that a preview said: where it comes to another by now, nothing is done (409 `PREVIEW_OUTDATED`).',
      3_214,
    ),
  })
  .meta({
    id: 'SubscriptionChangeInput',
    description: 'A change of what a subscription bills.',
    examples: [{ items: [{ item: exampleId('si'), price_id: exampleId('price') }] }],
  });

export type ChangeInput = z.output<typeof ChangeInput>;

const subscriptionPath = pathId('subscription', 'sub');
const onSubscription = meta({ scope: 'write', idPrefix: 'sub' });

export const subscriptionChanges = c.router(
  {
    create: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/changes',
      pathParams: subscriptionPath,
      summary: 'Change the plan, quantity or items of a subscription',
      description:
        'Now, with the rest of the period charged and credited by the next bill, by an invoice at once or not at all, or with the next cycle. By an invoice at once the change holds once that is paid, by the stored card within the request or on its page, and lapses unpaid after 24 hours or with the period. A bill that was made ahead and is open is voided, and made anew in its time. A second change for the next cycle, or for the same later one, replaces the first.',
      body: ChangeInput,
      responses: { 201: SubscriptionChange, ...writeErrors },
      metadata: onSubscription,
    },
    preview: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/changes/preview',
      pathParams: subscriptionPath,
      summary: 'Preview a change of a subscription',
      description: 'What the change would come to now, and the next bill with it. It takes no lock and stores nothing.',
      body: ChangePreviewInput,
      responses: { 200: ChangePreview, ...writeErrors },
      metadata: onSubscription,
    },
    cancel: {
      method: 'DELETE',
      path: '/subscriptions/:subscription_id/changes/:change_id',
      pathParams: subscriptionPath.extend(pathId('change', 'chg').shape),
      summary: 'Take back a change that waits',
      body: emptyBody,
      responses: { 200: SubscriptionChange, ...writeErrors },
      metadata: onSubscription,
    },
  },
  routerOptions,
);
