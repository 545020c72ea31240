import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { unwrap } from '@fatura/sdk/webhooks';
import { onTestFinished } from 'vitest';

/** A receiver on the merchant's machine, which believes what is signed alone. */
export interface LocalReceiver {
  readonly url: string;
  readonly port: number;
  /** The ids of what came signed, repeats among them, whatever was answered. */
  readonly received: string[];
  readonly types: string[];
  readonly bodies: string[];
  /** Why deliveries were not believed. */
  readonly refused: unknown[];
  secret: string;
  /** What is answered; it may wait. */
  answer: () => Promise<number> | number;
  stop(): Promise<void>;
}

export async function startLocalReceiver(port = 0): Promise<LocalReceiver> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  // A server that listens on TCP has an address of this form.
  const address = server.address() as AddressInfo;
  const receiver: LocalReceiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    received: [],
    types: [],
    bodies: [],
    refused: [],
    secret: '',
    answer: () => 200,
    stop,
  };
  server.on('request', async (request, response) => {
    const body = await buffer(request);
    try {
      const event = await unwrap(body, request.headers, { secrets: receiver.secret });
      receiver.received.push(event.id);
      receiver.types.push(event.type);
      receiver.bodies.push(body.toString());
      response.writeHead(await receiver.answer()).end();
    } catch (error) {
      receiver.refused.push(error);
      response.writeHead(400).end();
    }
  });
  return receiver;
}
