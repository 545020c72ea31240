/** Statements that are not held to an account and mode, with the reason; `test/api/statements.test.ts` refuses every other. */
export const unheld: readonly { readonly why: string; readonly names: readonly string[] }[] = [
  {
    why: 'the key or the link that comes in says itself whose it is',
    names: [
      'find_api_key',
      'find_idempotency_key',
      'free_idempotency_key',
      'end_idempotency_lease',
      'read_bill',
      'read_sealed_samples',
    ],
  },
  {
    why: 'an operator sees every account',
    names: ['admin_find_event', 'admin_find_deliveries', 'admin_find_invoice', 'admin_find_mails'],
  },
  {
    why: 'rows of before the mode was stored are found too, by the account and its customer',
    names: ['erase_idempotent_answers'],
  },
  {
    why: 'a run looks for what is due of all accounts; what it does then is held to that of each',
    names: [
      'claim_due_subscriptions',
      'claim_due_invoices',
      'claim_fresh_deliveries',
      'claim_mails',
      'purge_idempotency_keys',
      'recover_charges',
      'recover_collections',
      'recover_expiries',
      'recover_ladders',
      'recover_refunds',
      'recover_settlements',
      'rewake_deliveries',
      'rewake_invoices',
      'rewake_subscriptions',
    ],
  },
  {
    why: 'by an id that a run claimed or a case carries, which no request names',
    names: [
      'read_queued_mail',
      'drop_mail',
      'keep_mail',
      'mark_mail_sent',
      'mark_mail_failed',
      'try_mail_again',
      'find_delivery',
      'record_attempts',
      'look_at_attempt',
      'look_at_returns',
      'look_at_qr_of_case',
      'read_clock_of_intent',
      'look_at_step',
      'look_at_due',
      'look_at_collection',
    ],
  },
  {
    why: 'behind the lock of the invoice that it belongs to',
    names: [
      'read_unsettled_intent',
      'read_waiting_qrs',
      'read_intent',
      'read_qr',
      'read_refund_parts',
      'read_undecided_receipts',
      'ask_for_undecided_receipts',
      'read_receipts',
      'read_attempt',
      'mark_attempt_unknown',
      'find_charge_of_refund',
      'find_standing_qr',
    ],
  },
  {
    why: 'behind the lock of the subscription that it belongs to, or beside it in one packet',
    names: [
      'read_subscribed_price',
      'read_renewal_terms',
      'count_bills_of_subscription',
      'count_charges_of_subscription',
      'find_open_renewals',
      'find_overdue_invoice',
      'find_payable_invoices_of_subscription',
      'await_invoice_of_subscription',
      'promise_no_attempt',
    ],
  },
  {
    why: 'the rows within are of one sandbox; what is joined to them follows their keys',
    names: ['find_held_deliveries', 'reset_events'],
  },
];

/** Writes of rows that a transaction keeps: they were locked in its account and mode, or made there. */
export const ofKeptRow = /^(?:insert|update)_row_/;
