// A year of a subscription in seconds, in the sandbox: npx node sdk/examples/subscription-year.ts <sandbox key> [base URL]
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type CheckoutByCard, Fatura, type WebhookEvent } from '@fatura/sdk';

const apiKey = process.argv[2] ?? process.env.API_KEY ?? fail('give a sandbox key as argument or API_KEY');
const baseUrl = process.argv[3] ?? process.env.BASE_URL ?? 'http://127.0.0.1:3000';
const fatura = new Fatura({ apiKey, baseUrl });
const receiver = createServer().listen(0, '127.0.0.1');

function fail(reason: unknown): never {
  console.error('The year failed:', reason);
  process.exit(1);
}

const DAY = 86_400;
const reais = (cents: number) => (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
const day = (instant: number) => new Date(instant * 1_000).toISOString().slice(0, 10);

/** Your page collects the card, sends it on in this one call and keeps nothing of it. */
const byCard = (number: string): CheckoutByCard => ({
  payment_method_type: 'card',
  card: { number, exp_month: 12, exp_year: new Date().getFullYear() + 4, cvc: '123' },
  billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
});
const APPROVED = '4242 4242 4242 4242';
const WITHOUT_FUNDS_LATER = '4000 0000 0000 0341';

/** What a merchant's page or books would make of the news; null: nothing. */
function wordsFor(event: WebhookEvent): string | null {
  if (!event.known) return null;
  switch (event.type) {
    case 'invoice.paid':
      return `paid ${reais(event.data.object.amount_paid)}, access goes on`;
    case 'invoice.payment_failed':
      return 'the card was declined, it is charged again in some days';
    case 'subscription.overdue':
      return 'overdue, the customer is asked for another card';
    case 'subscription.updated':
      return 'the customer gave another card';
    case 'subscription.canceled':
      return 'cancelled';
    default:
      return null;
  }
}

/** Prints the news as they come; resolves with the last of them. */
function listen(secrets: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.on('request', async (request, response) => {
    const event = await fatura.webhooks.unwrap(await buffer(request), request.headers, { secrets });
    response.writeHead(200).end();
    const words = wordsFor(event);
    if (words !== null) console.log(`${day(event.created)}  ${words}`);
    if (event.type === 'subscription.canceled') resolve();
  });
  return promise;
}

async function liveThroughAYear(allTold: Promise<void>): Promise<void> {
  const customer = await fatura.customers.create({
    name: 'Maria da Silva',
    identifier: '529.982.247-25',
    email: 'maria@example.com',
  });
  const product = await fatura.products.create({ name: 'Plano Ouro' });
  const recurring = { interval: 'month', interval_count: 1 } as const;
  const price = await fatura.prices.create({ product_id: product.id, unit_amount: 9990, type: 'recurring', recurring });
  const { id } = await fatura.subscriptions.create({
    customer_id: customer.id,
    price_id: price.id,
    discounts: [{ type: 'percentage', percentage: 50, cycles: 3 }],
  });
  const { now: start } = await fatura.testClock.retrieve();
  await fatura.subscriptions.checkout(id, byCard(APPROVED));

  await fatura.testClock.advance({ to: start + 140 * DAY });
  await fatura.subscriptions.updatePaymentMethod(id, byCard(WITHOUT_FUNDS_LATER));
  const { current_period_end: renewal } = await fatura.subscriptions.retrieve(id);
  await fatura.testClock.advance({ to: (renewal ?? 0) + 2 * DAY });
  await fatura.subscriptions.updatePaymentMethod(id, byCard(APPROVED));
  await fatura.testClock.advance({ to: start + 360 * DAY });
  await fatura.subscriptions.cancel(id);
  await allTold;

  const invoices = await fatura.invoices.list({ subscription_id: id, status: 'paid' }).all({ max: 100 });
  const total = invoices.reduce((sum, invoice) => sum + invoice.amount_paid, 0);
  console.log(`${invoices.length} invoices paid, ${reais(total)} in all`);
}

await once(receiver, 'listening');
const { port } = receiver.address() as AddressInfo; // listening on TCP: not a pipe's name
const endpoint = fatura.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/`, event_types: ['*'] });
const { id, secret } = await endpoint.catch(fail);
const end = () => fatura.webhookEndpoints.delete(id).finally(() => receiver.close().closeAllConnections());
await liveThroughAYear(listen(secret ?? ''))
  .finally(end)
  .catch(fail);
