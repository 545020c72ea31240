import { Fatura } from '@fatura/sdk';
import { keepSale, type Sale, saleOf } from './sales.ts';
import { setting } from './settings.ts';

export const PRODUCT = 'Curso de violão';
/** Cents. */
export const AMOUNT = 12_000;
/** By it the product is found again after a restart. */
const CODE = 'curso-de-violao';

let client: Fatura | undefined;
let price: Promise<string> | undefined;

function fatura(): Fatura {
  client ??= new Fatura({ apiKey: setting('FATURA_API_KEY'), baseUrl: setting('FATURA_BASE_URL') });
  return client;
}

/** Makes product and price, or finds those of a former start: by another price a repeated purchase is refused. */
async function findPrice(): Promise<string> {
  const [known] = await fatura().products.list({ external_code: CODE }).all({ max: 1 });
  const product = known ?? (await fatura().products.create({ name: PRODUCT, external_code: CODE }));
  const { id } = await fatura().prices.create({
    product_id: product.id,
    unit_amount: AMOUNT,
    type: 'one_time',
    external_code: `${CODE}-${AMOUNT}`, // the same price again answers the one that is there
  });
  return id;
}

/** Asked for once, at the first sale; a real shop has its ids in its settings. */
function priceId(): Promise<string> {
  price ??= findPrice().catch((error: unknown) => {
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
  const known = saleOf(invoice.id);
  if (known !== null && known.paidBy !== null) return known;
  // Without a key of its own: a repeat gets the code that stands, or a new one when that has ended.
  const charged = await fatura().invoices.checkout(invoice.id, { payment_method_type: 'pix' });
  return keepSale({
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
