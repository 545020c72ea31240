import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A line between a client and a service that can be cut: connections end, and none is taken until it is mended. */
export interface Cutter {
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function startCutter({ hostname, port }: URL): Promise<Cutter> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  // A server that listens on TCP has an address of this form.
  const { port: own } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(async () => {
    if (server.listening) await cut();
  });
  return { url: `http://127.0.0.1:${own}`, cut, mend: () => listen(own) };
}
