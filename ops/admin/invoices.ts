import { type Command, InvalidArgumentError } from 'commander';
import type { Refund as RefundView } from '../../contract/refunds.ts';
import { mine, readIn, statement } from '../../server/db/statement.ts';
import type { Deps } from '../../server/deps.ts';
import { createKeyedRunner } from '../../server/http/keyed.ts';
import { retrieveInvoice } from '../../server/invoices/list.ts';
import { BillingError } from '../../server/kernel/errors.ts';
import { oneLine } from '../../server/kernel/text.ts';
import { resendInvoice } from '../../server/mail/send-invoice.ts';
import { closeInvoice } from '../../server/payments/close-invoice.ts';
import { createRefund, previewRefund } from '../../server/payments/refunds/create.ts';
import { retrieveRefund } from '../../server/payments/refunds/list.ts';
import type { Scope } from '../../server/unit-of-work/tx.ts';
import { integerWithin, print } from './command.ts';
import type { WithService } from './service.ts';

const REFERENCE_MAX = 100;
const AMOUNT_MAX = 999_999_999_999;

function readReference(text: string): string {
  const reference = oneLine(text);
  if (reference.length >= 1 && reference.length <= REFERENCE_MAX) return reference;
  throw new InvalidArgumentError(`must have 1 to ${REFERENCE_MAX} characters`);
}

/** An invoice has one payment that settled it. */
const findPayment = statement<{ id: string }>(
  'admin_find_payment',
  `SELECT p.id FROM payment_intent p WHERE p.invoice_id = :invoiceId AND ${mine('p')}
     AND p.status IN ('paid', 'refunding', 'refunded') AND NOT p.surplus`,
);

/** Entries stay for ever, unlike Idempotency-Keys. */
const findFormer = statement<{ at: number; amount: number | null }>(
  'admin_find_former_refund',
  `SELECT l.at, (l.entry::jsonb #>> '{after,amount}')::bigint AS amount FROM audit_log l
   WHERE l.account_id = :accountId AND l.live_mode = :liveMode AND l.action = 'refunds.create' AND l.object = :invoiceId
     AND l.entry::jsonb #>> '{after,reference}' = :reference ORDER BY l.id LIMIT 1`,
);

interface RefundOptions {
  readonly reference: string;
  /** Absent: what is left. */
  readonly amount?: number;
  readonly rest?: true;
  readonly yes?: true;
}

interface Refunding {
  readonly invoiceId: string;
  readonly intentId: string;
  readonly amount: number | null;
  readonly reference: string;
}

/** The refund of a payment as it is now, for a reference that was used. */
async function presentRefund(deps: Deps, scope: Scope, { intentId, reference }: Refunding): Promise<RefundView> {
  try {
    return await retrieveRefund(deps, scope, intentId);
  } catch (error) {
    if (!(error instanceof BillingError && error.code === 'RESOURCE_MISSING')) throw error;
    throw new Error(`What was asked for under ${reference} was refused: take another reference to ask anew`);
  }
}

async function plan(deps: Deps, scope: Scope, { intentId, amount }: Refunding): Promise<number> {
  const planned = await previewRefund(deps, scope, { payment_intent: intentId, ...(amount !== null && { amount }) });
  return planned.amount;
}

/** Asks for what was planned; null: the reference was used, and what became of it is found out and shown. */
async function refundOnce(deps: Deps, scope: Scope, { planned, ...asked }: Refunding & { planned: number | null }) {
  const { invoiceId, intentId, amount, reference } = asked;
  const isUsed = planned === null;
  const { accountId, liveMode } = scope;
  const place = ['admin', 'invoice refund', invoiceId, reference];
  // Of the rest no more and no less moves than was shown.
  const moves = {
    ...(amount !== null && { amount }),
    ...(amount === null && !isUsed && { expected_remaining: planned }),
  };
  const input = { payment_intent: intentId, ...moves };
  let repeated = isUsed;
  const { body } = await createKeyedRunner(deps)(
    { accountId, liveMode, place, body: { amount }, success: 201 },
    {
      prepare: async () => {},
      handle: async (_, idempotency) => {
        const isForgotten = isUsed && idempotency.formerAttempt === null;
        const made = isForgotten ? null : await createRefund(deps, { ...scope, idempotency }, input);
        return { status: 201, body: made };
      },
      onReplay: () => {
        repeated = true;
      },
    },
  );
  return { refund: repeated ? await presentRefund(deps, scope, asked) : body, repeated };
}

/** What will move, or what moved under the reference before. */
async function refund(deps: Deps, scope: Scope, invoiceId: string, options: RefundOptions): Promise<void> {
  const { reference, amount = null, yes } = options;
  const [payment] = await readIn(deps.pool, scope, findPayment, { invoiceId });
  if (payment === undefined) throw new Error(`Nothing was paid of ${invoiceId}, so nothing can be refunded`);
  const asked = { invoiceId, intentId: payment.id, amount, reference };
  const [former] = await readIn(deps.pool, scope, findFormer, { invoiceId, reference });
  if (former !== undefined && former.amount !== amount)
    throw new Error(`${reference} stands for another amount of ${invoiceId}: take another reference`);
  const of = { invoice: invoiceId, payment_intent: payment.id, reference };
  const planned = former === undefined ? await plan(deps, scope, asked) : null;
  if (planned !== null) {
    print({ ...of, moves: planned, live_mode: scope.liveMode });
    if (yes === undefined) throw new Error('Nothing was moved yet: repeat with --yes');
  }
  print({ ...of, ...(await refundOnce(deps, scope, { ...asked, planned })) });
}

function refundCommand(invoice: Command, withService: WithService): void {
  invoice
    .command('refund <invoice>')
    .description(
      'return what was paid of an invoice, or a part of it: it prints what moves, and moves it with --yes; repeated under its reference it moves nothing more',
    )
    .option('--amount <centavos>', 'so much', integerWithin({ min: 1, max: AMOUNT_MAX }))
    .option('--rest', 'all that is left')
    .requiredOption(
      '--reference <text>',
      'what it is for, such as the number of a ticket: good for one refund',
      readReference,
    )
    .option('--yes', 'move it')
    .action((id: string, options: RefundOptions) => {
      const { reference, amount = null, rest } = options;
      if ((amount === null) === (rest === undefined)) throw new Error('Give either --amount or --rest');
      const values = { reference, amount };
      return withService({ operation: 'refunds.create', object: { kind: 'invoice', id }, values }, (deps, scope) =>
        refund(deps, scope, id, options),
      );
    });
}

export function invoiceCommands(program: Command, withService: WithService): void {
  const invoice = program.command('invoice').description('invoices of merchants, as the API changes them');
  refundCommand(invoice, withService);
  invoice
    .command('void <invoice>')
    .description('void an invoice that is not paid; a void one is left as it is')
    .action((id: string) =>
      withService({ operation: 'invoices.void', object: { kind: 'invoice', id }, values: {} }, async (deps, scope) => {
        const found = await retrieveInvoice(deps, scope, id);
        const { status } =
          found.status === 'void' ? found : await closeInvoice(deps, scope, { invoiceId: id, closing: 'void' });
        print({ invoice: id, status });
      }),
    );
  invoice
    .command('resend <invoice>')
    .description('mail an open invoice to its buyer again, also more than three times a day')
    .action((id: string) =>
      withService({ operation: 'invoices.send', object: { kind: 'invoice', id }, values: {} }, async (deps, scope) => {
        await resendInvoice(deps, scope, id);
        print({ invoice: id, queued: true });
      }),
    );
}
