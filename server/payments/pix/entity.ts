import { defineEntity } from '@mikro-orm/core';
import type { DeclineReason } from '../../../contract/errors.ts';
import { check, index, inScope, p, scoped, scopeKey } from '../../db/columns.ts';

/** What came of a day on which a debit was tried; `given_up`: it was cancelled before its outcome. */
const tryStatuses = ['scheduled', 'paid', 'failed', 'given_up'] as const;

/** One day on which a debit by mandate is tried. */
export const DebitTrySchema = defineEntity({
  name: 'DebitTry',
  tableName: 'debit_try',
  ...inScope,
  properties: {
    ...scoped,
    intentId: p.idIn('payment_intent'),
    invoiceId: p.idIn('invoice'),
    /** A civil day. */
    day: p.text(),
    status: p.enum(tryStatuses),
    /** When the acquirer said that it is scheduled; null: it was refused outright. */
    scheduledAt: p.whole().nullable(),
    declineReason: p.text().$type<DeclineReason>().nullable(),
    /** The code of the payer's bank; never shown. */
    acquirerCode: p.text().nullable(),
    completedAt: p.whole().nullable(),
  },
  uniques: [scopeKey, index('debit_try_day', ['intentId', 'day'])],
  indexes: [index('debit_try_of_invoice_id', ['invoiceId'], 'invoice_id IS NOT NULL')],
  checks: [
    check('debit_try_completed', `(status = 'scheduled') = (completed_at IS NULL)`),
    check('debit_try_failed', `(status = 'failed') = (decline_reason IS NOT NULL)`),
  ],
});
