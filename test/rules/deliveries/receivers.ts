import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** A merchant's receiver on loopback: what came to it, and where it listens. */
export type Receiver = {
  port: number;
  url: string;
  /** Every connection ever accepted; those now open are not destroyed. */
  connections: Socket[];
  requests: { headers: IncomingMessage['headers']; url: string | undefined; body: string }[];
};

/** An HTTP receiver, over TLS if it is given a certificate. */
export async function httpReceiver(
  answer: RequestListener,
  certificate?: { cert: string; key: string },
): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, url: request.url, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  };
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener);
  server.keepAliveTimeout = 60_000;
  return listen(server, requests, certificate ? 'https' : 'http');
}

/** A receiver of bare TCP, for what no HTTP server would do; `heard` gets each chunk with its number on that connection. */
export async function tcpReceiver(
  heard: (connection: Socket, chunk: string, nth: number) => void,
  options: { protocol?: 'http' | 'https'; accepted?: (connection: Socket) => void } = {},
): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const server = createTcpServer((connection) => {
    let nth = 0;
    options.accepted?.(connection);
    connection.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      requests.push({ headers: {}, url: undefined, body: text });
      heard(connection, text, ++nth);
    });
  });
  return listen(server, requests, options.protocol ?? 'http');
}

async function listen(server: Server, requests: Receiver['requests'], protocol: string): Promise<Receiver> {
  const connections: Socket[] = [];
  server.on('connection', (connection: Socket) => {
    connections.push(connection);
    connection.on('error', () => {}); // the sender may hang up in the middle of an answer
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const connection of connections) connection.destroy();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { port, url: `${protocol}://127.0.0.1:${port}/hook`, connections, requests };
}

/** A port whose accept queue is full and whose owner sleeps: a new connection is neither taken nor refused. */
export async function deafPort(): Promise<number> {
  const worker = new Worker(
    `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port);
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000));
    });`,
    { eval: true },
  );
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = await once(worker, 'message');
  await new Promise((resolve) => setTimeout(resolve, 50)); // until the worker sleeps
  const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  return port;
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has one
  server.close();
  await once(server, 'close');
  return port;
}
