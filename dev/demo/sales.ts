import type { Invoice } from '@fatura/sdk';
import type { Good } from './catalogue.ts';
import { byCard, CARDS, DAY, drawByShare, newCustomer, payByPix, type Shop, unlessRefused } from './shop.ts';

const NEW_CUSTOMER = 0.45;
const COUPON = 0.12;

/** What becomes of a sale, and how often of 100. */
const OUTCOMES = [
  { outcome: 'pix', share: 47 },
  { outcome: 'pix later', share: 12 },
  { outcome: 'never', share: 6 },
  { outcome: 'card', share: 25 },
  { outcome: 'declined', share: 8 },
  { outcome: 'draft', share: 2 },
] as const;

/** A sale in the shop or on its page. */
export async function sell(shop: Shop, day: number, now: number): Promise<void> {
  const { fatura, random, catalogue } = shop;
  const known = random.chance(NEW_CUSTOMER) ? undefined : random.pick(shop.customers);
  const customer_id = known ?? (await newCustomer(shop));
  const good = drawByShare(random, catalogue.goods);
  const { outcome } = drawByShare(random, OUTCOMES);
  shop.orders += 1;
  const invoice = await fatura.invoices.create({
    customer_id,
    line_items: [{ price_id: good.price, quantity: random.chance(0.2) ? random.between(2, 4) : 1 }],
    description: `Pedido ${shop.orders}`,
    external_code: `pedido-${shop.orders}`,
    metadata: [{ canal: random.pick(['site', 'loja', 'whatsapp']) }],
    due_at: now + random.between(1, 5) * DAY,
    draft: outcome === 'draft',
    ...(random.chance(COUPON) && {
      discounts: [{ type: 'percentage', percentage: 10, description: 'Cupom AURORA10' }],
    }),
  });
  if (outcome === 'pix') await payByPix(shop, invoice.id);
  else if (outcome === 'card') await payByCard(shop, invoice, good);
  else if (outcome === 'declined') await payInTheEnd(shop, invoice, good);
  else if (outcome !== 'draft') await owe(shop, invoice.id, { day, isPaid: outcome === 'pix later' });
}

async function payByCard(shop: Shop, { id }: Invoice, { installments }: Good): Promise<void> {
  const { fatura, random, paid } = shop;
  const number = random.pick([CARDS.visa, CARDS.visa, CARDS.mastercard, CARDS.elo] as const);
  const parts = random.chance(0.5) ? random.between(1, installments) : 1;
  const charged = await unlessRefused(
    fatura.invoices.checkout(id, byCard(shop, number, parts)),
    'INSTALLMENT_BELOW_MINIMUM',
    'INVOICE_NOT_OPEN',
  );
  const intent = charged?.payment_intent ?? null;
  if (charged !== null && intent !== null) paid.push({ intent, amount: charged.total, method: 'card' });
}

/** A card is declined; then its buyer takes another one, pays by PIX, or leaves. */
async function payInTheEnd(shop: Shop, invoice: Invoice, good: Good): Promise<void> {
  const { fatura, random } = shop;
  const number = random.pick([CARDS.withoutFunds, CARDS.withoutFunds, CARDS.notAuthorized, CARDS.suspected] as const);
  await unlessRefused(fatura.invoices.checkout(invoice.id, byCard(shop, number)), 'CARD_DECLINED');
  if (random.chance(0.45)) await payByCard(shop, invoice, good);
  else if (random.chance(0.5)) await payByPix(shop, invoice.id);
}

/** The buyer has a QR code, or an e-mail, and pays some days later or never. */
async function owe(shop: Shop, invoice: string, { day, isPaid }: { day: number; isPaid: boolean }): Promise<void> {
  const { fatura, random, debts } = shop;
  if (random.chance(0.5)) await fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  else await unlessRefused(fatura.invoices.send(invoice), 'INVALID_STATE');
  debts.push({ invoice, paidOn: isPaid ? day + random.between(1, 6) : null, givenUpOn: day + random.between(12, 40) });
}

/** What is owed is paid on its day; what never is, is void or uncollectible one day. */
export async function settleDebts(shop: Shop, day: number): Promise<void> {
  const { fatura, random, debts } = shop;
  const due = debts.filter(({ paidOn, givenUpOn }) => (paidOn ?? givenUpOn) <= day);
  for (const debt of due) {
    debts.splice(debts.indexOf(debt), 1);
    if (debt.paidOn !== null) await payByPix(shop, debt.invoice);
    else {
      const end = random.chance(0.5)
        ? fatura.invoices.void(debt.invoice)
        : fatura.invoices.markUncollectible(debt.invoice);
      await unlessRefused(end, 'INVALID_STATE', 'PAYMENT_IN_PROGRESS', 'PIX_PAYMENT_CONFIRMED');
    }
  }
}

const PAGES = { success_url: 'https://loja.example/obrigado', return_url: 'https://loja.example/carrinho' };

/** A purchase on the hosted page: paid there by card, closed by the shop, or left until its hour is over. */
export async function openSession(shop: Shop, nth: number): Promise<void> {
  const { fatura, random, catalogue, customers } = shop;
  const customer_id = random.pick(customers) ?? (await newCustomer(shop));
  const line_items = [{ price_id: drawByShare(random, catalogue.goods).price, quantity: 1 }];
  const { id, invoice } = await fatura.checkoutSessions.create({ mode: 'payment', ...PAGES, customer_id, line_items });
  const ways = ['paid', 'left', 'paid', 'closed'] as const;
  const way = ways[nth % ways.length];
  if (way === 'paid') await fatura.invoices.checkout(invoice ?? '', byCard(shop, CARDS.visa));
  else if (way === 'closed') await fatura.checkoutSessions.expire(id);
}
