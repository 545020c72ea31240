import { type EventType, type Fatura, FaturaError } from '../index.ts';
import { pause } from '../retry.ts';
import { type Command, type Context, givenOf, serviceOptions } from './command.ts';
import { CliFailure, textOf } from './failure.ts';
import { addressOf, forward, isAccepted, type Outcome, outcomeText } from './forward.ts';
import { keepListener, type Listener, openListener, signingSecret } from './listener.ts';
import { openSession } from './session.ts';
import { clockText, durationOf, instantOf } from './time.ts';
import { typesIn } from './types.ts';

const WAIT_SECONDS = 20;
/** The service answers sooner; a connection that was cut says nothing. */
const SILENCE_MS = 30_000;
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 5_000;
/** The pauses before the further tries of an event that was refused; other events do not wait for them. */
const AGAIN_AFTER_MS = [2_000, 8_000];
/** So many refused events wait for a further try at once; one beyond them is given up. */
const AGAIN_MAX = 100;
/** A page of the feed; what is older is behind the cursor. */
const HANDLED_MAX = 200;
const TYPE_WIDTH = 32;

type Feed = Awaited<ReturnType<Fatura['events']['feed']>>;
type Asked = Parameters<Fatura['events']['feed']>[0];

interface Listening {
  readonly context: Context;
  readonly fatura: Fatura;
  readonly types: EventType[] | null;
  readonly secret: string;
  /** Refused events that are tried again. */
  readonly again: Set<Promise<void>>;
  listener: Listener;
  /** Whether the user was told that the service, or the receiver, is away. */
  cutOff: boolean;
  down: boolean;
  /** Whether the user was told that the receiver verifies with another secret. */
  mismatch: boolean;
}

const pauseAfter = (tries: number): number => Math.min(PAUSE_MS * 2 ** Math.min(tries, 10), PAUSE_MAX_MS);

/** Whether the same may succeed later without anybody's doing. */
const isPassing = (error: unknown): error is FaturaError =>
  error instanceof FaturaError &&
  (error.status === null || error.status === 429 || error.status >= 500 || error.code === 'RESPONSE_INVALID');

/** Asks the feed until it answers; null: the user wants it to end. */
async function ask(listening: Listening, query: Asked): Promise<Feed | null> {
  const { fatura, context } = listening;
  for (let tries = 0; !context.ended.aborted; tries += 1) {
    try {
      const feed = await fatura.events.feed(query, { signal: context.ended, timeoutMs: SILENCE_MS, retries: 0 });
      if (listening.cutOff) context.tell('The service answers again.');
      listening.cutOff = false;
      return feed;
    } catch (error) {
      if (context.ended.aborted) break;
      if (!isPassing(error)) throw error;
      if (!listening.cutOff) context.tell(`Cut off from the service: ${textOf(error)}. Trying until it answers.`);
      listening.cutOff = true;
      await pause(Math.max(pauseAfter(tries), (error.retryAfterSeconds ?? 0) * 1_000), context.ended);
    }
  }
  return null;
}

async function change(listening: Listening, changes: Partial<Listener>): Promise<void> {
  listening.listener = { ...listening.listener, ...changes };
  await keepListener(listening.context.env, listening.listener);
}

const lineOf = (event: Feed['data'][number], outcome: string): string =>
  `${clockText()}  ${event.type.padEnd(TYPE_WIDTH)}  ${event.id}  ${outcome}`.trimEnd();

/** Forwards an event once to a receiver that can be reached; null: the user wants it to end first. */
async function forwardOnceReached(
  listening: Listening,
  event: Feed['data'][number],
  url: string,
): Promise<Outcome | null> {
  const { context, secret } = listening;
  for (let tries = 0; !context.ended.aborted; tries += 1) {
    const outcome = await forward(url, event, secret);
    if (outcome.kind !== 'unreachable') {
      if (listening.down) context.tell(`${url} can be reached again.`);
      listening.down = false;
      return outcome;
    }
    if (!listening.down) {
      context.tell(
        `${url} cannot be reached (${outcome.reason}). Trying until it can; events wait. ` +
          'Where it listens on another port, say that with --forward-to.',
      );
    }
    listening.down = true;
    await pause(pauseAfter(tries), context.ended);
  }
  return null;
}

/** Says what became of a try; whether it was accepted. */
function sayOutcome({ context }: Listening, event: Feed['data'][number], outcome: Outcome): boolean {
  context.say(lineOf(event, `${outcomeText(outcome)}  ${outcome.ms} ms`));
  return isAccepted(outcome);
}

/** Tries a refused event again while others are forwarded. */
async function tryAgain(listening: Listening, event: Feed['data'][number], url: string): Promise<void> {
  const { context, secret } = listening;
  for (const ms of listening.again.size < AGAIN_MAX ? AGAIN_AFTER_MS : []) {
    await pause(ms, context.ended);
    if (context.ended.aborted) break;
    if (sayOutcome(listening, event, await forward(url, event, secret))) return;
  }
  context.tell(`${event.id} was not accepted. To send it again: fatura events resend ${event.id} --forward-to ${url}`);
}

/** Forwards an event; one that is refused is tried again later. False: the user wants it to end first. */
async function forwardOrSetAside(listening: Listening, event: Feed['data'][number], url: string): Promise<boolean> {
  const outcome = await forwardOnceReached(listening, event, url);
  if (outcome === null) return false;
  if (sayOutcome(listening, event, outcome)) return true;
  if (!listening.mismatch && outcome.kind === 'answered' && outcome.code === 'SIGNATURE_MISMATCH') {
    listening.mismatch = true;
    listening.context.tell(`${url} verifies with another secret: give it the one above, and start it anew.`);
  }
  const trying = tryAgain(listening, event, url).finally(() => listening.again.delete(trying));
  listening.again.add(trying);
  return true;
}

/** Deals with the events of one answer, in their order; false: the user wants it to end. */
async function take(listening: Listening, { data, cursor }: Feed): Promise<boolean> {
  const { context, listener } = listening;
  for (const event of data) {
    if (context.ended.aborted) return false;
    if (listening.listener.handled.includes(event.id)) continue;
    if (listener.forward_to === null) context.say(lineOf(event, ''));
    else if (!(await forwardOrSetAside(listening, event, listener.forward_to))) return false;
    await change(listening, { handled: [...listening.listener.handled, event.id] });
  }
  const ids = new Set(data.map(({ id }) => id));
  // What was handled before a restart may come with a later answer.
  const handled = listening.listener.handled.filter((id) => !ids.has(id)).slice(-HANDLED_MAX);
  if (cursor !== listening.listener.cursor) await change(listening, { cursor, handled });
  return true;
}

/** Where to begin; what the last run forwarded is remembered unless the user says otherwise. */
function beginningOf(since: string | undefined): Asked | null {
  if (since === undefined) return null;
  if (since === 'now') return {};
  if (/^evt_[0-9a-z]{26}$/.test(since)) return { cursor: since };
  const seconds = durationOf(since);
  return { since: seconds === null ? instantOf(since, '--since') : Math.floor(Date.now() / 1_000) - seconds };
}

async function listenOn(listening: Listening, beginning: Asked | null): Promise<void> {
  const { types } = listening;
  const { cursor: kept } = listening.listener;
  const filter = types === null ? {} : { type: types };
  let query: Asked = beginning ?? (kept === null ? {} : { cursor: kept });
  // The file keeps the former place until the first answer says the new one: nothing is lost between the two.
  if (beginning !== null) listening.listener = { ...listening.listener, handled: [] };
  for (let wait = 0, early = 0; ; wait = WAIT_SECONDS) {
    const askedMs = performance.now();
    // The first answer comes at once: it says where the feed is.
    const feed = await ask(listening, { ...query, ...filter, wait });
    if (wait === 0 && feed !== null) listening.context.tell('Ready.');
    if (feed === null || !(await take(listening, feed))) return;
    query = { cursor: feed.cursor };
    // A service that is about to end answers at once, with nothing.
    const isEarly = feed.data.length === 0 && feed.caught_up && performance.now() - askedMs < (wait * 1_000) / 2;
    early = isEarly ? early + 1 : 0;
    if (isEarly) await pause(pauseAfter(early), listening.context.ended);
  }
}

async function open(context: Context): Promise<Listening> {
  const asked = givenOf(context, 'forward-to');
  const url = asked === undefined ? null : addressOf(asked, context.env);
  const types = typesIn(givenOf(context, 'events'));
  const { fatura, baseUrl } = await openSession(context, { sandboxFor: 'listen' });
  const account = await fatura.account.retrieve({ signal: context.ended });
  const identity = { account: account.id, base_url: baseUrl, forward_to: url };
  const listener = await openListener(context.env, identity);
  const secret = await signingSecret(context.env, identity);
  const to = url === null ? '' : `, forwarding to ${url}`;
  context.tell(`Listening to the sandbox of ${account.name} (${account.id}) at ${baseUrl}${to}.`);
  if (url !== null) context.tell(`Signing secret, the same each time and at each address: ${secret}`);
  return { context, fatura, types, secret, again: new Set(), listener, cutOff: false, down: false, mismatch: false };
}

export const listen: Command = {
  name: 'listen',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: "Forward the sandbox's events to a receiver on this machine",
  details: `Each event is posted as a delivery would be, signed, one after the other; --forward-to absent, it is shown alone. A restart
goes on behind the last event. A receiver that cannot be reached is waited for. An event that it refuses is tried twice more, after 2 and
8 s, while the others go on.`,
  options: {
    ...serviceOptions,
    'forward-to': {
      type: 'string',
      value: 'url',
      help: 'Where to, such as http://localhost:4242/hook; of a path alone, /hook, the port is PORT.',
    },
    events: { type: 'string', value: 'types', help: 'Only these: invoice.paid,customer.*' },
    since: {
      type: 'string',
      value: 'place',
      help: 'Begin there, and not behind the last event: now, 15m, an instant, or behind an event (evt_…).',
    },
  },
  async run(context) {
    const beginning = beginningOf(givenOf(context, 'since'));
    const listening = await open(context).catch((error: unknown) => {
      if (context.ended.aborted) throw new CliFailure('Ended.');
      throw error;
    });
    await listenOn(listening, beginning);
    await Promise.all(listening.again);
    context.tell('Ended; a restart goes on from here.');
  },
};
