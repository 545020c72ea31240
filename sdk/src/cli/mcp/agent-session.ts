import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Fatura } from '../../index.ts';
import { callRoute, isKeyed } from './calls.ts';
import { checkoutOf, refuseCards } from './cards.ts';
import { Confirmations } from './confirmations.ts';
import { CallKeys, digestOf } from './keys.ts';
import { Budget, CallRate, reais } from './limits.ts';
import { isConfirmed, policyOf } from './policy.ts';
import { type Args, lookAhead, type Preview } from './previews.ts';
import { isUnknown, Refusal } from './refusal.ts';
import { type Mode, type Offer, offersOf, routeOfTool, takesCards, withLimit } from './tools.ts';

type RouteOffer = Extract<Offer, { route: unknown }>;

/** Asks the person behind the client; null: the client has no way to ask. */
export type Ask = ((words: string) => Promise<boolean>) | null;

export interface SessionOptions extends Mode {
  readonly fatura: Fatura;
  /** Cents. */
  readonly maxAmount: number;
  readonly confirmWithinMs: number;
  /** A line for whoever started the server. */
  readonly tell: (line: string) => void;
}

interface Request {
  readonly name: string;
  readonly args: Args;
  readonly signal: AbortSignal;
  readonly ask: Ask;
}

/** What an agent does through this server between its start and its end, within its limits. */
export class AgentSession {
  readonly offers: ReadonlyMap<string, Offer>;
  readonly #options: SessionOptions;
  readonly #validator = new AjvJsonSchemaValidator();
  readonly #rate = new CallRate();
  readonly #budget: Budget;
  readonly #confirmations: Confirmations;
  readonly #keys = new CallKeys();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.offers = offersOf(options);
    this.#budget = new Budget(options.maxAmount);
    this.#confirmations = new Confirmations(options.confirmWithinMs);
  }

  /** Does what a tool says, or answers what it would do; rejects with what a model is told as an error. */
  async call({ name, args, signal, ask }: Request): Promise<unknown> {
    this.#rate.take(Date.now());
    const offer = this.offers.get(name) ?? this.#refuseUnknown(name);
    if ('route' in offer && takesCards(offer.route)) refuseCards(args);
    this.#validate(offer, args);
    if (!('route' in offer)) return offer.read(this.#options.fatura, args, signal);
    if (offer.policy === 'reads') return this.#send(offer, withLimit(offer.tool, args), null, signal);
    if (offer.policy === 'confirmed') return this.#confirmed(offer, args, { signal, ask });
    const { idempotency_key: _, ...fields } = args;
    const digest = digestOf(name, args);
    const key = this.#keys.keyOf(digest, { nowMs: Date.now(), isAnew: false });
    return this.#write(offer, fields, { digest, key, words: name, signal });
  }

  #refuseUnknown(name: string): never {
    const route = routeOfTool.get(name);
    if (route === undefined) throw new Refusal('TOOL_UNKNOWN', `no such tool: ${name.slice(0, 100)}`);
    const policy = policyOf(route);
    if (typeof policy === 'object') throw new Refusal('TOOL_UNKNOWN', `${name} is not offered. ${policy.withheld}`);
    if (this.#options.writes) throw new Refusal('TOOL_UNKNOWN', `${name} is not offered with a live key`);
    throw new Refusal(
      'READ_ONLY',
      `${name} changes something, and this server only reads: a person can start it with --allow-writes`,
    );
  }

  #validate({ tool }: Offer, args: Args): void {
    // The tool's schema is a plain JSON schema, whichever names its type has.
    const schema = tool.inputSchema as Parameters<AjvJsonSchemaValidator['getValidator']>[0];
    const { valid, errorMessage } = this.#validator.getValidator(schema)(args);
    if (!valid)
      throw new Refusal('PARAMETER_INVALID', errorMessage ?? 'the arguments do not fit the schema of the tool');
  }

  /** Looks ahead, has it confirmed, and acts: once, and as it was shown. */
  async #confirmed(offer: RouteOffer, given: Args, { signal, ask }: Pick<Request, 'signal' | 'ask'>): Promise<unknown> {
    const { route, tool } = offer;
    if (!isConfirmed(route)) throw new Error(`${route} is not among those that are confirmed`);
    const { confirmation_token: token, ...args } = given;
    const digest = digestOf(tool.name, args);
    const preview = await lookAhead(this.#options.fatura, route, args);
    const shown = digestOf(digest, preview);
    if (token !== undefined) this.#confirmations.take(String(token), shown, Date.now());
    // What may have been moved by the same call is counted already.
    const amount = this.#keys.isOpen(digest) ? 0 : preview.amount;
    this.#budget.check(amount);
    if (token === undefined) {
      if (ask === null) return this.#offerConfirmation(preview, shown);
      if (!(await ask(preview.words)))
        throw new Refusal('NOT_CONFIRMED', 'the person did not say yes; nothing was done');
    }
    const key = this.#keys.keyOf(digest, { nowMs: Date.now(), isAnew: true });
    const giveBack = this.#budget.take(amount);
    try {
      return await this.#write(offer, preview.args ?? args, { digest, key, words: preview.words, signal });
    } catch (error) {
      if (!isUnknown(error)) giveBack();
      throw error;
    }
  }

  #offerConfirmation({ words, amount }: Preview, shown: string): object {
    return {
      confirmation_needed: words,
      nothing_was_done: true,
      ...(amount > 0 ? { amount, left_of_this_session: this.#budget.left } : {}),
      confirmation_token: this.#confirmations.offer(shown, Date.now()),
      good_for_seconds: this.#confirmations.lifeMs / 1_000,
      next: 'Tell the person exactly this. After their yes call again with the same arguments and the token.',
    };
  }

  async #write(
    offer: RouteOffer,
    args: Args,
    { digest, key, words, signal }: { digest: string; key: string; words: string; signal: AbortSignal },
  ): Promise<unknown> {
    try {
      const answer = await this.#send(offer, args, key, signal);
      this.#keys.settle(digest, 'done');
      this.#options.tell(`${offer.tool.name}: ${words}`);
      return answer;
    } catch (error) {
      this.#keys.settle(digest, isUnknown(error) ? 'unknown' : 'refused');
      throw error;
    }
  }

  #send({ route }: RouteOffer, args: Args, key: string | null, signal: AbortSignal): Promise<unknown> {
    const sent = takesCards(route) ? { id: args.id, ...checkoutOf(args) } : args;
    return callRoute(this.#options.fatura, route, sent, { idempotencyKey: isKeyed(route) ? key : null, signal });
  }

  /** What the instructions say of the limits. */
  get limits(): string {
    return `This session may move ${reais(this.#budget.left)} in all.`;
  }
}
