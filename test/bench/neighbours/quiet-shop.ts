import { setTimeout as sleep } from 'node:timers/promises';
import { Latencies, type Summary } from '../latencies.ts';
import { getRequest, postRequest, RawConnection } from '../raw-http.ts';
import type { Seeds } from '../seeds.ts';

const CONNECTIONS = 2;
/** Between the requests of a connection: a shop that sells, and no load of its own. */
const PAUSE_MS = 10;

interface Shop {
  readonly port: number;
  readonly apiKey: string;
  readonly seeds: Seeds;
  /** A new Idempotency-Key. */
  readonly key: () => string;
}

/** What is measured in several windows, taken together. */
export interface Measurement {
  take(seconds: number): Promise<void>;
  summary(): Summary;
  /** Answers that were no success. */
  readonly refused: number;
}

/** A merchant who sells now and then: looks a customer up, makes an invoice, shows the newest ones. */
export class QuietShop {
  readonly #shop: Shop;
  readonly #connections: readonly RawConnection[];
  #turn = 0;

  private constructor(shop: Shop, connections: readonly RawConnection[]) {
    this.#shop = shop;
    this.#connections = connections;
  }

  static async open(shop: Shop): Promise<QuietShop> {
    const opened = Array.from({ length: CONNECTIONS }, () => RawConnection.open(shop.port));
    return new QuietShop(shop, await Promise.all(opened));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  measurement(): Measurement {
    const latencies = new Latencies();
    let refused = 0;
    let measuredSeconds = 0;
    const lane = async (connection: RawConnection, untilMs: number): Promise<void> => {
      while (performance.now() < untilMs) {
        const startedMs = performance.now();
        const { status } = await connection.send(this.#next());
        if (status < 300) latencies.add(performance.now() - startedMs);
        else refused += 1;
        await sleep(PAUSE_MS);
      }
    };
    return {
      take: async (seconds) => {
        const untilMs = performance.now() + seconds * 1_000;
        await Promise.all(this.#connections.map((connection) => lane(connection, untilMs)));
        measuredSeconds += seconds;
      },
      summary: () => latencies.summary(measuredSeconds),
      get refused() {
        return refused;
      },
    };
  }

  #next(): string {
    const { port, apiKey, seeds, key } = this.#shop;
    this.#turn += 1;
    const customer_id = seeds.customers[this.#turn % seeds.customers.length] ?? '';
    const price_id = seeds.prices[this.#turn % seeds.prices.length] ?? '';
    const headers = { Authorization: `ApiKey ${apiKey}` };
    if (this.#turn % 3 === 0) return getRequest({ port, path: '/api/v1/invoices?limit=10', headers });
    if (this.#turn % 3 === 1) return getRequest({ port, path: `/api/v1/customers/${customer_id}`, headers });
    const body = JSON.stringify({ invoice: { customer_id, line_items: [{ price_id, quantity: 1 }] } });
    return postRequest({ port, path: '/api/v1/invoices', headers: { ...headers, 'Idempotency-Key': key() }, body });
  }
}
