import { z } from 'zod';
import {
  amount,
  exampleId,
  field,
  listOf,
  liveMode,
  meta,
  moneyQuery,
  named,
  objectName,
  pageQuery,
  timestamp,
  typeId,
} from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';

const EXAMPLE_END_TO_END = 'E00000000202611241205kaj4w2n8e9r';
const EXAMPLE_TXID = '01kaj4w2n8e9r7t5v3x1z0q6d4';

export const pixReceiptResults = ['settled', 'surplus', 'undecided'] as const;
const PixReceiptResult = named('PixReceiptResult', pixReceiptResults, 'What a receipt was for.');

export const PixReceipt = z
  .object({
    id: field(z.string(), 'The end-to-end id, by which banks know the payment.', EXAMPLE_END_TO_END),
    object: objectName('pix_receipt'),
    txid: field(z.string(), 'The txid of the QR code that was paid.', EXAMPLE_TXID),
    paid_at: timestamp('When the bank received it.'),
    amount: amount('Received.'),
    charged: amount('What the QR code asked for.'),
    difference: field(z.int(), 'Received less charged. Integer cents.', 0),
    result: field(
      PixReceiptResult,
      '`settled`: it paid its invoice; `surplus`: it was not needed and goes back by itself; `undecided`: it waits for a charge by card.',
      'settled',
    ),
    amount_refunded: amount('What went back of it so far.', 0),
    amount_disputed: amount('What the bank took back of it unasked, and did not give back.', 0),
    payment_intent: field(
      typeId('pi', 'Its payment intent.').nullable(),
      'Its payment intent; null while it is undecided.',
      exampleId('pi'),
    ),
    invoice: typeId('in', 'The invoice whose QR code was paid.'),
    customer: typeId('cus', 'Whose invoice it is.'),
    customer_name: field(z.string(), 'The name of the customer, as the invoice has it.', 'Maria da Silva'),
    live_mode: liveMode,
  })
  .meta({ id: 'PixReceipt', description: 'Money of one PIX, as the bank received it.' });

export type PixReceipt = z.output<typeof PixReceipt>;

const { limit } = pageQuery('pi');
const { paid_at_gte, paid_at_lte } = moneyQuery;

export const PixReceiptListQuery = z.strictObject({
  limit,
  starting_after: field(
    z.string().optional(),
    'Id of the last object of the page before; the page starts after it.',
    EXAMPLE_END_TO_END,
  ),
  paid_at_gte,
  paid_at_lte,
});

export const pixReceipts = c.router(
  {
    list: {
      method: 'GET',
      path: '/pix_receipts',
      summary: 'List PIX receipts',
      description:
        'What banks received for your QR codes, newest first by the instant of the bank: for reconciliation.',
      query: PixReceiptListQuery,
      responses: { 200: listOf(PixReceipt, { id: 'PixReceiptList', url: '/api/v1/pix_receipts' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
