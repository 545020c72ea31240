import type { ExportType } from '../../contract/export-columns.ts';
import { listCustomers } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';
import { listInvoices } from '../invoices/list.ts';
import type { Page } from '../kernel/pages.ts';
import { listIntents } from '../payments/intents/list.ts';
import { listPixReceipts } from '../payments/pix/reconciliation.ts';
import { listRefunds } from '../payments/refunds/list.ts';
import { listSubscriptions } from '../subscriptions/list.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { headerOf, rowsOf } from './csv.ts';
import type { Export } from './entity.ts';

/** Objects that are read at once, and about so many bytes make a part: neither a long file nor a large object takes memory for more. */
const PAGE = 100;
const PART_BYTES = 256 * 1_024;

type List = (deps: Deps, scope: Scope, query: object) => Promise<Page<{ readonly id: string }>>;

/** The lists as their routes answer them. */
const lists = {
  invoices: listInvoices,
  payment_intents: listIntents,
  customers: listCustomers,
  subscriptions: listSubscriptions,
  refunds: listRefunds,
  pix_receipts: listPixReceipts,
} satisfies Readonly<Record<ExportType, unknown>>;

/** Rows of a file behind those that are written. */
export interface Part {
  readonly text: string;
  readonly rows: number;
  readonly lastId: string | null;
  readonly isLast: boolean;
}

/** Reads the next rows of an export by pages of its list, newest first. */
export async function readPart(deps: Deps, scope: Scope, of: Export): Promise<Part> {
  // Its filters were read by the schema of the same list.
  const list = lists[of.type] as List;
  let text = of.parts === 0 ? headerOf(of) : '';
  let [rows, lastId] = [0, of.lastId ?? null];
  for (;;) {
    const behind = lastId === null ? {} : { starting_after: lastId };
    const { data, has_more: hasMore } = await list(deps, scope, { ...of.filters, ...behind, limit: PAGE });
    text += rowsOf(of, data);
    rows += data.length;
    const last = data.at(-1);
    if (last === undefined && hasMore) throw new Error(`a page of ${of.id} is empty and not the last`);
    lastId = last?.id ?? lastId;
    if (!hasMore || Buffer.byteLength(text) >= PART_BYTES) return { text, rows, lastId, isLast: !hasMore };
  }
}
