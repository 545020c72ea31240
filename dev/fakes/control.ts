import { once } from 'node:events';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { z } from 'zod';

const LOOPBACK = '127.0.0.1';

/** What a person at a terminal or a browser may do with a fake. */
export interface Control<Trouble> {
  readonly troubles: { set(trouble: Trouble): void; clear(): void; list(): Trouble[] };
  /** All that it keeps. */
  readonly books: () => object;
  /** The same to be looked at: HTML. */
  readonly page: () => string;
  /** Where it is described. */
  readonly docs: string;
  /** The HTTP status of an error that is a refusal of its own. */
  readonly statusOf: (error: unknown) => number | undefined;
  /** What is done there by its path: it reads the `:id` and the body, and answers what is shown, if anything. */
  readonly acts: Readonly<Record<string, (id: string, body: unknown) => unknown>>;
}

function controlApp<Trouble>({ troubles, books, page, docs, statusOf, acts }: Control<Trouble>): Express {
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    // A page of another site can send no JSON here, nor read anything by a name of its own for this address.
    const isOurs = [LOOPBACK, 'localhost'].includes(request.hostname);
    const isJson = ['GET', 'DELETE'].includes(request.method) || Boolean(request.is('application/json'));
    if (isOurs && isJson) return next();
    response.status(isOurs ? 415 : 421).json({ error: `send application/json to ${LOOPBACK}` });
  });
  app.use(express.json());
  app.get('/', (_request, response) => void response.type('html').send(page()));
  app.get('/books', (_request, response) => void response.json(books()));
  app.get('/troubles', (_request, response) => void response.json(troubles.list()));
  app.delete('/troubles', (_request, response) => {
    troubles.clear();
    response.status(204).end();
  });
  // `set` reads what it is given.
  const all = { ...acts, '/troubles': (_: string, body: unknown) => troubles.set(body as Trouble) };
  for (const [path, act] of Object.entries(all)) {
    app.post(path, (request, response) => {
      const shown = act(String(request.params.id ?? ''), request.body ?? {});
      if (shown === undefined) response.status(204).end();
      else response.json(shown);
    });
  }
  app.use((_request, response) => {
    response.status(404).json({ error: `no such thing here (${docs})` });
  });
  /** Whatever was asked for does not go: the one who asked reads why. */
  const refused: ErrorRequestHandler = (error, _request, response, _next) => {
    const reason =
      error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error;
    response.status(statusOf(error) ?? 400).json({ error: String(reason) });
  };
  return app.use(refused);
}

/** On loopback alone: whoever reaches it moves money as they like. */
export async function startControl<Trouble>(control: Control<Trouble>, port: number): Promise<string> {
  const server = controlApp(control).listen(port, LOOPBACK);
  await once(server, 'listening');
  return `http://${LOOPBACK}:${port}`;
}
