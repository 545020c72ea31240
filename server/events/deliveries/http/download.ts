import { FairSemaphore } from '../../../kernel/fair-semaphore.ts';
import type { ConnectionPool, ReceiverConnection } from './connection-pool.ts';
import { bounded, describe, failureOf, lateDial, type SendFailure } from './failures.ts';
import type { Target } from './target-url.ts';

/** What is asked for, and how much of an answer and of time is too much. */
export type DownloadRequest = { target: Target; accept: string; bytesMax: number; timeoutMs: number };

/** What came of a download; `busy`: nothing was asked for, because too many others are in flight. */
export type Download =
  | {
      ok: true;
      content: Uint8Array;
      /** What the server calls it: bounded, printable, and not to be believed. */
      mediaType: string | null;
    }
  | { ok: false; failure: SendFailure | 'too_large' | 'busy'; detail: string };

const BOUNDS = { each: 4, total: 64 };
const MEDIA_TYPE_MAX = 100;
/** What may come beside the content, and what came before it was counted. */
const OVERHEAD_BYTES_MAX = 256 * 1_024;
/** Some servers answer nobody who does not say who it is. */
const USER_AGENT = 'Fatura-Downloads/1';

const refused = (failure: Extract<Download, { ok: false }>['failure'], detail: string): Download => ({
  ok: false,
  failure,
  detail: bounded(detail),
});

/** Fetches small files by the same guarded connections as deliveries, each by one that nothing else uses. */
export class Downloads {
  readonly #pool: ConnectionPool;
  readonly #semaphore = new FairSemaphore(BOUNDS);

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Never rejects for what a server does. A redirect is an answer like any other that is not 200. */
  async get(request: DownloadRequest): Promise<Download> {
    const release = this.#semaphore.tryAcquire(request.target.accountId);
    if (release === null) return refused('busy', 'too many others are in flight');
    try {
      return await fetchOver(this.#pool, request);
    } finally {
      release();
    }
  }
}

/** The answer, or that it is late: whatever is still in flight then goes with its connection. */
async function fetchOver(pool: ConnectionPool, request: DownloadRequest): Promise<Download> {
  const connection = pool.open(request.target);
  connection.bound(request.bytesMax + OVERHEAD_BYTES_MAX);
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<Download>((resolve) => {
    timer = setTimeout(() => resolve(refused(...late(request, connection))), request.timeoutMs);
  });
  try {
    return await Promise.race([answerOver(connection, request), end]);
  } finally {
    clearTimeout(timer);
    pool.discard(connection);
  }
}

async function answerOver(connection: ReceiverConnection, request: DownloadRequest): Promise<Download> {
  try {
    return await answerTo(request, connection);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refused(failureOf(error, connection), describe(error));
  }
}

async function answerTo(
  { target, accept, bytesMax }: DownloadRequest,
  { client }: ReceiverConnection,
): Promise<Download> {
  const { path } = target;
  const sent = { accept, 'user-agent': USER_AGENT };
  const answer = await client.request({ path, method: 'GET', headers: sent });
  const { statusCode: status, headers, body } = answer;
  // What is left of an answer goes with its connection.
  body.on('error', () => {});
  if (status >= 300 && status < 400) return refused('redirect_refused', `HTTP ${status}`);
  if (status !== 200) return refused('http_status', `HTTP ${status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return refused('too_large', `more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const type = headers['content-type'];
  const mediaType = typeof type === 'string' ? bounded(type, MEDIA_TYPE_MAX) : null;
  return { ok: true, content: Buffer.concat(chunks), mediaType };
}

function late({ target, timeoutMs }: DownloadRequest, { stage }: ReceiverConnection): [SendFailure, string] {
  return stage === 'open'
    ? ['timeout', `not there within ${timeoutMs} ms`]
    : lateDial(stage, target.hostname, timeoutMs);
}
