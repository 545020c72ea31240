import { randomUUID } from 'node:crypto';
import { driveLanes, type Summary } from './latencies.ts';
import { postRequest, RawConnection } from './raw-http.ts';
import { serveTask } from './task.ts';

export interface ServiceLoad {
  readonly kind: 'invoice' | 'sale' | 'card';
  readonly port: number;
  readonly apiKey: string;
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly customers: readonly string[];
  readonly prices: readonly string[];
}

export interface ServiceLoadResult extends Summary {
  /** Everything that was answered 2xx, the warm-up and the end beyond the window included. */
  readonly succeeded: number;
  /** Other answers by their status. */
  readonly refused: Readonly<Record<string, number>>;
}

/** How each kind of sale is paid; an invoice alone is not. */
const CHECKOUTS = {
  invoice: null,
  sale: { payment_method_type: 'pix' },
  card: {
    payment_method_type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
  },
} as const;

const INVOICE_ID = /"id":"(in_[0-9a-z]{26})"/;
const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Any entry, another each time; a list without entries is a mistake of the caller. */
function pick(from: readonly string[], turn: number): string {
  const picked = from[turn % from.length];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

function createRequests({ port, apiKey, customers, prices }: ServiceLoad) {
  let turn = 0;
  const post = (path: string, body: object): string =>
    postRequest({
      port,
      path: `/api/v1${path}`,
      headers: { Authorization: `ApiKey ${apiKey}`, 'Idempotency-Key': randomUUID() },
      body: JSON.stringify(body),
    });
  return {
    invoice(): string {
      turn += 1;
      // 64 customers meet each of 64 prices, not always the same one.
      const price = pick(prices, turn + Math.floor(turn / prices.length));
      return post('/invoices', {
        invoice: { customer_id: pick(customers, turn), line_items: [{ price_id: price, quantity: 1 }] },
      });
    },
    checkout: (invoiceId: string, body: object): string => post(`/invoices/${invoiceId}/checkout`, body),
  };
}

async function load(input: ServiceLoad, report: { onBegin(): void; onEnd(): void }): Promise<ServiceLoadResult> {
  const requests = createRequests(input);
  const checkout = CHECKOUTS[input.kind];
  const connections = await Promise.all(
    Array.from({ length: input.connections }, () => RawConnection.open(input.port)),
  );
  const refused: Record<string, number> = {};
  let succeeded = 0;

  const send = async (connection: RawConnection, request: string) => {
    const answer = await connection.send(request);
    if (isSuccess(answer.status)) return answer;
    const what = `${answer.status} ${/"code":"(\w+)"/.exec(answer.body.toString('latin1'))?.[1] ?? ''}`.trim();
    refused[what] = (refused[what] ?? 0) + 1;
    return null;
  };

  const step = async (lane: number): Promise<boolean> => {
    const connection = connections[lane];
    if (connection === undefined) throw new Error(`no connection ${lane}`);
    const created = await send(connection, requests.invoice());
    if (created === null) return false;
    if (checkout !== null) {
      const id = INVOICE_ID.exec(created.body.toString('latin1'))?.[1];
      if (id === undefined) throw new Error('the answer to POST /invoices names no invoice');
      if ((await send(connection, requests.checkout(id, checkout))) === null) return false;
    }
    succeeded += 1;
    return true;
  };

  const summary = await driveLanes(input.connections, { ...input, ...report }, step);
  for (const connection of connections) connection.close();
  return { ...summary, succeeded, refused };
}

if (import.meta.main) serveTask(load);
