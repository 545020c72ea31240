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

interface Controlled {
  readonly psp: FakePsp;
  readonly merchant: MerchantCredentials;
  /** Moves the clock of the PSP ahead. Milliseconds. */
  readonly advance: (milliseconds: number) => void;
}

/** What a person at a terminal or a browser does with the PSP, for its one merchant. */
export function controlApp({ psp, merchant, advance }: Controlled): Express {
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
  recRoutes(app, { psp, merchant, advance });
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

const Ended = z.strictObject({
  by: z.enum(['PSP_PAGADOR', 'USUARIO_PAGADOR', 'PSP_RECEBEDOR', 'USUARIO_RECEBEDOR']).default('USUARIO_PAGADOR'),
});
const Decided = z.strictObject({
  outcome: z.union([z.literal('paid'), z.strictObject({ code: z.string().length(4) })]),
});
const Advanced = z.strictObject({
  hours: z
    .int()
    .min(1)
    .max(24 * 400),
});

const HOUR_MS = 3_600_000;

/** What payers and their bank do with recurrences and debits. */
function recRoutes(app: Express, { psp, merchant, advance }: Controlled): void {
  const acts = { approve: psp.approve, reject: psp.rejectRec, expire: psp.expireRec } as const;
  for (const [name, act] of Object.entries(acts)) {
    app.post(`/recs/:idRec/${name}`, (request, response) => {
      act(merchant, String(request.params.idRec));
      response.status(204).end();
    });
  }
  app.post('/recs/:idRec/cancel', (request, response) => {
    psp.cancelRec(merchant, request.params.idRec, Ended.parse(request.body ?? {}).by);
    response.status(204).end();
  });
  app.post('/cobrs/:txid/decide', (request, response) => {
    psp.decideDebit(merchant, request.params.txid, Decided.parse(request.body).outcome);
    response.status(204).end();
  });
  app.post('/clock', (request, response) => {
    advance(Advanced.parse(request.body).hours * HOUR_MS);
    psp.tick(merchant);
    response.status(204).end();
  });
}

/** Whatever was asked for does not go: the one who asked reads why. */
const refused: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof PspRefusal ? error.problem.status : 400;
  const reason = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error;
  response.status(status).json({ error: String(reason) });
};

/** On loopback alone: whoever reaches it pays and returns as they like. */
export async function startControl(controlled: Controlled, port: number): Promise<string> {
  const server = controlApp(controlled).listen(port, LOOPBACK);
  await once(server, 'listening');
  return `http://${LOOPBACK}:${port}`;
}
