import { type Customer, type Fatura, type Invoice, isFaturaError, type RequestOptions } from '@fatura/sdk';
import type { SendOptions } from '../../parts/act.ts';

/** Who is charged: a customer that is there, or what is known of a new one. */
export type Buyer =
  | { readonly kind: 'known'; readonly customer: Customer }
  | { readonly kind: 'new'; readonly name: string; readonly identifier: string; readonly email: string };

export const NOBODY: Buyer = { kind: 'new', name: '', identifier: '', email: '' };

/** What is charged for: a price that is sold, or an amount of its own. */
export type Charged = { readonly priceId: string } | { readonly cents: number };

export interface ChargeOrder {
  readonly buyer: Buyer;
  readonly charged: Charged;
  readonly description: string;
  readonly dueAt: number;
}

/** The code and the picture by which a charge is paid. */
export interface PixCode {
  readonly copyPaste: string;
  readonly image: string;
}

export interface ChargeMade {
  readonly invoice: Invoice;
  /** Null: the bank did not make it; the page behind the link does. */
  readonly pix: PixCode | null;
  /** Of the customer, where one is known. */
  readonly phone: string | null;
}

/** The highest price of the API. */
export const CENTS_MAX = 999_999;

/** Charges of amounts of their own are of one product, which each account has once. */
const PRODUCT_CODE = 'cobranca-avulsa';
const PRODUCT_NAME = 'Cobrança avulsa';

const findProduct = async (fatura: Fatura) =>
  (await fatura.products.list({ external_code: PRODUCT_CODE }).page()).data.at(0) ?? null;

async function productOfCharges(fatura: Fatura): Promise<string> {
  const found = await findProduct(fatura);
  if (found !== null) return found.id;
  try {
    return (await fatura.products.create({ name: PRODUCT_NAME, external_code: PRODUCT_CODE })).id;
  } catch (error) {
    // Somebody else charged for the first time at the same moment.
    const made = isFaturaError(error, 'EXTERNAL_CODE_TAKEN') ? await findProduct(fatura) : null;
    if (made === null) throw error;
    return made.id;
  }
}

/** The price of an amount is made once: its code names it, and the same again answers it. */
async function priceOf(fatura: Fatura, cents: number): Promise<string> {
  const code = `${PRODUCT_CODE}-${cents}`;
  const [found] = (await fatura.prices.list({ external_code: code, active: true }).page()).data;
  if (found !== undefined) return found.id;
  const product_id = await productOfCharges(fatura);
  return (await fatura.prices.create({ product_id, unit_amount: cents, type: 'one_time', external_code: code })).id;
}

function payerOf(buyer: Buyer) {
  if (buyer.kind === 'known') return { customer_id: buyer.customer.id };
  const { name, identifier, email } = buyer;
  return { customer: { name, identifier, email } };
}

async function pixOf(fatura: Fatura, id: string): Promise<PixCode | null> {
  try {
    const { payment_method: method } = await fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    return { copyPaste: method.pix.pix_copy_paste, image: method.pix.qr_code };
  } catch (error) {
    if (isFaturaError(error)) return null;
    throw error;
  }
}

/** Makes the invoice, under the key of whoever asked for it, and its QR code. */
export async function makeCharge(
  fatura: Fatura,
  { buyer, charged, description, dueAt }: ChargeOrder,
  options: SendOptions,
): Promise<ChargeMade> {
  const priceId = 'priceId' in charged ? charged.priceId : await priceOf(fatura, charged.cents);
  const order = {
    line_items: [{ price_id: priceId, quantity: 1 }],
    due_at: dueAt,
    ...(description !== '' && { description }),
  };
  const invoice = await fatura.invoices.create({ ...payerOf(buyer), ...order }, options);
  const phone = buyer.kind === 'known' ? buyer.customer.phone : null;
  return { invoice, phone, pix: await pixOf(fatura, invoice.id) };
}

/** A price that can be charged for, by its product's name. */
export interface Offer {
  readonly priceId: string;
  readonly name: string;
  readonly cents: number;
}

const OFFERS_MAX = 100;

/** What is sold once, newest first; amounts of their own are none of it. */
export async function readOffers(fatura: Fatura, options: RequestOptions): Promise<Offer[]> {
  const [prices, products] = await Promise.all([
    fatura.prices.list({ type: 'one_time', active: true, limit: OFFERS_MAX }, options).page(),
    fatura.products.list({ active: true, limit: OFFERS_MAX }, options).page(),
  ]);
  return prices.data.flatMap(({ id, product, description, unit_amount: cents }) => {
    const found = products.data.find((one) => one.id === product && one.external_code !== PRODUCT_CODE);
    if (found === undefined || cents === 0) return [];
    return [{ priceId: id, cents, name: description === null ? found.name : `${found.name} · ${description}` }];
  });
}
