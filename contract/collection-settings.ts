import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { chosenDays } from './collection-days.ts';
import { failures } from './errors.ts';
import { exampleId, field, liveMode, meta, named, objectName, typeId } from './kernel.ts';
import { LateFees, LateFeesInput, lateFeesExample } from './late-fees.ts';
import { c, routerOptions } from './router.ts';

/** Prices that buyers may be offered to change to. */
const CHANGE_PRICES_MAX = 20;

export const portalCancels = ['period_end', 'none'] as const;
export type PortalCancel = (typeof portalCancels)[number];
const PortalCancelWord = named('PortalCancel', portalCancels, 'How buyers may cancel by themselves.');

const portalFields = {
  cancel: field(
    PortalCancelWord,
    '`period_end`: a buyer may cancel at the end of a period, and take that back until then; `none`: only the merchant cancels.',
    'period_end',
  ),
  pause: field(z.boolean(), 'Whether a buyer may pause a subscription.', false),
};
const changePrice = typeId('price', 'A recurring price.');

const PortalSettings = z
  .object({
    ...portalFields,
    change_prices: field(
      z.array(changePrice),
      'The recurring prices that a buyer may change a subscription to; empty: to none.',
      [exampleId('price')],
    ),
  })
  .meta({ id: 'PortalSettings', description: 'What buyers may do by themselves with their subscriptions.' });

const wholeDays = (description: string, example: number) => field(z.number(), description, example);

export const CollectionSettings = z
  .object({
    object: objectName('collection_settings'),
    overdue_days: wholeDays('Days after its due date at which an invoice is overdue.', 1),
    suspend_days: wholeDays('Days after its due date at which a renewal suspends its subscription.', 10),
    cancel_days: wholeDays('Days after its due date at which a renewal ends its subscription.', 30),
    retry_days: field(
      z.array(z.number()),
      'Days after its first charge at which the card of a renewal is charged again.',
      [1, 3, 7],
    ),
    reminder_days: field(
      z.array(z.number()),
      'Days from its due date at which the buyer of an invoice that no card is charged for is written to; before it they are negative.',
      [-3, 0, 1, 3, 7],
    ),
    penalty_on_unpaid: field(
      z.boolean(),
      'Whether a subscription that ends unpaid before its minimum term is charged the penalty.',
      false,
    ),
    late_fees: field(
      LateFees.nullable(),
      'What it costs to pay an invoice late, where its subscription says nothing else; null: nothing.',
      lateFeesExample,
    ),
    portal: PortalSettings,
    live_mode: liveMode,
  })
  .meta({ id: 'CollectionSettings', description: 'How unpaid invoices of one mode are collected.' });

export type CollectionSettings = z.output<typeof CollectionSettings>;

const PortalUpdate = z
  .strictObject({
    cancel: portalFields.cancel.optional(),
    pause: portalFields.pause.optional(),
    change_prices: field(
      arrayOf(changePrice, { max: CHANGE_PRICES_MAX }).optional(),
      `The recurring prices that a buyer may change a subscription to: up to ${CHANGE_PRICES_MAX}.`,
    ),
  })
  .meta({ id: 'PortalSettingsUpdate', description: 'What buyers may do by themselves: an absent field keeps.' });

export const CollectionSettingsUpdate = z
  .strictObject({
    overdue_days: field(chosenDays.overdue, '1 to 365, at most `suspend_days`.', 1).optional(),
    suspend_days: field(chosenDays.suspend, '1 to 365, less than `cancel_days`.', 10).optional(),
    cancel_days: field(chosenDays.cancel, '1 to 365.', 30).optional(),
    retry_days: field(
      chosenDays.retries,
      'Rising days, at most 10, none after `suspend_days`; empty: a declined card is not charged again.',
      [1, 3, 7],
    ).optional(),
    reminder_days: field(
      chosenDays.reminders,
      'Rising days from the due date, -7 to 30, at most 8; empty: nobody is reminded.',
      [-3, 0, 1, 3, 7],
    ).optional(),
    penalty_on_unpaid: field(
      z.boolean().optional(),
      'Whether a subscription that ends unpaid before its minimum term is charged the penalty.',
      false,
    ),
    late_fees: field(
      LateFeesInput.nullable().optional(),
      'What it costs to pay an invoice late that is opened from now on; null: nothing.',
      lateFeesExample,
    ),
    portal: PortalUpdate.optional(),
  })
  .meta({
    id: 'CollectionSettingsUpdate',
    description: 'Changes of how invoices are collected: an absent field keeps.',
  });

export type CollectionSettingsUpdate = z.output<typeof CollectionSettingsUpdate>;

const UpdateBody = z
  .strictObject({ collection_settings: CollectionSettingsUpdate })
  .meta({ id: 'CollectionSettingsUpdateBody', description: 'Changes of how invoices are collected.' });

export const collectionSettings = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/collection_settings',
      summary: 'Retrieve the collection settings',
      description:
        'How unpaid invoices are collected, in the mode of the key: the sandbox has settings of its own, which begin as the defaults.',
      responses: { 200: CollectionSettings },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/collection_settings',
      summary: 'Update the collection settings',
      description:
        'A live key changes how live invoices are collected, a sandbox key those of the sandbox. An open invoice keeps its days: a change holds for invoices that are opened from then on.',
      body: UpdateBody,
      responses: { 200: CollectionSettings, ...failures(400, 404, 408, 409, 413, 415, 422) },
      metadata: meta({ scope: 'write' }),
    },
  },
  routerOptions,
);
