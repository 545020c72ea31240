import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fatura, FaturaError } from '@fatura/sdk';

/** Where the shop takes its events, on this machine. */
export interface ShopReceiver {
  /** From now on it answers so. */
  answer(status: 200 | 500): void;
  /** Switches the endpoint off, for nobody listens there any more; its deliveries stay to be looked at. */
  close(): Promise<void>;
}

const DESCRIPTION = 'Loja de demonstração';

/** Null: the service does not deliver to this machine, so there is no endpoint. */
export async function openReceiver({ webhookEndpoints }: Fatura): Promise<ShopReceiver | null> {
  let status = 200;
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(status === 200 ? 'ok' : 'fora do ar'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/eventos`;
  try {
    const event_types = ['invoice.*', 'subscription.*', 'refund.*', 'dispute.*'] as const;
    const { id } = await webhookEndpoints.create({ url, event_types: [...event_types], description: DESCRIPTION });
    const { failure } = await webhookEndpoints.test(id);
    if (failure === null)
      return {
        answer(answered) {
          status = answered;
        },
        async close() {
          await webhookEndpoints.update(id, { status: 'disabled' });
          stop();
        },
      };
    await webhookEndpoints.delete(id);
  } catch (error) {
    stop();
    if (error instanceof FaturaError && error.code === 'WEBHOOK_URL_REFUSED') return null;
    throw error;
  }
  stop();
  return null;
}
