import { DAY, type Shop, unlessRefused } from './shop.ts';

const REASONS = [
  'requested_by_customer',
  'requested_by_customer',
  'duplicate',
  'product_not_delivered',
  'other',
] as const;

/** Money goes back, whole or in part: now and then a bank refuses it. */
async function refund({ fatura, random, paid }: Shop): Promise<void> {
  const sale = random.pick(paid.slice(-40));
  if (sale === undefined) return;
  const isWhole = random.chance(0.6);
  if (isWhole) paid.splice(paid.indexOf(sale), 1);
  const part = Math.max(1, Math.floor(sale.amount / random.between(2, 5)));
  // The bank of the sandbox refuses a part by PIX whose cents end in 99 (docs/product/sandbox.md#refund-parts).
  const amount = isWhole ? undefined : random.chance(0.2) && part > 199 ? part - (part % 100) - 1 : part;
  await unlessRefused(
    fatura.refunds.create({
      payment_intent: sale.intent,
      reason: random.pick(REASONS),
      ...(amount !== undefined && { amount }),
    }),
    'INVALID_STATE',
    'REFUND_EXCEEDS_BALANCE',
    'REFUND_REFUSED',
    'REFUND_WINDOW_CLOSED',
  );
}

/** A payer contests a PIX at the own bank, which takes the money back; of some it is given back days later. */
async function contest({ fatura, random, paid, contested }: Shop, day: number): Promise<void> {
  const sale = random.pick(paid.slice(-60).filter(({ method }) => method === 'pix'));
  if (sale === undefined) return;
  paid.splice(paid.indexOf(sale), 1);
  const scenario = random.pick(['fraud', 'fraud', 'operational_error', 'returned_at_bank'] as const);
  const taken = await unlessRefused(
    fatura.testHelpers.paymentIntents.dispute(sale.intent, { scenario }),
    'INVALID_STATE',
  );
  if (taken !== null && random.chance(0.4))
    contested.push({ intent: sale.intent, returnedOn: day + random.between(2, 9) });
}

async function giveBack({ fatura, contested }: Shop, day: number): Promise<void> {
  for (const one of contested.filter(({ returnedOn }) => returnedOn <= day)) {
    contested.splice(contested.indexOf(one), 1);
    const given = fatura.testHelpers.paymentIntents.dispute(one.intent, { scenario: 'reversed' });
    await unlessRefused(given, 'INVALID_STATE');
  }
}

/** What people of the shop, and banks, do beside its sales. */
export async function takeCare(shop: Shop, day: number): Promise<void> {
  const { fatura, random, customers } = shop;
  await giveBack(shop, day);
  if (random.chance(0.3)) await refund(shop);
  if (random.chance(0.07)) await contest(shop, day);
  const customer = random.pick(customers);
  if (customer !== undefined && random.chance(0.06)) {
    const phone = `+55119${random.between(10_000_000, 99_999_999)}`;
    await unlessRefused(fatura.customers.update(customer, { phone }), 'INVALID_STATE');
  }
}

/** What stands on the last day: bills that fall due on it, somebody who asked to be forgotten, and files to fetch. */
export async function closeBooks(shop: Shop, now: number): Promise<void> {
  const { fatura, random, catalogue, customers } = shop;
  for (let nth = 0; nth < 3; nth += 1) {
    const [good] = catalogue.goods;
    const customer_id = random.pick(customers);
    if (good === undefined || customer_id === undefined) break;
    await fatura.invoices.create({
      customer_id,
      line_items: [{ price_id: good.price, quantity: 1 + nth }],
      due_at: now + DAY / 24,
      description: 'Encomenda com vencimento hoje',
    });
  }
  for (const customer of customers.slice(0, 40)) {
    const forgotten = await unlessRefused(fatura.customers.anonymize(customer), 'INVALID_STATE');
    if (forgotten !== null) break;
  }
  await fatura.exports.create({ type: 'invoices', filters: { status: 'paid' } });
  await fatura.exports.create({ type: 'customers' });
}
