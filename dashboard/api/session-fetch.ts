import { askFresh } from './fresh.ts';

/** How long one request may take, its answer included. Milliseconds. */
const REQUEST_MS = 60_000;

let sessionEnded: () => void = () => {};

/** Says what becomes of the page when its session has ended. */
export function whenSessionEnds(run: () => void): void {
  sessionEnded = run;
}

async function codeOf(response: Response): Promise<string | null> {
  try {
    const { error } = await response.clone().json();
    return typeof error?.code === 'string' ? error.code : null;
  } catch {
    return null;
  }
}

/** One try under a limit of its own: the time that a dialog takes is not the server's. */
async function tryOnce(url: string | URL | Request, init: RequestInit): Promise<Response> {
  const limit = new AbortController();
  const stop = (): void => limit.abort(init.signal?.reason);
  const timer = setTimeout(stop, REQUEST_MS);
  init.signal?.addEventListener('abort', stop);
  try {
    return await fetch(url, { ...init, credentials: 'same-origin', signal: limit.signal });
  } finally {
    clearTimeout(timer);
    init.signal?.removeEventListener('abort', stop);
  }
}

/**
 * Sends with the cookie of the session. Where the sign-in is too old for what is asked, the person confirms it, and the
 * same request goes out again under the same key; where the session has ended, the page goes to sign in.
 */
export async function sessionFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const response = await tryOnce(url, init);
  if (response.status !== 401 && response.status !== 403) return response;
  const code = await codeOf(response);
  if (code === 'SESSION_MISSING') sessionEnded();
  if (code === 'FRESH_LOGIN_REQUIRED' && (await askFresh())) return tryOnce(url, init);
  return response;
}
