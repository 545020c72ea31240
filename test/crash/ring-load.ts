import { randomUUID } from 'node:crypto';
import { Fatura, type Invoice } from '@fatura/sdk';
import { expect } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { CPF, unique } from '../support/factories.ts';

/** What was asked under an Idempotency-Key, and what it was answered. */
interface Told {
  readonly again: (fatura: Fatura) => Promise<unknown>;
  readonly answer: string;
}

/** Requests of one script that go now to the one and now to the other API, as a proxy before them sends them. */
function inTurns(baseUrls: readonly string[], first: number): typeof fetch {
  let turn = first;
  return (input, init) => {
    turn += 1;
    const base = baseUrls[turn % baseUrls.length];
    const { pathname, search } = new URL(String(input));
    return fetch(`${base}${pathname}${search}`, init);
  };
}

export interface LoadOptions {
  readonly apiKey: string;
  readonly baseUrls: readonly string[];
  readonly price: string;
  readonly monthly: string;
  readonly lanes: number;
}

/** What merchants and buyers ask without a pause until they are told to stop; each answer is looked at. */
export class RingLoad {
  readonly sold: Invoice[] = [];
  readonly subscriptions: string[] = [];
  readonly customers: { readonly id: string; readonly name: string; readonly email: string }[] = [];
  /** Of whatever went wrong; a client repeats what can be repeated before it tells of it. */
  readonly troubles: string[] = [];
  repeats = 0;
  pages = 0;
  readonly #options: LoadOptions;
  readonly #told: Told[] = [];
  readonly #running: Promise<unknown>;
  #isOpen = true;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#running = Promise.all(Array.from({ length: options.lanes }, (_, lane) => this.#lane(lane)));
  }

  /** How often a whole round was gone through. */
  get rounds(): number {
    return this.sold.length;
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    await this.#running;
  }

  /** Asks for everything once more that was asked for under a key, and opens every page. */
  async repeatAll(): Promise<void> {
    const fatura = this.#client(0);
    for (const { again, answer } of this.#told) expect(JSON.stringify(await again(fatura))).toBe(answer);
    for (const invoice of this.sold) await this.#openPage(fetch, invoice);
  }

  #client(lane: number): Fatura {
    const { apiKey, baseUrls } = this.#options;
    return new Fatura({ apiKey, baseUrl: baseUrls[0], fetch: inTurns(baseUrls, lane) });
  }

  async #lane(lane: number): Promise<void> {
    const fatura = this.#client(lane);
    const buyers = inTurns(this.#options.baseUrls, lane);
    while (this.#isOpen) {
      try {
        await this.#round(fatura, buyers);
      } catch (error) {
        this.troubles.push(String(error instanceof Error ? (error.stack ?? error) : error));
      }
    }
  }

  async #round(fatura: Fatura, buyers: typeof fetch): Promise<void> {
    const name = `Maria ${unique()}`;
    const person = { name, identifier: CPF, email: `${name.replace(' ', '')}@example.com`, phone: '11987654321' };
    const customer = await this.#keyed(fatura, (at, options) => at.customers.create(person, options));
    this.customers.push({ id: customer.id, name, email: person.email });
    const line_items = [{ price_id: this.#options.price, quantity: 1 }];
    const invoice = await this.#keyed(fatura, (at, options) =>
      at.invoices.create({ customer_id: customer.id, line_items }, options),
    );
    const paid = await this.#keyed(fatura, (at, options) => at.invoices.checkout(invoice.id, byCard(), options));
    expect(paid.status).toBe('paid');
    this.sold.push(paid);
    await this.#subscribe(fatura, customer.id);
    const told = this.#told[Math.floor(Math.random() * this.#told.length)];
    if (told !== undefined) expect(JSON.stringify(await told.again(fatura))).toBe(told.answer);
    this.repeats += 1;
    const [found] = (await fatura.customers.list({ email: person.email.toUpperCase() }).page()).data;
    expect(found?.name).toBe(name);
    const former = this.sold[Math.floor(Math.random() * this.sold.length)];
    if (former !== undefined) await this.#openPage(buyers, former);
  }

  async #subscribe(fatura: Fatura, customerId: string): Promise<void> {
    const { monthly } = this.#options;
    const { id } = await fatura.subscriptions.create({ customer_id: customerId, price_id: monthly });
    const card = cards[this.rounds % 2 === 0 ? 'approved' : 'mastercard'];
    const begun = await this.#keyed(fatura, (at, options) => at.subscriptions.checkout(id, byCard(card), options));
    expect(begun.status).toBe('active');
    this.subscriptions.push(id);
  }

  /** Asks under a key of its own and keeps the answer. */
  async #keyed<T>(
    fatura: Fatura,
    ask: (fatura: Fatura, options: { idempotencyKey: string }) => PromiseLike<T>,
  ): Promise<T> {
    const options = { idempotencyKey: randomUUID() };
    const answer = await ask(fatura, options);
    this.#told.push({ again: async (at) => ask(at, options), answer: JSON.stringify(answer) });
    return answer;
  }

  /** As a buyer does: a page that cannot be had now, while a process is started, is asked for once more. */
  async #openPage(buyers: typeof fetch, { payment_url: url, id }: Invoice): Promise<void> {
    const open = () => buyers(url ?? '', { headers: { accept: 'text/html' } });
    const first = await open().catch(() => null);
    const page = first === null || first.status === 503 ? await open() : first;
    expect(page.status, `the page of ${id}`).toBe(200);
    await page.text();
    this.pages += 1;
  }
}
