import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fatura } from '../../../sdk/src/index.ts';
import { postRequest } from '../raw-http.ts';
import { type Answers, authorization, flood, type Mode, type Scene } from './attacker.ts';

/** As many as an account may have in each mode. */
export const ENDPOINTS_MAX = 5;

/** A receiver of the attacker's own, which does with each delivery what it likes. */
export async function receive(answer: (response: ServerResponse) => void): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on TCP has an address of this form.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An attacker waits where it is told to: what it sets up is to stand. */
export const clientOf = ({ port }: { port: number }, apiKey: string): Fatura =>
  new Fatura({ apiKey, baseUrl: `http://127.0.0.1:${port}`, retries: 8 });

/** Subscribes as many endpoints as an account may have to all that happens; what is returned removes them. */
export async function subscribe(fatura: Fatura, urlOf: (nth: number) => string): Promise<() => Promise<void>> {
  const ids: string[] = [];
  for (let nth = 0; nth < ENDPOINTS_MAX; nth += 1)
    ids.push((await fatura.webhookEndpoints.create({ url: urlOf(nth), event_types: ['*'] })).id);
  return async () => {
    for (const id of ids) await fatura.webhookEndpoints.delete(id);
  };
}

const CONNECTIONS = 32;
const PRODUCT = JSON.stringify({ product: { name: 'x' } });

/** Subscribes endpoints and makes events for them, as many as the limits of the account let it; what is returned ends it and removes them. */
export async function floodEndpoints(
  scene: Scene,
  mode: Mode,
  urlOf: (nth: number) => string,
): Promise<() => Promise<Answers>> {
  const removeAll = await subscribe(clientOf(scene, scene.setUpKeys[mode]), urlOf);
  const { port } = scene;
  const request = postRequest({ port, path: '/api/v1/products', headers: authorization(scene, mode), body: PRODUCT });
  const end = flood(port, CONNECTIONS, () => request);
  return async () => {
    const answers = await end();
    await removeAll();
    return answers;
  };
}
