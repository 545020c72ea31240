import { z } from 'zod';
import { field, listOf, meta, named, objectName, pageQuery, timestamp, typeId } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';

/** Why a buyer is written to where the account has not switched it off (docs/product/mail.md#what-an-account-says). */
export const switchedOccasions = [
  'paid',
  'refunded',
  'subscription_begun',
  'trial_begun',
  'trial_ending',
  'plan_changed',
  'renewal_ahead',
  'suspended',
  'reactivated',
  'canceled',
  'reminder',
  'dispute_decided',
  'pix_returned',
] as const;
export type SwitchedOccasion = (typeof switchedOccasions)[number];

/** Why somebody is written to: a buyer, or a merchant about a webhook endpoint, its acquirer or what its buyers see. */
export const mailOccasions = [
  ...switchedOccasions,
  'declined',
  'sent',
  'debit_scheduled',
  'debit_failed',
  'mandate_ended',
  'endpoint_failing',
  'endpoint_disabled',
  'acquirer_certificate_ending',
  'account_changed',
  'confirmation',
  'portal_link',
] as const;
export type MailOccasion = (typeof mailOccasions)[number];
const MailOccasion = named('MailOccasion', mailOccasions, 'Why an e-mail was written.');

export const mailStatuses = ['queued', 'sent', 'failed', 'dropped', 'kept', 'held'] as const;
export type MailStatus = (typeof mailStatuses)[number];
const MailStatus = named('MailStatus', mailStatuses, 'What became of an e-mail.');

const EXAMPLES = {
  recipient: 'maria@example.com',
  subject: 'Loja Exemplo: fatura de R$ 99,90 vence hoje',
  text: 'Olá, Maria da Silva,\n\nSua fatura de Loja Exemplo vence hoje.',
};

/** An id of an object that an e-mail may be about. */
const about = (prefix: 'cus' | 'in' | 'sub' | 'we', description: string) =>
  typeId(prefix, `${description} Null when it is about none.`).nullable();

export const Mail = z
  .object({
    id: typeId('mail', 'Identifier of the e-mail.'),
    object: objectName('mail'),
    occasion: field(
      MailOccasion,
      'Why it was written: to you about a webhook endpoint (`endpoint_failing`, `endpoint_disabled`), your acquirer (`acquirer_certificate_ending`) or your account (`account_changed`), or to a buyer.',
      'reminder',
    ),
    day: field(
      z.int().nullable(),
      'Of a reminder, days from the due date, -7 to 30: one of `reminder_days`. Null for any other e-mail.',
      0,
    ),
    recipient: field(
      z.string().nullable(),
      'The e-mail address; null once it was erased, 30 days after it was written or with the data of the customer.',
      EXAMPLES.recipient,
    ),
    subject: field(z.string().nullable(), 'The subject; null once it was erased.', EXAMPLES.subject),
    text: field(
      z.string().nullable(),
      'The text as it is sent; null once it was erased. A link by which its reader acts ends in `***` for a key that may only read, and one that confirms the address for every key.',
      EXAMPLES.text,
    ),
    status: field(
      MailStatus,
      '`queued`: it waits; `sent`: the mail server took it; `failed`: it was refused; `dropped`: nobody wants it any more; `held`: a limit of the day was used up; `kept`: one of the sandbox to another address than your own, which is never sent.',
      'sent',
    ),
    reason: field(z.string().nullable(), 'Why it was not sent; null when it was, waits, or none was told.', null),
    created: timestamp('When it was written.'),
    sent_at: field(
      z.int().nullable(),
      'When it was sent, in real time. Unix time, seconds; null until then.',
      1_795_257_600,
    ),
    customer: about('cus', 'The customer that it is written to.'),
    invoice: about('in', 'The invoice that it is about.'),
    subscription: about('sub', 'The subscription that it is about, or of whose invoice it is.'),
    webhook_endpoint: about('we', 'The webhook endpoint that it is about.'),
    live_mode: field(z.boolean(), 'true for live data, false for sandbox data.', false),
  })
  .meta({ id: 'Mail', description: 'An e-mail that was written for the account, to a buyer or to you.' });

export type Mail = z.output<typeof Mail>;

export const MailListQuery = z.strictObject({
  ...pageQuery('mail'),
  customer_id: typeId('cus', 'Only e-mails to this customer.').optional(),
  invoice_id: typeId('in', 'Only e-mails about this invoice.').optional(),
  status: field(MailStatus.optional(), 'Only e-mails in this status.', 'failed'),
});

export const mails = c.router(
  {
    list: {
      method: 'GET',
      path: '/mails',
      summary: 'List e-mails',
      description:
        'What was written to buyers and to you, newest first, sent or not. `POST /invoices/{invoice_id}/send` writes to a buyer again.',
      query: MailListQuery,
      responses: { 200: listOf(Mail, { id: 'MailList', url: '/api/v1/mails' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
