import { once } from 'node:events';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Identity, issue } from '../../dev/fake-psp/certificates.ts';

export interface CallbackReceiver {
  readonly url: string;
  /** Paths and bodies, in the order in which they came. */
  readonly received: { readonly path: string; readonly body: unknown }[];
  /** What it answers; set anew by a test. */
  answer: () => number;
  stop(): Promise<void>;
}

/** A merchant's server: it takes calls with a certificate of the PSP, and without one if it is `open`. */
export async function startCallbackReceiver(options: {
  authority: Identity;
  callbackCaPem: string;
  open?: boolean;
}): Promise<CallbackReceiver> {
  const identity = await issue(options.authority, { name: 'localhost', hosts: ['localhost'], days: 1 });
  const server = createServer({
    cert: identity.certificatePem,
    key: identity.keyPem,
    ca: options.callbackCaPem,
    requestCert: true,
    rejectUnauthorized: options.open !== true,
  });
  const receiver: CallbackReceiver = {
    url: '',
    received: [],
    answer: () => 200,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  server.on('request', async (request, response) => {
    const body = await text(request);
    receiver.received.push({ path: String(request.url), body: JSON.parse(body) });
    response.writeHead(receiver.answer()).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return Object.assign(receiver, { url: `https://localhost:${address.port}/calls` });
}
