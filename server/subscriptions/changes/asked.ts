import type { ChangeInput } from '../../../contract/subscription-changes.ts';
import { statement } from '../../db/statement.ts';
import type { AskedItem } from '../entity.ts';
import type { Took } from './given-back.ts';
import type { KnownBill } from './planned.ts';

/** A bill of the current period or the next one, as a change reads it. */
export interface CycleBill extends KnownBill, Took {
  cycle: number;
  isOpen: boolean;
  periodStart: number | null;
  periodEnd: number | null;
}

export const readBills = statement<CycleBill>(
  'read_bills_of_change',
  `SELECT i.cycle, i.status = 'paid' AS "isPaid", i.status = 'open' AS "isOpen", i.bill_number AS number,
     i.period_start AS "periodStart", i.period_end AS "periodEnd", i.line_items AS "lineItems", i.credits FROM invoice i
   WHERE i.subscription_id = :id AND i.cycle >= :cycle AND NOT i.superseded`,
);

/** The bills of the current period and of the next one. */
export const billsOf = (
  rows: readonly CycleBill[],
  cycle: number,
): { current: CycleBill | null; ahead: CycleBill | null } => ({
  current: rows.find((row) => row.cycle === cycle) ?? null,
  ahead: rows.find((row) => row.cycle > cycle) ?? null,
});

/** What becomes of the items, as it is stored. */
export const askedOf = (items: ChangeInput['items'], mint: () => string | null): AskedItem[] =>
  items.map(({ item, price_id: priceId, quantity, removed }) => ({
    item: item ?? null,
    newItem: item === undefined ? mint() : null,
    priceId: priceId ?? null,
    quantity: quantity ?? null,
    isRemoved: removed === true,
  }));

/** The prices that a change names. */
export const pricesIn = (items: ChangeInput['items']): string[] => [
  ...new Set(items.flatMap(({ price_id: priceId }) => priceId ?? [])),
];
