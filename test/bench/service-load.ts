import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { driveLanes, type Summary } from './latencies.ts';
import { getRequest, postRequest, type RawAnswer, RawConnection } from './raw-http.ts';
import { serveTask } from './task.ts';

export interface ServiceLoad {
  readonly kind: 'invoice' | 'sale' | 'card' | 'session' | 'mixed';
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

/** How the invoice of a sale is paid. */
const CHECKOUTS = {
  sale: { payment_method_type: 'pix' },
  card: {
    payment_method_type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
  },
} as const;

const INVOICE_ID = /"id":"(in_[0-9a-z]{26})"/;
const PAGE_PATH = /"url":"http:\/\/[^/"]+([^"]+)"/;
const SESSION = {
  mode: 'payment',
  success_url: 'https://loja.test/obrigado',
  return_url: 'https://loja.test/carrinho',
};
const LISTS = ['/invoices', '/customers', '/events', '/subscriptions'];
/** A round of everything begins so often on each connection: a shop that is busy and leaves the machine room. */
const ROUND_MS = 1_000;
const BROWSER = { 'Accept-Encoding': 'gzip, deflate, br' };

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Any entry, another each time; a list without entries is a mistake of the caller. */
function pick(from: readonly string[], turn: number): string {
  const picked = from[turn % from.length];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

/** What is read of an answer; an answer without it is not the one that was asked for. */
function read(pattern: RegExp, { body }: RawAnswer): string {
  const found = pattern.exec(body.toString('latin1'))?.[1];
  if (found === undefined) throw new Error(`an answer lacks ${pattern}`);
  return found;
}

function createRequests({ port, apiKey, customers, prices }: ServiceLoad) {
  let turn = 0;
  // 64 customers meet each of 64 prices, not always the same one.
  const nextSale = () => {
    turn += 1;
    const price = pick(prices, turn + Math.floor(turn / prices.length));
    return { customer_id: pick(customers, turn), line_items: [{ price_id: price, quantity: 1 }] };
  };
  const post = (path: string, body: object): string =>
    postRequest({
      port,
      path: `/api/v1${path}`,
      headers: { Authorization: `ApiKey ${apiKey}`, 'Idempotency-Key': randomUUID() },
      body: JSON.stringify(body),
    });
  const fromPage = (path: string): string =>
    postRequest({ port, path, headers: { ...BROWSER, 'Sec-Fetch-Site': 'same-origin' }, body: '{}' });
  return {
    list: (path: string): string =>
      getRequest({ port, path: `/api/v1${path}`, headers: { Authorization: `ApiKey ${apiKey}` } }),
    invoice: (): string => post('/invoices', { invoice: nextSale() }),
    checkout: (invoiceId: string, body: object): string => post(`/invoices/${invoiceId}/checkout`, body),
    session: (): string => post('/checkout/sessions', { session: { ...SESSION, ...nextSale() } }),
    page: (path: string): string => getRequest({ port, path, headers: BROWSER }),
    makeQr: (path: string): string => fromPage(`${path}/pix`),
    pay: (path: string): string => fromPage(`${path}/simulation`),
  };
}

type Requests = ReturnType<typeof createRequests>;
/** Answers null for what was refused. */
type Send = (request: string) => Promise<RawAnswer | null>;
/** Everything of one sale, one request after the other; false: something of it was refused. */
type Sale = (requests: Requests, send: Send) => Promise<boolean>;

const checkedOut =
  (kind: keyof typeof CHECKOUTS): Sale =>
  async (requests, send) => {
    const created = await send(requests.invoice());
    return created !== null && (await send(requests.checkout(read(INVOICE_ID, created), CHECKOUTS[kind]))) !== null;
  };

/** A session of a customer, its page, and the QR code made there; answers the path of the page. */
async function openSession(requests: Requests, send: Send): Promise<string | null> {
  const created = await send(requests.session());
  if (created === null) return null;
  const path = read(PAGE_PATH, created);
  return (await send(requests.page(path))) !== null && (await send(requests.makeQr(path))) !== null ? path : null;
}

/** Every kind of sale and of list once, in a round that takes its time; the QR code of the page is paid. */
const mixed: Sale = async (requests, send) => {
  const endsMs = performance.now() + ROUND_MS;
  const answers = [await send(requests.invoice())];
  for (const kind of ['sale', 'card'] as const) if (!(await checkedOut(kind)(requests, send))) answers.push(null);
  const path = await openSession(requests, send);
  answers.push(path === null ? null : await send(requests.pay(path)));
  for (const list of LISTS) answers.push(await send(requests.list(list)));
  await sleep(Math.max(0, endsMs - performance.now()));
  return !answers.includes(null);
};

const sales: Readonly<Record<ServiceLoad['kind'], Sale>> = {
  invoice: async (requests, send) => (await send(requests.invoice())) !== null,
  sale: checkedOut('sale'),
  card: checkedOut('card'),
  session: async (requests, send) => (await openSession(requests, send)) !== null,
  mixed,
};

async function load(input: ServiceLoad, report: { onBegin(): void; onEnd(): void }): Promise<ServiceLoadResult> {
  const requests = createRequests(input);
  const connections = await Promise.all(
    Array.from({ length: input.connections }, () => RawConnection.open(input.port)),
  );
  const refused: Record<string, number> = {};
  let succeeded = 0;

  const send = async (connection: RawConnection, request: string): Promise<RawAnswer | null> => {
    const answer = await connection.send(request);
    if (isSuccess(answer.status)) return answer;
    const what = `${answer.status} ${/"code":"(\w+)"/.exec(answer.body.toString('latin1'))?.[1] ?? ''}`.trim();
    refused[what] = (refused[what] ?? 0) + 1;
    return null;
  };

  const step = async (lane: number): Promise<boolean> => {
    const connection = connections[lane];
    if (connection === undefined) throw new Error(`no connection ${lane}`);
    const isSold = await sales[input.kind](requests, (request) => send(connection, request));
    if (isSold) succeeded += 1;
    return isSold;
  };

  const summary = await driveLanes(input.connections, { ...input, ...report }, step);
  for (const connection of connections) connection.close();
  return { ...summary, succeeded, refused };
}

if (import.meta.main) serveTask(load);
