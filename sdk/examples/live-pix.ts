// A first payment of R$ 1 in live mode, paid by hand and returned: npx node sdk/examples/live-pix.ts <live key> [base URL]
import { setTimeout as sleep } from 'node:timers/promises';
import { Fatura } from '@fatura/sdk';

const apiKey = process.argv[2] ?? process.env.API_KEY ?? fail('give a live key as argument or API_KEY');
const baseUrl = process.argv[3] ?? process.env.BASE_URL ?? 'http://127.0.0.1:3000';
const fatura = new Fatura({ apiKey, baseUrl });

const ONE_REAL = 100;
const WAIT_MS = 30 * 60_000;
const POLL_MS = 2_000;

function fail(reason: unknown): never {
  console.error('It went wrong:', reason);
  process.exit(1);
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + WAIT_MS;
  while (!(await look())) {
    if (Date.now() > endsAt) throw new Error(`waited half an hour in vain for: ${what}`);
    await sleep(POLL_MS);
  }
}

async function sell(): Promise<void> {
  const product = await fatura.products.create({ name: 'Teste de R$ 1' });
  const price = await fatura.prices.create({ product_id: product.id, unit_amount: ONE_REAL, type: 'one_time' });
  const invoice = await fatura.invoices.create({
    customer: { name: 'Teste', identifier: '529.982.247-25', email: 'teste@example.com' },
    line_items: [{ price_id: price.id, quantity: 1 }],
  });
  const { payment_method: method, payment_intent: intent } = await fatura.invoices.checkout(invoice.id, {
    payment_method_type: 'pix',
  });
  console.log(`Pay R$ 1,00 within half an hour: ${invoice.payment_url}`);
  console.log(`or by this code: ${method.pix.pix_copy_paste}`);
  await until('the payment', async () => (await fatura.invoices.retrieve(invoice.id)).status === 'paid');
  console.log(`Paid: ${invoice.id}`);
  await fatura.refunds.create({ payment_intent: intent });
  await until('the return', async () => (await fatura.refunds.retrieve(intent)).status === 'refunded');
  console.log('Returned.');
}

await sell().catch(fail);
