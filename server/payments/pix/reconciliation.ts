import type { z } from 'zod';
import { TIMESTAMP_MAX } from '../../../contract/kernel.ts';
import type { PixReceiptListQuery, PixReceipt as PixReceiptView } from '../../../contract/pix-receipts.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { type Page, pageLimit, toPage, written } from '../../kernel/pages.ts';
import { cursorOfNothing } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';

interface Place {
  readonly paidAt: number;
  readonly id: string;
}

const findPlace = statement<Place>(
  'find_place_of_pix_receipt',
  `SELECT r.paid_at AS "paidAt", r.id FROM pix_receipt r WHERE ${mine('r')} AND r.id = :id`,
);

/** By the instant of the bank and then by id, so that each has one place. */
const listReceipts = statement<Omit<PixReceiptView, 'object' | 'live_mode' | 'difference'>>(
  'list_pix_receipts',
  `SELECT r.id, r.txid, r.paid_at, r.amount, c.amount AS charged, r.intent_id AS payment_intent, r.invoice_id AS invoice,
     i.customer_id AS customer, i.customer_name,
     CASE WHEN r.intent_id IS NULL THEN 'undecided' WHEN p.surplus THEN 'surplus' ELSE 'settled' END AS result,
     coalesce(p.amount_refunded, 0) AS amount_refunded, coalesce(p.amount_disputed, 0) AS amount_disputed
   FROM pix_receipt r
   JOIN pix_charge c ON c.id = r.txid AND ${mine('c')}
   JOIN invoice i ON i.id = r.invoice_id AND ${mine('i')}
   LEFT JOIN payment_intent p ON p.id = r.intent_id AND ${mine('p')}
   WHERE ${mine('r')} AND r.paid_at >= :from AND (r.paid_at, r.id) < (:paidAt, :id)
   ORDER BY r.paid_at DESC, r.id DESC LIMIT :limit`,
);

/** Where a page begins: behind the receipt of the cursor, or at the end of the period. */
async function placeOf(deps: Deps, scope: Scope, query: z.output<typeof PixReceiptListQuery>): Promise<Place> {
  const { starting_after: after, paid_at_lte: last = TIMESTAMP_MAX } = query;
  const end = { paidAt: last + 1, id: '' };
  if (after === undefined) return end;
  const [found] = await readIn(deps.pool, scope, findPlace, { id: after });
  if (found === undefined) throw cursorOfNothing('starting_after', after);
  return found.paidAt > last ? end : found;
}

/** What banks received for QR codes, newest first (docs/product/reports.md#pix-reconciliation). */
export async function listPixReceipts(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof PixReceiptListQuery>,
): Promise<Page<PixReceiptView>> {
  const place = await placeOf(deps, scope, query);
  const limit = pageLimit(query) + 1;
  const rows = await readIn(deps.pool, scope, listReceipts, { ...place, from: query.paid_at_gte ?? 0, limit });
  const views = rows.map((row) => ({
    ...row,
    object: 'pix_receipt' as const,
    difference: row.amount - row.charged,
    live_mode: scope.liveMode,
  }));
  return toPage(views.map(written), { query, url: '/api/v1/pix_receipts' });
}
