import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fatura } from '../../../sdk/src/index.ts';
import { Latencies } from '../latencies.ts';
import { postRequest, RawConnection } from '../raw-http.ts';
import type { Teardown } from '../teardown.ts';
import type { Measurement } from './quiet-shop.ts';

/** Between two events. */
const PAUSE_MS = 40;
/** What has not arrived by then is lost to whoever waits for it. */
const ARRIVES_WITHIN_MS = 10_000;
const LOOK_MS = 20;

/** A sandbox that makes an event now and then, and its receiver: how long each takes from the answer until it arrives. */
export class QuietDeliveries {
  readonly #connection: RawConnection;
  readonly #request: string;
  readonly #arrivedMs = new Map<string, number>();

  private constructor(connection: RawConnection, request: string) {
    this.#connection = connection;
    this.#request = request;
  }

  static async open(teardown: Teardown, { port, apiKey }: { port: number; apiKey: string }): Promise<QuietDeliveries> {
    const headers = { Authorization: `ApiKey ${apiKey}` };
    const body = JSON.stringify({ product: { name: 'Curso' } });
    const request = postRequest({ port, path: '/api/v1/products', headers, body });
    const quiet = new QuietDeliveries(await RawConnection.open(port), request);
    const server = createServer(async (received, response) => {
      const event = JSON.parse(await text(received));
      response.writeHead(204).end();
      quiet.#arrivedMs.set(event.data.object.id, performance.now());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    teardown.add(async () => {
      quiet.#connection.close();
      server.closeAllConnections();
      server.close();
    });
    const fatura = new Fatura({ apiKey, baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
    // A server that listens on TCP has an address of this form.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/quiet`;
    await fatura.webhookEndpoints.create({ url, event_types: ['product.created'] });
    return quiet;
  }

  measurement(): Measurement {
    const latencies = new Latencies();
    let missed = 0;
    let measuredSeconds = 0;
    return {
      take: async (seconds) => {
        const sent = await this.#send(seconds);
        const untilMs = performance.now() + ARRIVES_WITHIN_MS;
        for (const { id, answeredMs } of sent) {
          while (id !== null && !this.#arrivedMs.has(id) && performance.now() < untilMs) await sleep(LOOK_MS);
          const arrivedMs = id === null ? undefined : this.#arrivedMs.get(id);
          if (arrivedMs === undefined) missed += 1;
          else latencies.add(Math.max(0, arrivedMs - answeredMs));
        }
        measuredSeconds += seconds;
      },
      summary: () => latencies.summary(measuredSeconds),
      get refused() {
        return missed;
      },
    };
  }

  /** The products that were made; null: one that was refused. */
  async #send(seconds: number): Promise<{ id: string | null; answeredMs: number }[]> {
    const sent: { id: string | null; answeredMs: number }[] = [];
    for (const untilMs = performance.now() + seconds * 1_000; performance.now() < untilMs; await sleep(PAUSE_MS)) {
      const { status, body } = await this.#connection.send(this.#request);
      const id = status < 300 ? String(JSON.parse(body.toString()).id) : null;
      sent.push({ id, answeredMs: performance.now() });
    }
    return sent;
  }
}
