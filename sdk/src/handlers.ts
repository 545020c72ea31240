import { secretBytes } from './secrets.ts';
import { type UnwrapOptions, unwrap, type WebhookEvent, WebhookVerificationError } from './unwrap.ts';

/** Many times the longest event. */
const BODY_BYTES_MAX = 1_048_576;

export interface HandlerOptions extends Omit<UnwrapOptions, 'now'> {
  /**
   * Called with each delivery that is to be believed. Once it resolves the delivery is answered 200; what it throws is
   * answered 500, and the service sends the event again. Deliveries may repeat: deduplicate on `event.id`.
   */
  onEvent: (event: WebhookEvent) => Promise<void> | void;
  /** Told of what was refused and of what `onEvent` threw; default `console.error`. */
  onError?: ((error: unknown) => void) | undefined;
}

/** A request as Node and Express give it. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Set where a parser ran before: raw bytes or text will do, a parsed object will not. */
  readonly body?: unknown;
}

/** An answer as Node and Express take it. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

class BodyTooLong extends Error {}

async function readBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new BodyTooLong(`the body has more than ${BODY_BYTES_MAX} bytes`);
    read.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of read) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Not every runtime lets a stream be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return;
    yield value;
  }
}

interface Delivery {
  readonly method: string | undefined;
  readonly headers: Headers | NodeRequest['headers'];
  readonly read: () => Promise<string | Uint8Array>;
}

interface HandlerAnswer {
  readonly status: number;
  readonly text: string;
}

function refusalOf(error: unknown): HandlerAnswer {
  if (error instanceof WebhookVerificationError && error.code !== 'SECRET_INVALID') {
    return { status: 400, text: error.code };
  }
  return error instanceof BodyTooLong ? { status: 413, text: 'BODY_TOO_LONG' } : { status: 500, text: '' };
}

async function handle(
  { method, headers, read }: Delivery,
  { onEvent, onError = console.error, ...options }: HandlerOptions,
): Promise<HandlerAnswer> {
  if (method !== 'POST') return { status: 405, text: '' };
  try {
    await onEvent(await unwrap(await read(), headers, options));
    return { status: 200, text: '' };
  } catch (error) {
    onError(error);
    return refusalOf(error);
  }
}

/**
 * A receiver of deliveries where requests and answers are those of fetch: Next.js, Hono, Cloudflare Workers, Bun, Deno.
 *
 * Answers 200 when `onEvent` has resolved, 400 to what is not to be believed, 405 to what is no POST, 413 above 1 MiB, and
 * 500 to what `onEvent` throws. Throws `SECRET_INVALID` itself where `secrets` has none, or one of a wrong form.
 */
export function toFetchHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  secretBytes(options.secrets); // a mistake of the configuration is told now, not at the first delivery
  return async (request) => {
    const { method, headers } = request;
    const { status, text } = await handle({ method, headers, read: () => readBytes(chunksOf(request.body)) }, options);
    return new Response(text, { status, ...(status === 405 ? { headers: { Allow: 'POST' } } : {}) });
  };
}

const PARSED = 'the body was parsed before the handler: mount it ahead of express.json(), or behind express.raw()';

async function readNodeBody(request: NodeRequest): Promise<string | Uint8Array> {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null) throw new TypeError(PARSED);
  return readBytes(request);
}

/**
 * The same for a server of Node or a route of Express, which takes the raw body: mount it ahead of `express.json()`.
 * A body that was parsed before is answered 500, for its bytes are lost.
 */
export function toNodeHandler(
  options: HandlerOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  secretBytes(options.secrets); // a mistake of the configuration is told now, not at the first delivery
  return async (request, response) => {
    const { method, headers } = request;
    const { status, text } = await handle({ method, headers, read: () => readNodeBody(request) }, options);
    response.statusCode = status;
    if (status === 405) response.setHeader('Allow', 'POST');
    response.end(text);
  };
}
