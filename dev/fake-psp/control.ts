import { once } from 'node:events';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { z } from 'zod';
import { controlPage } from './control-page.ts';
import { PspRefusal } from './problem.ts';
import { type FakePsp, type MerchantCredentials, Trouble } from './psp.ts';

const Paid = z.strictObject({
  /** Cents; the cob's where none is given. */
  amount: z.int().min(1).optional(),
  late: z.boolean().optional(),
  notify: z.boolean().optional(),
});

const Returned = z.strictObject({
  amount: z.int().min(1).optional(),
  nature: z.enum(['MED_OPERACIONAL', 'MED_FRAUDE', 'MED_PIX_AUTOMATICO']),
  notify: z.boolean().optional(),
});

const Settled = z.strictObject({ status: z.enum(['DEVOLVIDO', 'NAO_REALIZADO']).optional() });

const LOOPBACK = '127.0.0.1';

/** What a person at a terminal or a browser does with the PSP, for its one merchant. */
export function controlApp(psp: FakePsp, merchant: MerchantCredentials): Express {
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
    response.type('html').send(controlPage(psp.profile.name, psp.books(merchant), psp.troubles.list()));
  });
  app.get('/books', (_request, response) => {
    response.json(psp.books(merchant));
  });
  app.post('/cobs/:txid/pay', (request, response) => {
    response.json({ endToEndId: psp.pay(merchant, request.params.txid, Paid.parse(request.body ?? {})) });
  });
  app.delete('/cobs/:txid', (request, response) => {
    psp.removeCob(merchant, request.params.txid);
    response.status(204).end();
  });
  app.post('/payments/:endToEndId/return', (request, response) => {
    response.json(psp.bankReturn(merchant, request.params.endToEndId, Returned.parse(request.body ?? {})));
  });
  app.post('/returns/settle', (request, response) => {
    const { status } = Settled.parse(request.body ?? {});
    response.json({ settled: psp.settleReturns(merchant, status) });
  });
  app.get('/troubles', (_request, response) => {
    response.json(psp.troubles.list());
  });
  app.post('/troubles', (request, response) => {
    psp.troubles.set(Trouble.parse(request.body));
    response.status(201).json(psp.troubles.list());
  });
  app.delete('/troubles', (_request, response) => {
    psp.troubles.clear();
    response.status(204).end();
  });
  app.use((_request, response) => {
    response.status(404).json({ error: 'no such thing here (docs/design/fake-psp.md#by-hand)' });
  });
  app.use(refused);
  return app;
}

/** Whatever was asked for does not go: the one who asked reads why. */
const refused: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof PspRefusal ? error.problem.status : 400;
  const reason = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error;
  response.status(status).json({ error: String(reason) });
};

/** On loopback alone: whoever reaches it pays and returns as they like. */
export async function startControl(psp: FakePsp, merchant: MerchantCredentials, port: number): Promise<string> {
  const server = controlApp(psp, merchant).listen(port, LOOPBACK);
  await once(server, 'listening');
  return `http://${LOOPBACK}:${port}`;
}
