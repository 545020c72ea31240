/** How an account collects: days after an invoice is due, and after a period began for the charges of its card (decisions §3). */
export interface CollectionDays {
  readonly overdueDays: number;
  readonly suspendDays: number;
  readonly cancelDays: number;
  readonly retryDays: readonly number[];
}
