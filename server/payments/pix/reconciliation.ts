import type pg from 'pg';
import type { z } from 'zod';
import { TIMESTAMP_MAX } from '../../../contract/kernel.ts';
import type { PixReceiptListQuery, PixReceipt as PixReceiptView } from '../../../contract/pix-receipts.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { type Page, pageLimit, toPage, written } from '../../kernel/pages.ts';
import { cursorOfNothing, readList } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';

type Query = z.output<typeof PixReceiptListQuery>;

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
   FROM (SELECT n.* FROM pix_receipt n WHERE ${mine('n')} AND n.paid_at >= :from AND (n.paid_at, n.id) < (:paidAt, :id)
     ORDER BY n.paid_at DESC, n.id DESC LIMIT :limit) r
   JOIN pix_charge c ON c.id = r.txid AND ${mine('c')}
   JOIN invoice i ON i.id = r.invoice_id AND ${mine('i')}
   LEFT JOIN payment_intent p ON p.id = r.intent_id AND ${mine('p')}
   ORDER BY r.paid_at DESC, r.id DESC`,
);

/** Where a page begins: behind the receipt of the cursor, or at the end of the period. */
async function placeOf(pool: pg.Pool, scope: Scope, query: Query): Promise<Place> {
  const { starting_after: after, paid_at_lte: last = TIMESTAMP_MAX } = query;
  const end = { paidAt: last + 1, id: '' };
  if (after === undefined) return end;
  const [found] = await readIn(pool, scope, findPlace, { id: after });
  if (found === undefined) throw cursorOfNothing('starting_after', after);
  return found.paidAt > last ? end : found;
}

/** What banks received for QR codes, newest first (docs/product/reports.md#pix-reconciliation). */
export const listPixReceipts = (deps: Deps, scope: Scope, query: Query): Promise<Page<PixReceiptView>> =>
  readList(deps, scope, ({ pool }) => pageOf(pool, scope, query));

async function pageOf(pool: pg.Pool, scope: Scope, query: Query): Promise<Page<PixReceiptView>> {
  const place = await placeOf(pool, scope, query);
  const limit = pageLimit(query) + 1;
  const rows = await readIn(pool, scope, listReceipts, { ...place, from: query.paid_at_gte ?? 0, limit });
  const views = rows.map((row) => ({
    ...row,
    object: 'pix_receipt' as const,
    difference: row.amount - row.charged,
    live_mode: scope.liveMode,
  }));
  return toPage(views.map(written), { query, url: '/api/v1/pix_receipts' });
}
