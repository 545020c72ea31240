import { Fatura } from '@fatura/sdk';
import { ROOT } from './root.ts';
import { sessionFetch } from './session-fetch.ts';

export type Mode = 'live' | 'sandbox';

/** Whose data a screen shows. */
export interface Scope {
  readonly account: string;
  readonly mode: Mode;
}

/** A request waits for the dialog that confirms a sign-in; each try has a limit of its own. Milliseconds. */
const WITH_DIALOG_MS = 600_000;

const clients = new Map<string, Fatura>();

/** The first part of every key of a query: what was read of one account and mode is never shown in another. */
export const scopeKey = ({ account, mode }: Scope): string => `${account}/${mode}`;

function newClient({ account, mode }: Scope): Fatura {
  const send = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('Fatura-Account', account);
    headers.set('Fatura-Mode', mode);
    return sessionFetch(url, { ...init, headers });
  };
  return new Fatura({
    apiKey: null,
    baseUrl: location.origin + ROOT,
    retries: 0,
    timeoutMs: WITH_DIALOG_MS,
    fetch: send,
  });
}

/** The client that merchants use, of one account and mode, behind the session of the person. */
export function clientOf(scope: Scope): Fatura {
  const key = scopeKey(scope);
  const client = clients.get(key) ?? newClient(scope);
  clients.set(key, client);
  return client;
}
