import { hangsOn } from '../../db/months.ts';
import { mine, statement } from '../../db/statement.ts';
import { BillingError } from '../../kernel/errors.ts';

/** Declines of buyers' attempts after which an invoice takes no more cards (docs/product/cards.md#too-many-declines). */
export const DECLINES_MAX = 10;

/** Neither a charge by schedule counts nor one that was never made. */
const COUNTS = `d.initiator = 'customer' AND d.status = 'declined'`;

/** SQL of how many attempts of buyers were declined for an invoice of a query. */
export const declinesOf = (invoiceId: string): string =>
  `(SELECT count(*) FROM charge_attempt d WHERE ${hangsOn('ca_', 'd.invoice_id', invoiceId)} AND ${COUNTS})`;

/** Behind the lock of the invoice, which has one attempt at the acquirer at a time: attempts side by side are counted, too. */
export const countDeclines = statement<{ declines: number }>(
  'count_declines',
  `SELECT count(*) AS declines FROM charge_attempt d WHERE ${hangsOn('ca_', 'd.invoice_id', ':invoiceId')} AND ${mine('d')} AND ${COUNTS}`,
);

/** Declines of buyers' attempts at an account within an hour that sales have. */
const DECLINES_OF_SALES = 50;

/** Whether an account's attempts of an hour seem to test stolen cards: more declines than sales have, and most of all. */
export const areTests = ({ attempts, declined }: { attempts: number; declined: number }): boolean =>
  declined > DECLINES_OF_SALES && declined * 2 > attempts;

export function refuseExhausted(invoiceId: string, declines: number): void {
  if (declines < DECLINES_MAX) return;
  const message = `Cards were declined ${declines} times for ${invoiceId}, which takes PIX alone from now on`;
  throw new BillingError('CARD_ATTEMPTS_EXHAUSTED', { message });
}
