import type { Role } from '../../contract/roles.ts';
import { Fatura } from '../../sdk/src/index.ts';
import { invite } from '../../server/staff/members.ts';
import type { RealTimeApi } from './api.ts';

/** Where the API of a test says that it is reached. */
export const PUBLIC_URL = 'http://127.0.0.1:3000';

export const PASSWORD = 'uma senha bem comprida';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many forms, and a test says what it looks for
  readonly body: any;
  readonly headers: Headers;
}

/** A browser of a person, with its one cookie, that asks as a page of the dashboard does. */
export class Browser {
  readonly #baseUrl: string;
  readonly #others = new Map<string, string>();
  cookie: string | null = null;
  account: string | null = null;
  mode: 'live' | 'sandbox' = 'sandbox';

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return {
      Origin: PUBLIC_URL,
      'Content-Type': 'application/json',
      'Fatura-Mode': this.mode,
      ...(this.account === null ? {} : { 'Fatura-Account': this.account }),
      ...(this.cookie === null ? {} : { Cookie: this.cookie }),
      ...more,
    };
  }

  async ask(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${this.#baseUrl}/dashboard${path}`;
    const response = await fetch(url, { method, headers: this.headers(more), ...sent, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      this.#others.set(pair.split('=')[0] ?? '', pair);
      if (pair.startsWith('fatura=')) this.cookie = pair === 'fatura=' ? null : pair;
    }
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text, headers: response.headers };
  }

  /** A cookie beside that of the session, as it was last set. */
  cookieOf = (name: string): string => this.#others.get(name) ?? '';

  get = (path: string, more: Record<string, string> = {}): Promise<Answer> => this.ask('GET', path, undefined, more);
  post = (path: string, body: unknown = {}, more: Record<string, string> = {}): Promise<Answer> =>
    this.ask('POST', path, body, more);

  /** The client of merchants, as the screens use it. */
  sdk(): Fatura {
    const asPage: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.delete('Authorization');
      for (const [name, value] of Object.entries(this.headers())) headers.set(name, value);
      return fetch(input, { ...init, headers });
    };
    return new Fatura({ apiKey: 'sk_sandbox_x', baseUrl: `${this.#baseUrl}/dashboard`, retries: 0, fetch: asPage });
  }
}

let people = 0;
const newAddress = (): string => {
  people += 1;
  return `pessoa${people}@loja.test`;
};

/** A new person of an account, in a browser of theirs, signed in by the link of an invitation. */
export async function newPerson(
  api: RealTimeApi,
  { accountId, role, email = newAddress() }: { accountId: string; role: Role; email?: string },
): Promise<Browser & { email: string }> {
  const { token } = await invite(api.operator, { accountId, email, role });
  const browser = Object.assign(new Browser(api.baseUrl), { email });
  const { status, body } = await browser.post('/auth/setup', { token, name: `Pessoa ${role}`, password: PASSWORD });
  if (status !== 200) throw new Error(`the person was not set up: ${JSON.stringify(body)}`);
  browser.account = accountId;
  return browser;
}
