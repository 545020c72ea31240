import { sign } from '../webhooks.ts';
import type { Environment } from './config.ts';
import { UsageFailure } from './failure.ts';

/** As long as a delivery of the service waits. */
const TIMEOUT_MS = 15_000;

/** What became of one try: the receiver's status, or that there was none to ask, or that it did not answer. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly code: string | null; readonly ms: number }
  | { readonly kind: 'unreachable' | 'failed'; readonly reason: string; readonly ms: number };

export const isAccepted = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

export function outcomeText(outcome: Outcome): string {
  if (outcome.kind !== 'answered') return outcome.reason;
  return outcome.code === null ? String(outcome.status) : `${outcome.status} ${outcome.code}`;
}

const CODE = /^[A-Z][A-Z_]{1,39}$/;

/** The code by which a handler of `@fatura/sdk/webhooks` says why it refuses; what else a receiver says may never end. */
async function codeOf(answer: Response): Promise<string | null> {
  const reader = answer.status === 400 ? answer.body?.getReader() : undefined;
  const { value } = (await reader?.read()) ?? {};
  await (reader ?? answer.body)?.cancel();
  const text = new TextDecoder().decode(value);
  return CODE.test(text) ? text : null;
}

/** Errors before anything was sent: nobody has seen the event. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failureOf(error: unknown): { kind: 'unreachable' | 'failed'; reason: string } {
  if (error instanceof Error && error.name === 'TimeoutError') return { kind: 'failed', reason: 'no answer' };
  const cause = error instanceof Error ? error.cause : undefined;
  const code =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'connection lost';
  return { kind: UNREACHABLE.has(code) ? 'unreachable' : 'failed', reason: code };
}

/** Posts an event as a delivery of the service would come: the same body, the same headers, signed. */
export async function forward(url: string, event: { readonly id: string }, secret: string): Promise<Outcome> {
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Fatura-Webhooks/1',
    ...(await sign(body, { id: event.id, secrets: secret })),
  };
  const startedMs = performance.now();
  const took = () => Math.round(performance.now() - startedMs);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const ms = took();
    return { kind: 'answered', status: answer.status, code: await codeOf(answer), ms };
  } catch (error) {
    return { ...failureOf(error), ms: took() };
  }
}

/** The address that `--forward-to` says; a path alone is one of the shop that listens at PORT. */
export function addressOf(text: string, { PORT: port }: Environment = {}): string {
  const isPath = text.startsWith('/');
  if (isPath && !port)
    throw new UsageFailure(`--forward-to ${text} is a path alone, and needs PORT in the environment`);
  const withHost = isPath ? `localhost:${port}${text}` : text;
  const withScheme = /^[a-z]+:\/\//i.test(withHost) ? withHost : `http://${withHost}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url.href;
  throw new UsageFailure(`--forward-to must be an http address, got ${isPath ? withScheme : text}`);
}
