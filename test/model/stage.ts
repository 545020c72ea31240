import type pg from 'pg';
import { Fatura } from '../../sdk/src/index.ts';
import type { Deps } from '../../server/deps.ts';
import { type AnotherProcess, startAnother } from '../api/another-process.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newPrice } from '../support/factories.ts';
import { rolesOf } from '../support/roles.ts';
import { WeatherBank } from './bank.ts';
import { type Books, readBooks } from './books.ts';
import { Worker } from './worker.ts';

/** One step at which a deed is interrupted: the process ends there, or something else happens first. */
class Interruption {
  #at: { readonly step: string; readonly work: () => Promise<unknown> } | null = null;
  hasCrashed = false;

  readonly hook = async (step: string): Promise<void> => {
    if (this.#at?.step !== step) return;
    const { work } = this.#at;
    this.#at = null;
    await work();
  };

  crashAt(step: string): void {
    this.meanwhile(step, () => {
      this.hasCrashed = true;
      return Promise.reject(new Error(`the process ends at ${step}`));
    });
  }

  meanwhile(step: string, work: () => Promise<unknown>): void {
    this.#at = { step, work };
  }

  clear(): void {
    this.#at = null;
    this.hasCrashed = false;
  }
}

/** Where a deed is done: a process of the service, and what surrounds it. */
export interface Site {
  readonly deps: Deps;
  readonly worker: Worker;
  readonly interruption: Pick<Interruption, 'hasCrashed'>;
  /** The SDK; it makes up a key of its own where none is given, so that without one it needs a fetch that drops it. */
  client(key: string | null): Fatura;
  passRealTime(seconds: number): Promise<void>;
}

/** The service in process with everything around it that a run may turn: bank, clock, worker, interruptions. */
export class Stage implements Site {
  readonly api: TestApi;
  readonly bank: WeatherBank;
  readonly worker = new Worker(() => this.deps);
  readonly interruption: Interruption;
  readonly #merchant: Merchant;
  readonly #unkeyed: Fatura;
  readonly #prices = new Map<number, string>();
  readonly #openedAtMs = performance.now();
  #another: Promise<AnotherProcess> | null = null;
  /** Real seconds that the test let pass. */
  passed = 0;

  private constructor(api: TestApi, merchant: Merchant, interruption: Interruption) {
    this.api = api;
    this.interruption = interruption;
    this.#merchant = merchant;
    this.bank = new WeatherBank(api, merchant.accountId);
    const { baseUrl } = api;
    this.#unkeyed = new Fatura({ apiKey: merchant.sandboxKey, baseUrl, retries: 0, fetch: fetchWithoutKey });
  }

  static async open(): Promise<Stage> {
    const interruption = new Interruption();
    const api = await startApi({ failpoint: interruption.hook });
    return new Stage(api, await api.newMerchant(), interruption);
  }

  /** Proves the invariants of the whole database and takes everything down. */
  async close(): Promise<void> {
    await (await this.#another)?.stop();
    await this.api.stop();
  }

  /** Real seconds since it opened, with those that the test let pass. */
  get elapsed(): number {
    return this.passed + (performance.now() - this.#openedAtMs) / SECOND_MS;
  }

  get deps(): Deps {
    return this.api.composition.deps;
  }

  /** For what a test itself prepares. */
  get superuser(): pg.Pool {
    return rolesOf(this.deps.pool).superuser;
  }

  /** Another process of the service on the same database: it knows of a key what the database knows. */
  async elsewhere(): Promise<Site> {
    this.#another ??= startAnother(this.api);
    const { baseUrl } = await this.#another;
    const fatura = sdkFor(baseUrl, this.#merchant.sandboxKey);
    const passRealTime = (seconds: number): Promise<void> => this.passRealTime(seconds);
    return {
      deps: this.deps,
      worker: this.worker,
      interruption: { hasCrashed: false },
      client: () => fatura,
      passRealTime,
    };
  }

  client(key: string | null): Fatura {
    return key === null ? this.#unkeyed : this.#merchant.fatura;
  }

  /** Open invoices of a fresh customer. */
  async newInvoices(amounts: readonly number[]): Promise<string[]> {
    const { id: customer } = await newCustomer(this.#merchant);
    const ids: string[] = [];
    for (const amount of amounts) {
      const price_id = await this.#priceOf(amount);
      const lines = [{ price_id, quantity: 1 }];
      ids.push((await this.#merchant.fatura.invoices.create({ customer_id: customer, line_items: lines })).id);
    }
    return ids;
  }

  async #priceOf(amount: number): Promise<string> {
    const known = this.#prices.get(amount);
    if (known !== undefined) return known;
    const { id } = await newPrice(this.#merchant, { unit_amount: amount, card_installments_enabled: true });
    this.#prices.set(amount, id);
    return id;
  }

  read(invoice: string): Promise<Books> {
    return readBooks(this.superuser, { invoice, now: this.api.clock.now() });
  }

  /** As a process that died leaves it: the key stays held for 90 s. Answers until when; 0: it was answered. */
  async holdKey(lease: string | null): Promise<number> {
    const held = await this.superuser.query({ name: 'model_hold_key', text: HOLD, values: [lease, LEASE_SECONDS] });
    return held.rowCount === 0 ? 0 : this.elapsed + LEASE_SECONDS;
  }

  /** Leaves nothing of a run that failed to the next one. */
  async forget(): Promise<void> {
    this.worker.forget();
    this.bank.forget();
    await this.deps.pool.query('DELETE FROM outbox');
  }

  /** Time passes everywhere but on the accounts' clock: what the database and the bank keep of it becomes older. */
  async passRealTime(seconds: number): Promise<void> {
    this.passed += seconds;
    this.bank.passes(seconds);
    await this.superuser.query({ name: 'model_older', text: OLDER, values: [seconds] });
  }
}

const SECOND_MS = 1_000;
const LEASE_SECONDS = 90;
const HOLD = `UPDATE idempotency_key SET lease_until = now() + make_interval(secs => $2)
  WHERE status IS NULL AND hash = (SELECT hash FROM idempotency_key WHERE attempt_id = $1 ORDER BY created_at DESC LIMIT 1)`;

const ago = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = ${column} - make_interval(secs => $1)`).join(', ');

const OLDER = `WITH
  attempts AS (UPDATE charge_attempt SET ${ago(['deadline_at', 'unknown_at'])} WHERE status = 'sent'),
  keys AS (UPDATE idempotency_key SET ${ago(['lease_until'])} WHERE lease_until IS NOT NULL),
  charges AS (UPDATE sandbox_bank.charge SET ${ago(['received_at', 'deadline_at', 'completes_at'])}
    WHERE deadline_at > now() - interval '1 hour')
  UPDATE outbox SET ${ago(['due_at'])}`;

const fetchWithoutKey: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('Idempotency-Key');
  return fetch(input, { ...init, headers });
};
