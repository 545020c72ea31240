// A sale by PIX from end to end, in the sandbox: npx node sdk/examples/pix-sale.ts <sandbox key> [base URL]
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Fatura } from '@fatura/sdk';
import { Webhook } from 'standardwebhooks'; // any Standard Webhooks library verifies; ours is `fatura.webhooks.unwrap`

const apiKey = process.argv[2] ?? process.env.API_KEY ?? fail('give a sandbox key as argument or API_KEY');
const baseUrl = process.argv[3] ?? process.env.BASE_URL ?? 'http://127.0.0.1:3000';
setTimeout(() => fail('it did not end within 30 s'), 30_000).unref();

function fail(reason: unknown): never {
  console.error('The sale failed:', reason);
  process.exit(1);
}

const reais = (cents: number) => (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });

async function sell(): Promise<void> {
  const fatura = new Fatura({ apiKey, baseUrl });

  // Where events arrive. A real receiver answers fast, and deduplicates on webhook-id.
  const receiver = createServer().listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // listening on TCP: not a pipe's name
  const endpoint = await fatura.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/`,
    event_types: ['invoice.paid'],
  });
  const webhook = new Webhook(endpoint.secret ?? fail('the endpoint came without its secret'));

  try {
    const product = await fatura.products.create({ name: 'Plano Ouro' });
    const price = await fatura.prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time' });
    const customer = await fatura.customers.create({
      name: 'Maria da Silva',
      identifier: '529.982.247-25',
      email: 'maria@example.com',
    });

    const invoice = await fatura.invoices.create({
      customer_id: customer.id,
      line_items: [{ price_id: price.id, quantity: 1 }],
    });
    const charged = await fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
    console.log(`To pay: ${reais(charged.total)}, ${charged.payment_method.pix.pix_copy_paste}`);

    // In the sandbox we are the buyer too.
    const delivery = once(receiver, 'request', { signal: AbortSignal.timeout(20_000) });
    await fatura.testHelpers.paymentIntents.payPix(charged.payment_intent, { scenario: 'paid' });

    const [request, response] = await delivery.catch((cause: unknown) => {
      throw new Error('no event came within 20 s; see WEBHOOK_ALLOWED_NETWORKS of the service', { cause });
    });
    const event = webhook.verify(await text(request), request.headers);
    response.writeHead(200).end();
    console.log('Verified event:', event);
  } finally {
    await fatura.webhookEndpoints.delete(endpoint.id);
    receiver.close();
    receiver.closeAllConnections();
  }
}

await sell().catch(fail);
