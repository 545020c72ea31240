// A small shop that sells on the hosted page, in the sandbox: npx node sdk/examples/hosted-checkout.ts <sandbox key> [base URL]
// Open the address that it prints, pay there ("Simular pagamento"), and come back to its thank-you page.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Fatura } from '@fatura/sdk';

const apiKey = process.argv[2] ?? process.env.API_KEY ?? fail('give a sandbox key as argument or API_KEY');
const baseUrl = process.argv[3] ?? process.env.BASE_URL ?? 'http://127.0.0.1:3000';
const fatura = new Fatura({ apiKey, baseUrl });

function fail(reason: unknown): never {
  console.error('The shop cannot open:', reason);
  process.exit(1);
}

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const shopUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP: not a pipe's name

const product = await fatura.products.create({ name: 'Curso de violão' });
const price = await fatura.prices.create({ product_id: product.id, unit_amount: 12_000, type: 'one_time' });
const { secret } = await fatura.webhookEndpoints.create({
  url: `${shopUrl}/webhooks`,
  event_types: ['checkout_session.completed'],
});

const reais = (cents: number) => (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });

/** Orders that were paid, by the session that sold them. Only the event says so: a visit of the thank-you page proves nothing. */
const fulfilled = new Set<string>();

async function buy(response: ServerResponse): Promise<void> {
  const session = await fatura.checkoutSessions.create({
    mode: 'payment',
    line_items: [{ price_id: price.id, quantity: 1 }],
    success_url: `${shopUrl}/thanks?session={CHECKOUT_SESSION_ID}`,
    return_url: `${shopUrl}/`,
  });
  response.writeHead(303, { location: session.url }).end();
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const event = await fatura.webhooks.unwrap(body, request.headers, { secrets: secret ?? '' });
  if (event.known && event.type === 'checkout_session.completed') fulfilled.add(event.data.object.id);
  response.writeHead(204).end();
  console.log(`Fulfilled: ${[...fulfilled].at(-1)}`);
}

function thank(response: ServerResponse, session: string | null): void {
  const words =
    session !== null && fulfilled.has(session) ? 'Pago. O curso é seu!' : 'Estamos confirmando o pagamento.';
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<h1>${words}</h1>`);
}

function sell(response: ServerResponse): void {
  const form = `<form method="post" action="/buy"><button>Comprar por ${reais(price.unit_amount)}</button></form>`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<h1>Curso de violão</h1>${form}`);
}

server.on('request', (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', shopUrl);
  const answer = async (): Promise<void> => {
    if (request.method === 'POST' && pathname === '/buy') return buy(response);
    if (request.method === 'POST' && pathname === '/webhooks') return receive(request, response);
    return pathname === '/thanks' ? thank(response, searchParams.get('session')) : sell(response);
  };
  answer().catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
console.log(`The shop is open: ${shopUrl}/`);
