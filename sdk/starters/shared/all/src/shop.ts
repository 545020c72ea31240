import { Fatura } from '@fatura/sdk';
import { newSale, type Sale, saleOf } from './sales.ts';
import { setting } from './settings.ts';

export const PRODUCT = 'Curso de violão';
/** Cents. */
export const AMOUNT = 12_000;

let client: Fatura | undefined;
let price: Promise<string> | undefined;

function fatura(): Fatura {
  client ??= new Fatura({ apiKey: setting('FATURA_API_KEY'), baseUrl: setting('FATURA_BASE_URL') });
  return client;
}

async function newPrice(): Promise<string> {
  const product = await fatura().products.create({ name: PRODUCT });
  const { id } = await fatura().prices.create({ product_id: product.id, unit_amount: AMOUNT, type: 'one_time' });
  return id;
}

/** The price is made once, at the first sale; a real shop has its ids in its settings. */
function priceId(): Promise<string> {
  price ??= newPrice().catch((error: unknown) => {
    price = undefined; // the next sale tries again
    throw error;
  });
  return price;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The name of a purchase as the home page gave it; null for anything else, or all who send none would share one order. A
 * real shop keeps it in the session of its buyer: what stands in an address can be sent by others, too.
 */
export const orderOf = (sent: unknown): string | null => (typeof sent === 'string' && UUID.test(sent) ? sent : null);

/** Sells by PIX. `order` names the purchase: a click that is sent twice sells once. */
export async function sell(order: string): Promise<Sale> {
  const customer = await fatura().customers.create(
    { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@example.com' },
    { idempotencyKey: `customer-${order}` },
  );
  const invoice = await fatura().invoices.create(
    { customer_id: customer.id, line_items: [{ price_id: await priceId(), quantity: 1 }] },
    { idempotencyKey: `invoice-${order}` },
  );
  const charged = await fatura().invoices.checkout(
    invoice.id,
    { payment_method_type: 'pix' },
    { idempotencyKey: `checkout-${order}` },
  );
  return newSale({
    invoice: charged.id,
    amount: charged.total,
    paymentIntent: charged.payment_intent,
    copyPaste: charged.payment_method.pix.pix_copy_paste,
    qrCode: charged.payment_method.pix.qr_code,
    page: charged.payment_url,
    paidBy: null,
  });
}

/** What the buyer's bank does; in the sandbox you are the buyer too. */
export async function payInSandbox(invoice: string): Promise<void> {
  const sale = saleOf(invoice);
  if (sale === null) throw new Error(`no such sale: ${invoice}`);
  await fatura().testHelpers.paymentIntents.payPix(sale.paymentIntent, { scenario: 'paid' });
}
