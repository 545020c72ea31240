import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Fatura } from '../../index.ts';
import { callRoute, isKeyed } from './calls.ts';
import { checkoutOf, refuseCards } from './cards.ts';
import { clip } from './clip.ts';
import { Confirmations, mismatch, type Question } from './confirmations.ts';
import { CallKeys, digestOf, type SentCall } from './keys.ts';
import { Budget, CallRate, reais } from './limits.ts';
import { isConfirmed, isCreation, policyOf } from './policy.ts';
import { type Args, lookAhead, type Preview } from './previews.ts';
import { outcomeOf, Refusal } from './refusal.ts';
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
  /** Shows a person, and nobody else, the questions that stand. */
  readonly showPerson: (open: readonly Question[]) => Promise<void>;
}

interface Request {
  readonly name: string;
  readonly args: Args;
  readonly signal: AbortSignal;
  readonly ask: Ask;
}

/** What others wrote moves no cursor of a terminal. */
const printable = (words: string): string => words.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');

const REPEAT = 'Once more, as nobody knows yet what came of it; both together do it once:';

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
    const { idempotency_key: given, ...fields } = args;
    const digest = digestOf(name, args);
    const former =
      this.#keys.openOf(digest) ?? (isCreation(offer.route) ? this.#keys.doneOf(digest, Date.now()) : null);
    const key = given === undefined ? undefined : `mcp-${digest}`;
    const fresh = { digest, key, preview: { words: name, amount: 0 }, args: fields, giveBack: () => {} };
    return this.#write(offer, this.#keys.send(former ?? fresh), signal);
  }

  #refuseUnknown(name: string): never {
    const route = routeOfTool.get(name);
    if (route === undefined) throw new Refusal('TOOL_UNKNOWN', `no such tool: ${clip(name, 100)}`);
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
    const { confirmation_code: code, ...args } = given;
    const digest = digestOf(tool.name, args);
    // A call of unknown outcome is repeated as it was sent, whatever it would do if it were made now.
    const look = async (): Promise<Preview> =>
      this.#keys.openOf(digest)?.preview ?? (await lookAhead(this.#options.fatura, route, args));
    let preview = await look();
    const shown = digestOf(digest, preview);
    if (code !== undefined) await this.#takeUp(String(code), shown);
    else {
      const isRepeat = this.#keys.openOf(digest) !== null;
      if (!isRepeat) this.#budget.check(preview);
      const words = isRepeat ? `${REPEAT} ${preview.words}` : preview.words;
      if (ask === null) return this.#askForCode({ ...preview, words }, shown);
      if (!(await ask(words))) throw new Refusal('NOT_CONFIRMED', 'the person did not say yes; nothing was done');
      preview = await look(); // the person may have taken their time
    }
    return this.#write(offer, this.#sendConfirmed(digest, { shown, preview, args }), signal);
  }

  /** In one step without a wait, so that of two same calls the second is the repeat of the first and counts no amount. */
  #sendConfirmed(digest: string, { shown, preview, args }: { shown: string; preview: Preview; args: Args }): SentCall {
    const open = this.#keys.openOf(digest);
    if (digestOf(digest, open?.preview ?? preview) !== shown)
      throw mismatch('nothing was done: call again to ask anew');
    return this.#keys.send(
      open ?? { digest, preview, args: preview.args ?? args, giveBack: this.#budget.take(preview) },
    );
  }

  /** The person reads words and code from us alone: what an agent makes of the words confirms nothing. */
  async #askForCode({ words, amount }: Preview, shown: string): Promise<object> {
    const question = this.#confirmations.ask(shown, words, Date.now());
    if (question !== null) {
      this.#options.tell(`Confirm by ${question.code}, or do nothing: ${printable(words)}`);
      await this.#showPerson();
    }
    return {
      confirmation_needed: words,
      nothing_was_done: true,
      ...(amount > 0 ? { amount, left_of_this_session: this.#budget.left } : {}),
      good_for_seconds: this.#confirmations.lifeMs / 1_000,
      next: 'Tell the person exactly this, and ask for its code: they alone see it, in the terminal of this server or in the file of its confirmations. Call again with the same arguments and the code. Without it nothing is done, however often you ask.',
    };
  }

  async #takeUp(code: string, shown: string): Promise<void> {
    try {
      this.#confirmations.take(code, shown, Date.now());
    } finally {
      await this.#showPerson();
    }
  }

  #showPerson(): Promise<void> {
    return this.#options.showPerson(this.#confirmations.open(Date.now()));
  }

  async #write(offer: RouteOffer, call: SentCall, signal: AbortSignal): Promise<unknown> {
    try {
      const answer = await this.#send(offer, call.args, call.key, signal);
      this.#keys.settle(call, 'done', Date.now());
      this.#options.tell(`${offer.tool.name}: ${call.preview.words}`);
      return answer;
    } catch (error) {
      this.#keys.settle(call, outcomeOf(error), Date.now());
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
