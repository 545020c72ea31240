import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import type { FakePsp, MerchantCredentials, ProfileName } from '../../dev/fake-psp/psp.ts';

/** How a merchant's software has to speak to a PSP, in the words of the PSP's manual. */
interface Manual {
  readonly cob: string;
  readonly cobs: string;
  readonly pix: string;
  readonly webhook: string;
  /** Where recurrences, their charges and their webhooks are. */
  readonly automatic: string;
  readonly token: string;
  tokenCall(merchant: MerchantCredentials, scope: string): { headers: Record<string, string>; body: string };
  readonly header?: (merchant: MerchantCredentials) => Record<string, string>;
  readonly query?: (merchant: MerchantCredentials) => Record<string, string>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const basic = ({ clientId, clientSecret }: MerchantCredentials) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
});

const form = (fields: Record<string, string>): string =>
  new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();

const basicForm: Manual['tokenCall'] = (merchant, scope) => ({
  headers: { ...FORM, ...basic(merchant) },
  body: form({ scope }),
});

const under = (base: string) => ({
  cob: `${base}/cob`,
  cobs: `${base}/cob`,
  pix: `${base}/pix`,
  webhook: `${base}/webhook`,
  automatic: base,
});

const manuals: Readonly<Record<ProfileName, Manual>> = {
  standard: { ...under('/api/v2'), token: '/oauth/token', tokenCall: basicForm },
  efi: {
    ...under('/v2'),
    token: '/oauth/token',
    tokenCall: (merchant) => ({
      headers: { 'content-type': 'application/json', ...basic(merchant) },
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    }),
  },
  sicoob: {
    ...under('/pix/api/v2'),
    token: '/auth/realms/cooperado/protocol/openid-connect/token',
    tokenCall: ({ clientId }, scope) => ({ headers: FORM, body: form({ client_id: clientId, scope }) }),
    header: ({ clientId }) => ({ client_id: clientId }),
  },
  bb: {
    ...under('/pix/v2'),
    token: '/oauth/token',
    tokenCall: basicForm,
    query: ({ extras }) => ({ 'gw-dev-app-key': extras['gw-dev-app-key'] ?? '' }),
  },
  sicredi: {
    cob: '/api/v3/cob',
    cobs: '/api/v2/cob',
    pix: '/api/v2/pix',
    webhook: '/api/v2/webhook',
    automatic: '/api/v1',
    token: '/oauth/token',
    tokenCall: basicForm,
  },
  inter: {
    ...under('/pix/v2'),
    token: '/oauth/v2/token',
    tokenCall: ({ clientId, clientSecret }, scope) => ({
      headers: FORM,
      body: form({ client_id: clientId, client_secret: clientSecret, scope }),
    }),
    header: ({ extras }) => ({ 'x-conta-corrente': extras['x-conta-corrente'] ?? '' }),
  },
};

const RESOURCES = ['cob', 'pix', 'webhook', 'rec', 'cobr', 'payloadlocationrec', 'webhookrec', 'webhookcobr'];
const SCOPES = RESOURCES.flatMap((name) => [`${name}.read`, `${name}.write`]).join(' ');

/** What a PSP sends; each test says what it expects of it. */
interface Body {
  readonly [name: string]: Body | undefined;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Body | undefined;
  readonly text: string;
}

export const newTxid = (): string => randomBytes(16).toString('hex');

/** What a client knows of a PSP. */
export type Wired = Pick<FakePsp, 'profile' | 'baseUrl' | 'caPem'>;

/** What a PSP's callers have in common, and nothing more: no retry, no cache, no reading of answers. */
export class BareClient {
  readonly merchant: MerchantCredentials;
  private readonly psp: Wired;
  private readonly manual: Manual;
  private readonly agent: Agent;
  private token: string | null = null;

  constructor(psp: Wired, merchant: MerchantCredentials, shown: Partial<MerchantCredentials> | null = {}) {
    this.psp = psp;
    this.merchant = { ...merchant, ...shown };
    this.manual = manuals[psp.profile.name as ProfileName]; // a profile's name is its key
    const { certificatePem: cert, keyPem: key } = this.merchant;
    this.agent = new Agent({ connect: { ca: psp.caPem, ...(shown === null ? {} : { cert, key }) } });
  }

  async askToken(
    change: Partial<{ headers: Record<string, string>; body: string; scope: string }> = {},
  ): Promise<Answered> {
    const asked = this.manual.tokenCall(this.merchant, change.scope ?? SCOPES);
    return this.send('POST', this.manual.token, { ...asked, ...change });
  }

  cob(method: string, txid: string, body?: object, query: Record<string, string> = {}): Promise<Answered> {
    return this.call(method, `${this.manual.cob}/${txid}`, body, query);
  }

  cobs(query: Record<string, string>): Promise<Answered> {
    return this.call('GET', this.manual.cobs, undefined, query);
  }

  pix(method: string, path: string, body?: object, query: Record<string, string> = {}): Promise<Answered> {
    return this.call(method, this.manual.pix + path, body, query);
  }

  webhook(method: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
    return this.call(method, `${this.manual.webhook}/${encodeURIComponent(this.merchant.pixKey)}`, body, {}, headers);
  }

  /** A call of Pix Automático. */
  automatic(method: string, path: string, body?: object, query: Record<string, string> = {}): Promise<Answered> {
    return this.call(method, this.manual.automatic + path, body, query);
  }

  /** A cob of forty reais that lives for an hour. */
  newCob(change: object = {}): object {
    return { calendario: { expiracao: 3600 }, valor: { original: '40.00' }, chave: this.merchant.pixKey, ...change };
  }

  /** Null: it asks for one before its next call. */
  useToken(token: string | null): void {
    this.token = token;
  }

  async call(
    method: string,
    path: string,
    body?: object,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    this.token ??= String((await this.askToken()).body?.access_token);
    const search = new URLSearchParams({ ...query, ...this.manual.query?.(this.merchant) });
    return this.send(method, search.size === 0 ? path : `${path}?${search}`, {
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.manual.header?.(this.merchant),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(
    method: string,
    path: string,
    sent: { headers?: Record<string, string>; body?: string },
  ): Promise<Answered> {
    const answer = await request(new URL(this.psp.baseUrl).origin + path, {
      dispatcher: this.agent,
      method: method as 'GET', // one of those that undici knows
      headers: sent.headers ?? {},
      body: sent.body ?? null,
    });
    const text = await answer.body.text();
    const type = String(answer.headers['content-type'] ?? '');
    return { status: answer.statusCode, type, text, body: isJson(text) ? JSON.parse(text) : undefined };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
