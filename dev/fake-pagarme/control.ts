import { once } from 'node:events';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { z } from 'zod';
import { button, escaped, instant, newest, page, row, table } from '../fakes/page.ts';
import { Refused } from './answer.ts';
import type { Charge, Merchant } from './books.ts';
import { type FakePagarme, Trouble } from './pagarme.ts';

const LOOPBACK = '127.0.0.1';

const Ended = z.strictObject({ approved: z.boolean().default(true) });
const Taken = z.strictObject({ amount: z.int().min(1).optional() });
const Made = z.strictObject({ made: z.boolean().default(true) });
const Hook = z.strictObject({ url: z.url().nullable() });
const Domain = z.strictObject({ domain: z.string().min(1).max(253) });

/** The books without what only a machine needs. */
const booksOf = ({ orders, charges, customers, cards, hooks, hookUrl, domains }: Merchant) => ({
  hook: hookUrl,
  domains: [...domains],
  customers: [...customers.values()],
  cards: [...cards.values()],
  orders: [...orders.values()],
  charges: [...charges.values()],
  hooks,
});

const reais = (cents: number): string => (cents / 100).toFixed(2);

function chargeRow({ id, code, amount, status, createdMs, transactions }: Charge): string {
  const refunds = transactions.filter(({ operation }) => operation !== 'auth_and_capture');
  const pending = refunds.filter((one) => one.status === 'pending_refund');
  const buttons = [
    ...(status === 'processing'
      ? [
          button('approve', `/charges/${id}/end`, { approved: true }),
          button('decline', `/charges/${id}/end`, { approved: false }),
        ]
      : []),
    ...(status === 'paid' ? [button('chargeback', `/charges/${id}/chargeback`, {})] : []),
    ...pending.map((one) => button('settle the refund', `/refunds/${one.id}/settle`, { made: true })),
  ];
  return row([
    `<code>${escaped(code)}</code>`,
    reais(amount),
    status,
    instant(createdMs),
    refunds.map((one) => `${reais(one.amount)} ${one.operation} ${one.status}`).join('<br>'),
    buttons.join(''),
  ]);
}

function controlPage(merchant: Merchant, troubles: readonly Trouble[]): string {
  const trouble = (label: string, body: Trouble) => button(label, '/troubles', body);
  const charges = newest([...merchant.charges.values()]).map(chargeRow);
  const hooks = newest(merchant.hooks).map(({ type, url, answers }) => row([type, escaped(url), answers.join(', ')]));
  return page(
    'Fake Pagar.me',
    `<h2>Charges</h2>${table(['code', 'amount', 'status', 'at (UTC)', 'money back', ''], charges)}
<h2>Webhooks</h2><p>${escaped(merchant.hookUrl ?? 'no address is registered')}</p>${table(['type', 'to', 'answers'], hooks)}
<h2>Troubles</h2><p>${escaped(troubles.map((each) => JSON.stringify(each)).join(' ')) || 'none'}</p>
${trouble('lose the next answer', { kind: 'answer_lost', next: 1 })}
${trouble('lose the next 3 requests', { kind: 'request_lost', next: 3 })}
${trouble('500 after the work, next', { kind: 'fault', next: 1 })}
${trouble('503 for the next 3', { kind: 'unavailable', next: 3 })}
${trouble('401', { kind: 'unauthorized' })}
${trouble('next charge stays at the acquirer', { kind: 'stays_processing', next: 1 })}
${trouble('next refund stays pending', { kind: 'refund_stays', next: 1 })}
${trouble('no webhooks', { kind: 'hook_none' })}
${trouble('next webhook by an unknown key', { kind: 'hook_unknown_key', next: 1 })}
${button('no more troubles', '/troubles', {}, 'DELETE')}`,
  );
}

/** What a person at a terminal or a browser does with Pagar.me, for its one merchant. */
function controlApp(fake: FakePagarme, merchant: Merchant): Express {
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    // A page of another site can send no JSON here, nor read anything by a name of its own for this address.
    const isOurs = [LOOPBACK, 'localhost'].includes(request.hostname);
    const isJson = ['GET', 'DELETE'].includes(request.method) || Boolean(request.is('application/json'));
    if (isOurs && isJson) return next();
    response.status(isOurs ? 415 : 421).json({ error: `send application/json to ${LOOPBACK}` });
  });
  app.use(express.json());
  app.get('/', (_request, response) => {
    response.type('html').send(controlPage(merchant, fake.troubles.list()));
  });
  app.get('/books', (_request, response) => {
    response.json(booksOf(merchant));
  });
  const does = (path: string, act: (id: string, body: unknown) => void) =>
    app.post(path, (request, response) => {
      act(String(request.params.id ?? ''), request.body ?? {});
      response.status(204).end();
    });
  does('/charges/:id/end', (id, body) => fake.settleCharge(merchant, id, Ended.parse(body).approved));
  does('/charges/:id/chargeback', (id, body) => fake.chargeback(merchant, id, Taken.parse(body).amount));
  does('/refunds/:id/settle', (id, body) => fake.settleRefund(merchant, id, Made.parse(body).made));
  does('/cards/:id/expire', (id) => fake.expireCard(merchant, id));
  does('/hook', (_, body) => {
    merchant.hookUrl = Hook.parse(body).url;
  });
  does('/domains', (_, body) => void merchant.domains.add(Domain.parse(body).domain));
  does('/troubles', (_, body) => fake.troubles.set(Trouble.parse(body)));
  app.get('/troubles', (_request, response) => {
    response.json(fake.troubles.list());
  });
  app.delete('/troubles', (_request, response) => {
    fake.troubles.clear();
    response.status(204).end();
  });
  app.use((_request, response) => {
    response.status(404).json({ error: 'no such thing here (docs/design/fake-pagarme.md#by-hand)' });
  });
  app.use(refused);
  return app;
}

/** Whatever was asked for does not go: the one who asked reads why. */
const refused: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof Refused ? error.answer.status : 400;
  const reason = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error;
  response.status(status).json({ error: String(reason) });
};

/** On loopback alone: whoever reaches it moves money as they like. */
export async function startControl(fake: FakePagarme, merchant: Merchant, port: number): Promise<string> {
  const server = controlApp(fake, merchant).listen(port, LOOPBACK);
  await once(server, 'listening');
  return `http://${LOOPBACK}:${port}`;
}
