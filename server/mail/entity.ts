import { defineEntity } from '@mikro-orm/core';
import { mailOccasions, mailStatuses } from '../../contract/mails.ts';
import { check, index, inScope, p, scoped, scopeKey, shardBy } from '../db/columns.ts';

/** Recipient and text go with the data of their customer. */
export const MailSchema = defineEntity({
  name: 'Mail',
  tableName: 'mail',
  ...inScope,
  properties: {
    ...scoped,
    /** The buyer that it is written to. */
    customerId: p.idIn('customer').nullable(),
    invoiceId: p.idIn('invoice').nullable(),
    subscriptionId: p.idIn('subscription').nullable(),
    step: p.smallint().check('step BETWEEN -7 AND 30').nullable(),
    /** The due date that the step of a reminder is counted from: an invoice with a later one is reminded of anew. */
    dueAt: p.whole().nullable(),
    recipient: p.text().nullable(),
    recipientName: p.text().nullable(),
    subject: p.text().nullable(),
    bodyText: p.text().nullable(),
    bodyHtml: p.text().nullable(),
    messageId: p.text().unique(),
    status: p.enum(mailStatuses).default('queued'),
    attempts: p.integer().default(0).check('attempts >= 0'),
    nextTryAt: p.stamp(),
    sentAt: p.timestamp().nullable(),
    lastError: p.text().nullable(),
    occasion: p.enum(mailOccasions),
    endpointId: p.idIn('webhook_endpoint').nullable(),
    /** The certificate that a letter is about. */
    certificateEndsAt: p.timestamp().nullable(),
    /** Whether it is about no money, so that its buyer may want none of its kind. */
    isOptional: p.boolean().default(false),
    /** Whether the receipt of its invoice is sent with it. */
    attachesReceipt: p.boolean().default(false),
    /** The day that the mail is counted in, so that a mail that is tried again is counted once. */
    countedOn: p.date().nullable(),
    /** That of its invoice, of whose subscription it tells too; without one that of what else it is about. */
    shard: shardBy('coalesce(subscription_id, invoice_id, id)'),
  },
  uniques: [scopeKey, index('mail_once', ['invoiceId', 'step', 'dueAt'])],
  indexes: [
    index('mail_customer', ['customerId', 'id'], 'customer_id IS NOT NULL'),
    index('mail_subscription', ['subscriptionId'], 'subscription_id IS NOT NULL'),
    index('mail_endpoint', ['endpointId'], 'endpoint_id IS NOT NULL'),
    index('mail_turn', ['liveMode', 'accountId', 'nextTryAt', 'shard'], `status = 'queued'`),
    index('mail_unsent', ['accountId', 'liveMode', 'status', 'id'], `status <> 'sent'`),
    index('mail_held', ['accountId', 'id'], `status = 'held'`),
    index('mail_with_text', ['id'], 'recipient IS NOT NULL'),
  ],
  checks: [
    check(
      'mail_about',
      `CASE
    WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
      THEN endpoint_id IS NOT NULL AND num_nonnulls(customer_id, certificate_ends_at) = 0
    WHEN occasion = 'acquirer_certificate_ending'
      THEN certificate_ends_at IS NOT NULL AND num_nonnulls(customer_id, endpoint_id) = 0
    WHEN occasion = 'account_changed'
      THEN num_nonnulls(customer_id, endpoint_id, certificate_ends_at) = 0
    ELSE customer_id IS NOT NULL AND num_nonnulls(endpoint_id, certificate_ends_at) = 0 END`,
    ),
    check('mail_of_buyer', 'num_nonnulls(invoice_id, subscription_id) = 0 OR customer_id IS NOT NULL'),
    check('mail_receipt', 'invoice_id IS NOT NULL OR NOT attaches_receipt'),
    check('mail_sent', `(status = 'sent') = (sent_at IS NOT NULL)`),
    check('mail_whole_text', 'num_nulls(recipient, recipient_name, subject, body_text, body_html) IN (0, 5)'),
    check('mail_queued', `status <> 'queued' OR recipient IS NOT NULL`),
    check('mail_step_of_reminder', `num_nulls(step, due_at) = CASE WHEN occasion = 'reminder' THEN 0 ELSE 2 END`),
  ],
});

/** Recipients are hashes: what counts needs not know whom it counts. */
export const MailCountSchema = defineEntity({
  name: 'MailCount',
  tableName: 'mail_count',
  properties: { day: p.date().primary(), counted: p.text().primary(), mails: p.integer().check('mails > 0') },
});

export const MailSuppressionSchema = defineEntity({
  name: 'MailSuppression',
  tableName: 'mail_suppression',
  properties: { address: p.text().primary(), reason: p.text().nullable(), createdAt: p.stamp() },
});
