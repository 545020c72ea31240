export interface Sale {
  /** The invoice that the buyer pays, `in_…`. */
  readonly invoice: string;
  /** Cents. */
  readonly amount: number;
  readonly paymentIntent: string;
  /** The PIX code to paste into a banking app, and its image as a `data:` URL. */
  readonly copyPaste: string;
  readonly qrCode: string;
  /** The hosted page on which the same invoice is paid by PIX or card. */
  readonly page: string | null;
  /** The event that said so, `evt_…`; null until it has come. */
  readonly paidBy: string | null;
}

/** Your database. It is kept on globalThis because Next.js loads a module once for each of its routes. */
const kept = globalThis as typeof globalThis & { sales?: Map<string, Sale> };
kept.sales ??= new Map();
const sales = kept.sales;

/** A purchase that is sent again may come with a newer code; that it was paid stays. */
export function keepSale(sale: Sale): Sale {
  const kept = { ...sale, paidBy: sales.get(sale.invoice)?.paidBy ?? sale.paidBy };
  sales.set(sale.invoice, kept);
  return kept;
}

/** Null: this shop has not made such a sale since its start. */
export const saleOf = (invoice: string): Sale | null => sales.get(invoice) ?? null;

/** Hands over what was bought: grant access, send the goods. Called once for each event, after its signature held. */
export function fulfil(invoice: { id: string; customer_name: string; total: number }, event: string): void {
  const sale = sales.get(invoice.id);
  if (sale !== undefined) sales.set(invoice.id, { ...sale, paidBy: event });
  console.log(`Paid: ${invoice.id} of ${invoice.customer_name}, ${reais(invoice.total)} (${event})`);
}

export const reais = (cents: number): string =>
  (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
