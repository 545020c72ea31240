import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Chance } from '../fakes/random.ts';
import type { Callback, CallbackTopic, Payment } from './entries.ts';
import { endToEndId } from './ids.ts';
import type { Merchant } from './merchant.ts';
import type { PspProfile } from './profile.ts';
import type { Cobr, Rec } from './rec-entries.ts';
import type { RecViews } from './rec-views.ts';
import type { PspTroubles, Trouble, TroubleKind } from './troubles.ts';
import type { Views } from './views.ts';

export interface CallbackOptions {
  readonly profile: PspProfile;
  readonly views: Views;
  readonly recViews: RecViews;
  readonly troubles: PspTroubles;
  readonly chance: Chance;
  readonly clock: () => number;
  /** What the PSP shows to the merchant's server. */
  readonly certificate: { readonly certificatePem: string; readonly keyPem: string };
  /** Authorities beside the system's that the merchant's server may have its certificate from. */
  readonly trustedPem: string | undefined;
  /** Milliseconds before each further try. */
  readonly retries: readonly number[];
}

/** What the list of a callback is called. */
const LISTS = { pix: 'pix', rec: 'recs', cobr: 'cobsr' } as const satisfies Record<CallbackTopic, string>;
const ANSWER_TIMEOUT_MS = 5_000;
const DISORDERED_MS = 1_000;
const LATE_MS = 500;

/** The PSP's calls to merchants. */
export class Callbacks {
  private readonly options: CallbackOptions;
  private readonly agent: Agent;
  private readonly strangers: Agent;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly waiting = new Map<Merchant, () => void>();
  private readonly ending = new AbortController();

  constructor(options: CallbackOptions) {
    this.options = options;
    const { certificatePem: cert, keyPem: key } = options.certificate;
    const timeouts = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS };
    const ca = options.trustedPem === undefined ? {} : { ca: options.trustedPem };
    this.agent = new Agent({ ...timeouts, connect: { cert, key, ...ca } });
    this.strangers = new Agent({ ...timeouts, connect: ca });
  }

  /** Tells a merchant of payments with a txid, as they are now. */
  tell(merchant: Merchant, payments: readonly Payment[]): void {
    const told = payments.filter(({ txid }) => txid !== null).map((payment) => this.options.views.payment(payment));
    this.tellOf(merchant, 'pix', told, () => this.foreign(merchant));
  }

  /** Tells of a recurrence, as it is now. */
  tellOfRec(merchant: Merchant, rec: Rec): void {
    this.tellOf(merchant, 'rec', [this.options.recViews.recTold(rec)]);
  }

  /** Tells of a charge of a recurrence, as it is now. */
  tellOfCobr(merchant: Merchant, cobr: Cobr): void {
    const payments = cobr.payments.map((id) => this.options.views.payment(merchant.books.payment(id)));
    this.tellOf(merchant, 'cobr', [this.options.recViews.cobrTold(cobr, payments)]);
  }

  private tellOf(merchant: Merchant, topic: CallbackTopic, told: readonly object[], foreign?: () => object): void {
    const webhook = merchant.books.webhooks[topic];
    if (webhook === null || told.length === 0) return;
    const strikes = (kind: TroubleKind) =>
      this.options.troubles.strikes(kind, { merchant: merchant.clientId, operation: 'callback' });
    if (strikes('callback_none')) return;
    const entries = foreign !== undefined && strikes('callback_foreign') ? [foreign(), ...told] : told;
    const { body: form, suffixes } = this.options.profile.callback;
    const body = JSON.stringify(form === 'array' ? entries : { [LISTS[topic]]: entries });
    const url = (strikes('callback_astray') ? new URL('/astray', webhook.url).href : webhook.url) + suffixes[topic];
    this.plan(merchant, { url, body }, { times: strikes('callback_twice') ? 2 : 1, strikes });
  }

  private plan(
    merchant: Merchant,
    call: Pick<Callback, 'url' | 'body'>,
    { times, strikes }: { times: number; strikes: (kind: TroubleKind) => Trouble | null },
  ): void {
    const late = strikes('callback_late');
    const isDisordered = strikes('callback_disordered') !== null;
    const earlier = this.waiting.get(merchant);
    this.waiting.delete(merchant);
    const before = isDisordered
      ? this.theNext(merchant)
      : this.pause(late === null ? 0 : (late.milliseconds ?? LATE_MS));
    for (let time = 0; time < times; time++) {
      const callback: Callback = { ...call, answers: [], outcome: 'pending' };
      merchant.books.callbacks.push(callback);
      this.follow(before.then(() => this.send(callback, earlier)));
    }
  }

  /** Whether a URL refuses a call without a certificate and takes one with the PSP's. */
  async isGuarded(url: string): Promise<boolean> {
    const isTaken = (answer: number | string) => typeof answer === 'number' && answer < 300;
    if (isTaken(await post(this.strangers, url, '{}'))) return false;
    return isTaken(await post(this.agent, url, '{}'));
  }

  /** When no call is in flight or planned. */
  async quiet(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  async close(): Promise<void> {
    this.ending.abort();
    for (const release of this.waiting.values()) release();
    await Promise.all([this.agent.destroy(), this.strangers.destroy()]);
    await this.quiet();
  }

  private follow(work: Promise<void>): void {
    this.inFlight.add(work);
    work.finally(() => this.inFlight.delete(work));
  }

  /** Ends early when the PSP is closed. */
  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.ending.signal }).catch(() => {});
  }

  /** Resolves once another callback of the merchant was sent, or when none comes. */
  private theNext(merchant: Merchant): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.set(merchant, resolve);
    const timer = setTimeout(resolve, DISORDERED_MS);
    return promise.finally(() => clearTimeout(timer));
  }

  private async send(callback: Callback, then: (() => void) | undefined): Promise<void> {
    for (const pause of [0, ...this.options.retries]) {
      await this.pause(pause);
      if (this.ending.signal.aborted) return;
      const answer = await post(this.agent, callback.url, callback.body);
      callback.answers.push(answer);
      then?.();
      if (typeof answer === 'number' && answer >= 200 && answer < 300) {
        callback.outcome = 'accepted';
        return;
      }
    }
    callback.outcome = 'given_up';
  }

  /** A payment that this merchant never asked for. */
  private foreign(merchant: Merchant) {
    const { chance, clock, views } = this.options;
    const id = endToEndId(chance, clock());
    const txid = chance.text(26);
    return views.payment({ endToEndId: id, txid, amount: 100, key: merchant.pixKey, at: clock(), returns: [] });
  }
}

/** The status, or why there is none. */
async function post(dispatcher: Agent, url: string, body: string): Promise<number | string> {
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { dispatcher, method: 'POST', headers, body });
    await answer.body.dump();
    return answer.statusCode;
  } catch (error) {
    if (!(error instanceof Error)) return 'failed';
    return 'code' in error ? String(error.code) : error.name;
  }
}
