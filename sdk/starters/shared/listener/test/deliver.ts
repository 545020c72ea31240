import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { app } from '../src/app.ts';

/** Sends a delivery to the shop; answers the status. */
export async function deliver(body: string, headers: Record<string, string>): Promise<number> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP: not a pipe's name
  try {
    return (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body })).status;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
