// A sale by card from end to end, in the sandbox: npx node sdk/examples/card-sale.ts <sandbox key> [base URL]
import { on, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type CheckoutByCard, type EventFilter, Fatura, isFaturaError, type WebhookEvent } from '@fatura/sdk';

const apiKey = process.argv[2] ?? process.env.API_KEY ?? fail('give a sandbox key as argument or API_KEY');
const baseUrl = process.argv[3] ?? process.env.BASE_URL ?? 'http://127.0.0.1:3000';
const fatura = new Fatura({ apiKey, baseUrl });
const receiver = createServer().listen(0, '127.0.0.1');
const deliveries = on(receiver, 'request', { signal: AbortSignal.timeout(30_000) });

function fail(reason: unknown): never {
  console.error('The sale failed:', reason);
  process.exit(1);
}

const reais = (cents: number) => (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });

/** Your page collects the card, sends it on in this one call and keeps nothing of it. */
const byCard = (number: string, installments = 1): CheckoutByCard => ({
  payment_method_type: 'card',
  installments,
  card: { number, exp_month: 12, exp_year: new Date().getFullYear() + 3, cvc: '123' },
  billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
});

/** What the buyer is told when the card was not charged; what is no matter of the card is thrown on. */
function adviceOn(error: unknown): string {
  if (!isFaturaError(error)) throw error;
  switch (error.code) {
    case 'CARD_DECLINED':
      if (error.declineReason === 'insufficient_funds') return 'the funds do not suffice: use another card, or PIX';
      if (error.declineReason === 'invalid_card_data') return 'check the number, the date and the code of the card';
      return 'the bank said no: ask it, or use another card';
    case 'CARD_EXPIRED':
      return 'use another card';
    default:
      throw error; // with ACQUIRER_TIMEOUT: repeat this very call under error.idempotencyKey, never charge anew
  }
}

/** The next event that is wanted. Deliveries may repeat and overtake; a real receiver answers them at once. */
async function received(secrets: string, isWanted: (event: WebhookEvent) => boolean): Promise<void> {
  for (;;) {
    const next = await deliveries.next().catch((cause: unknown) => {
      throw new Error('no event came within 30 s; see WEBHOOK_ALLOWED_NETWORKS of the service', { cause });
    });
    const [request, response] = next.value ?? [];
    const event = await fatura.webhooks.unwrap(await buffer(request), request.headers, { secrets });
    response.writeHead(200).end();
    if (isWanted(event)) return console.log('Verified event:', event.type, event.id);
  }
}

async function sell(secrets: string): Promise<void> {
  const product = await fatura.products.create({ name: 'Plano Ouro' });
  const terms = { card_installments_enabled: true, max_card_installments: 3 };
  const price = await fatura.prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time', ...terms });
  const customer = { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@example.com' };
  const invoice = await fatura.invoices.create({ customer, line_items: [{ price_id: price.id, quantity: 1 }] });

  const declined = await fatura.invoices.checkout(invoice.id, byCard('4000 0000 0000 9995')).then(() => null, adviceOn);
  if (declined === null) throw new Error('a card without funds was charged');
  console.log('Declined:', declined);

  const installments = price.effective_max_card_installments; // 1 where the price allows none
  const paid = await fatura.invoices.checkout(invoice.id, byCard('4242 4242 4242 4242', installments));
  const { card } = paid.payment_method ?? {};
  if (card == null || paid.payment_intent === null) throw new Error('the answer shows no charge of a card');
  console.log(`Paid: ${reais(paid.amount_paid)}, installments: ${installments}, ${card.brand} ending in ${card.last4}`);
  await received(secrets, ({ type }) => type === 'invoice.paid');

  const payment = { payment_intent: paid.payment_intent };
  const part = await fatura.refunds.create({ ...payment, amount: 3990 });
  const rest = await fatura.refunds.create({ ...payment, reason: 'product_not_delivered' });
  console.log(`Refunded: ${reais(part.amount)}, then ${reais(rest.amount)}`);
  await received(secrets, (event) => event.type === 'refund.updated' && event.data.object.amount === paid.amount_paid);
}

await once(receiver, 'listening');
const { port } = receiver.address() as AddressInfo; // listening on TCP: not a pipe's name
const events: EventFilter[] = ['invoice.paid', 'refund.updated'];
const endpoint = fatura.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/`, event_types: events });
const { id, secret } = await endpoint.catch(fail);
const end = () => fatura.webhookEndpoints.delete(id).finally(() => receiver.close().closeAllConnections());
const sale = sell(secret ?? '').finally(end);
await sale.catch(fail);
