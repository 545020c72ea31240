import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly id: string;
  readonly type: string;
  /** When it happened. */
  readonly created: number;
  readonly object: { id: string };
}

/** A merchant's receiver: real HTTP, signatures verified by a library that is not ours. */
export interface Receiver {
  readonly url: string;
  /** Deliveries with a valid signature that were accepted, repeats among them. */
  readonly accepted: Received[];
  /** Every request, accepted or not. */
  requests: number;
  /** The body of what it answers. */
  text: string;
  /** The `webhook-signature` of the last request. */
  signature: string;
  /** The `traceparent` of the last request. */
  traceparent: string | undefined;
  secret: string;
  /** What it answers; it may wait. Set anew by a test to make it fail or hang. */
  answer: () => Promise<number> | number;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    accepted: [],
    requests: 0,
    text: '',
    signature: '',
    traceparent: undefined,
    secret: '',
    answer: () => 200,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', async (request, response) => {
    receiver.requests += 1;
    receiver.signature = String(request.headers['webhook-signature']);
    receiver.traceparent = request.headers.traceparent?.toString();
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const status = await receiver.answer();
    if (status >= 200 && status < 300) {
      // Headers of a request come as the library wants them.
      const verified = new Webhook(receiver.secret).verify(body, request.headers as Record<string, string>);
      const event = verified as { id: string; type: string; created: number; data: { object: { id: string } } };
      receiver.accepted.push({ id: event.id, type: event.type, created: event.created, object: event.data.object });
    }
    response.writeHead(status).end(receiver.text);
  });
  return receiver;
}
