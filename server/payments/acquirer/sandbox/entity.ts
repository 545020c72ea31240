import { defineEntity } from '@mikro-orm/core';
import { check, index, p } from '../../../db/columns.ts';
import type { DebitTry } from '../port.ts';

// The books of the sandbox acquirer: a bank of its own that shares nothing with ours but the database.

const amount = p.whole().check('amount > 0');
const initiator = p.enum(['customer', 'merchant'] as const).default('customer');

export const BankCobSchema = defineEntity({
  name: 'BankCob',
  schema: 'sandbox_bank',
  tableName: 'cob',
  properties: {
    txid: p.id().primary(),
    accountId: p.id(),
    amount,
    created: p.whole(),
    expiresAt: p.whole(),
    location: p.text(),
    copyPaste: p.text(),
    status: p.enum(['ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR'] as const),
    noticesLeft: p.integer().default(0),
  },
  indexes: [index('cob_account', ['accountId'])],
});

export const BankPixSchema = defineEntity({
  name: 'BankPix',
  schema: 'sandbox_bank',
  tableName: 'pix',
  properties: {
    endToEndId: p.id().primary(),
    txid: p.idOf('sandbox_bank.cob'),
    amount,
    paidAt: p.whole(),
    settlesAt: p.whole(),
  },
  indexes: [index('pix_txid', ['txid'])],
});

export const BankReturnSchema = defineEntity({
  name: 'BankReturn',
  schema: 'sandbox_bank',
  tableName: 'devolucao',
  properties: {
    id: p.id().primary(),
    endToEndId: p.idOf('sandbox_bank.pix'),
    amount,
    requestedAt: p.whole(),
    completesAt: p.whole(),
    refused: p.boolean(),
    receivedAt: p.stamp(),
    natureza: p.enum(['ORIGINAL', 'MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO'] as const).default('ORIGINAL'),
  },
  indexes: [index('devolucao_pix', ['endToEndId'])],
});

/** A mandate of Pix Automático (`rec`). */
export const BankMandateSchema = defineEntity({
  name: 'BankMandate',
  schema: 'sandbox_bank',
  tableName: 'rec',
  properties: {
    bankRef: p.id().primary(),
    accountId: p.id(),
    place: p.id().unique(),
    contract: p.text(),
    /** Of the charge that is paid in the act of authorising. */
    firstTxid: p.idOf('sandbox_bank.cob').nullable(),
    startsOn: p.text(),
    period: p.enum(['week', 'month', 'quarter', 'half', 'year'] as const),
    fixed: p.whole().nullable().check('fixed > 0'),
    minimum: p.whole().nullable().check('minimum > 0'),
    copyPaste: p.text(),
    status: p.enum(['CRIADA', 'APROVADA', 'REJEITADA', 'EXPIRADA', 'CANCELADA'] as const).default('CRIADA'),
    endedBy: p.enum(['payer', 'payer_bank', 'merchant'] as const).nullable(),
  },
  indexes: [index('rec_account', ['accountId']), index('rec_of_first_txid', ['firstTxid'], 'first_txid IS NOT NULL')],
  checks: [check('rec_ended_by', `(status = 'CANCELADA') = (ended_by IS NOT NULL)`)],
});

/** A debit by a mandate (`cobr`); its payments are those of the cob of its txid. */
export const BankDebitSchema = defineEntity({
  name: 'BankDebit',
  schema: 'sandbox_bank',
  tableName: 'cobr',
  properties: {
    txid: p.idOf('sandbox_bank.cob').primary(),
    bankRef: p.idOf('sandbox_bank.rec'),
    dueOn: p.text(),
    status: p.enum(['ATIVA', 'CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA'] as const).default('ATIVA'),
    /** Days on which it is tried, the newest last. */
    tries: p.jsonText<DebitTry[]>(),
    /** What becomes of the next try; null: it is paid. */
    refusal: p.text().nullable(),
  },
  indexes: [index('cobr_rec', ['bankRef'])],
});

export const BankCardSchema = defineEntity({
  name: 'BankCard',
  schema: 'sandbox_bank',
  tableName: 'card',
  properties: {
    token: p.id().primary(),
    accountId: p.id(),
    brand: p.text(),
    last4: p.text().check(`last4 ~ '^[0-9]{4}$'`),
    scenario: p.text(),
    expMonth: p.integer().check('exp_month BETWEEN 1 AND 12'),
    expYear: p.integer(),
    /** Its issuer closed it, or the merchant let it go. */
    isClosed: p.boolean().default(false),
    /** SHA-256 of the token under which a browser may give the card, once and until then. */
    browserToken: p.blob().nullable(),
    browserTokenUntil: p.timestamp().nullable(),
  },
  uniques: [index('card_browser_token', ['browserToken'], 'browser_token IS NOT NULL')],
  indexes: [index('card_account', ['accountId'])],
  checks: [check('card_browser_token_until', '(browser_token IS NULL) = (browser_token_until IS NULL)')],
});

export const BankChargeSchema = defineEntity({
  name: 'BankCharge',
  schema: 'sandbox_bank',
  tableName: 'charge',
  properties: {
    reference: p.id().primary(),
    accountId: p.id(),
    token: p.idOf('sandbox_bank.card'),
    amount,
    installments: p.integer().check('installments BETWEEN 1 AND 12'),
    receivedAt: p.timestamp(),
    deadlineAt: p.timestamp(),
    completesAt: p.timestamp(),
    outcome: p.enum(['approved', 'declined'] as const),
    declineReason: p.text().nullable(),
    code: p.text().nullable(),
    initiator,
    orderId: p.id(),
  },
  indexes: [
    index('charge_token', ['token']),
    index('charge_order', ['orderId'], `initiator = 'merchant'`),
    index('charge_account', ['accountId']),
  ],
  checks: [
    check('charge_in_time', 'received_at < deadline_at'),
    check('charge_declined', `(outcome = 'declined') = (decline_reason IS NOT NULL AND code IS NOT NULL)`),
  ],
});

export const BankRefundSchema = defineEntity({
  name: 'BankRefund',
  schema: 'sandbox_bank',
  tableName: 'estorno',
  properties: {
    reference: p.id().primary(),
    charge: p.idOf('sandbox_bank.charge'),
    amount,
    refused: p.boolean(),
    requestedAt: p.whole(),
    receivedAt: p.stamp(),
  },
  indexes: [index('estorno_charge', ['charge'])],
});

const share = (column: string) => p.float().columnType('float8').check(`${column} BETWEEN 0 AND 1`).nullable();

export const BankBehaviourSchema = defineEntity({
  name: 'BankBehaviour',
  schema: 'sandbox_bank',
  tableName: 'behaviour',
  properties: {
    accountId: p.id().primary(),
    call: p.text().primary(),
    latencyMs: p.integer().check('latency_ms >= 0').nullable(),
    requestLost: share('request_lost'),
    answerLost: share('answer_lost'),
    fault: share('fault'),
    decline: share('decline'),
    refuse: share('refuse'),
    notFoundSeconds: p.integer().check('not_found_seconds >= 0').nullable(),
    noticeDelaySeconds: p.integer().check('notice_delay_seconds >= 0').nullable(),
    noticeRepeats: p.integer().check('notice_repeats BETWEEN 0 AND 5').nullable(),
  },
});
