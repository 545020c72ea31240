import { sign } from '../webhooks.ts';

/** As long as a delivery of the service waits. */
const TIMEOUT_MS = 15_000;

/** What became of one try: the receiver's status, or that there was none to ask, or that it did not answer. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly ms: number }
  | { readonly kind: 'unreachable' | 'failed'; readonly reason: string; readonly ms: number };

export const isAccepted = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

export const outcomeText = (outcome: Outcome): string =>
  outcome.kind === 'answered' ? String(outcome.status) : outcome.reason;

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
    // What it says is nobody's business, and may never end.
    await answer.body?.cancel();
    return { kind: 'answered', status: answer.status, ms };
  } catch (error) {
    return { ...failureOf(error), ms: took() };
  }
}

/** An address that can be forwarded to; null: it is none. */
export function addressOf(text: string): string | null {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(withScheme)) return null;
  const url = new URL(withScheme);
  return ['http:', 'https:'].includes(url.protocol) ? url.href : null;
}
