import type { Chance } from '../fakes/random.ts';
import type { Answer } from './answer.ts';
import type { Merchant } from './merchant.ts';
import type { TokenHabits } from './profile.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

interface Token {
  readonly merchant: Merchant;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
}

/** Empty where nothing was sent. */
interface Sent {
  readonly grantType: string;
  readonly scope: string;
  readonly clientId: string;
  /** Null: the certificate is the secret. */
  readonly secret: string | null;
}

/** What a merchant sent to ask for a token. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

const refused = (status: number, error: string, error_description: string): Answer => ({
  status,
  body: { error, error_description },
});

/** The token endpoint of a PSP, and the tokens it gave. */
export class Tokens {
  private readonly habits: TokenHabits;
  private readonly chance: Chance;
  private readonly clock: () => number;
  private readonly tokens = new Map<string, Token>();
  private readonly calls = new Map<Merchant, number[]>();

  constructor(habits: TokenHabits, surroundings: { chance: Chance; clock: () => number }) {
    this.habits = habits;
    this.chance = surroundings.chance;
    this.clock = surroundings.clock;
  }

  /** `merchant` is whose certificate the connection showed; scopes in `lost` are left out without a word. */
  answer(merchant: Merchant, request: TokenRequest, lost: readonly string[]): Answer {
    if (this.isBlocked(merchant)) return refused(429, 'too_many_requests', 'IP bloqueado por excesso de requisições.');
    const sent = this.parse(request);
    if (sent === null) return refused(400, 'invalid_request', 'The request is not in the form that this server takes.');
    if (sent.clientId !== merchant.clientId) {
      return refused(401, 'invalid_client', 'The certificate belongs to another client.');
    }
    if (sent.secret !== null && sent.secret !== merchant.clientSecret) {
      return refused(401, 'invalid_client', 'Invalid client credentials.');
    }
    if (sent.grantType !== 'client_credentials') return refused(400, 'unsupported_grant_type', 'Unknown grant type.');
    const granted = this.grantedOf(merchant, sent.scope);
    if (granted === null) return refused(400, 'invalid_scope', 'A scope is missing or not of this client.');
    return this.issue(
      merchant,
      granted.filter((scope) => !lost.includes(scope)),
    );
  }

  /** Whose token it is and what it may do; null: of nobody, ended or revoked. */
  read(authorization: string | undefined): Pick<Token, 'merchant' | 'scopes'> | null {
    const [, text = ''] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? [];
    const token = this.tokens.get(text);
    return token === undefined || token.expiresAt <= this.clock() ? null : token;
  }

  revoke(merchant: Merchant): void {
    for (const [text, token] of this.tokens) if (token.merchant === merchant) this.tokens.delete(text);
  }

  private isBlocked(merchant: Merchant): boolean {
    if (this.habits.callsMax === null) return false;
    const now = this.clock();
    const recent = [...(this.calls.get(merchant) ?? []), now].filter((at) => at > now - MINUTE_MS);
    this.calls.set(merchant, recent);
    return recent.length > this.habits.callsMax;
  }

  /** Null: not in the form of this PSP. */
  private parse(request: TokenRequest): Sent | null {
    const { style } = this.habits;
    const isJson = request.contentType?.startsWith('application/json') === true;
    if (isJson !== (style === 'basic-json')) return null;
    const fields = isJson ? fieldsOfJson(request.body) : new URLSearchParams(request.body);
    if (fields === null) return null;
    const sent = (name: string): string => fields.get(name) ?? '';
    const asked = { grantType: sent('grant_type'), scope: sent('scope') };
    if (style === 'form-id') return { ...asked, clientId: sent('client_id'), secret: null };
    if (style === 'form-secret') return { ...asked, clientId: sent('client_id'), secret: sent('client_secret') };
    const [, encoded] = /^Basic (.+)$/i.exec(request.authorization ?? '') ?? [];
    if (encoded === undefined) return null;
    const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
    return { ...asked, clientId, secret: secret.join(':') };
  }

  private grantedOf(merchant: Merchant, asked: string): string[] | null {
    if (asked.trim() === '') return this.habits.scopeRequired ? null : [...merchant.scopes];
    const scopes = asked.trim().split(/\s+/);
    const granted = scopes.filter((scope) => merchant.scopes.includes(scope));
    return granted.length === scopes.length || this.habits.downscopes ? granted : null;
  }

  private issue(merchant: Merchant, scopes: string[]): Answer {
    const { expiresIn, expiresAsText } = this.habits;
    const text = this.chance.text(64);
    this.tokens.set(text, { merchant, scopes: new Set(scopes), expiresAt: this.clock() + expiresIn * SECOND_MS });
    const expires_in = expiresAsText ? String(expiresIn) : expiresIn;
    return { status: 200, body: { access_token: text, token_type: 'Bearer', expires_in, scope: scopes.join(' ') } };
  }
}

function fieldsOfJson(text: string): Map<string, string> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return null;
    return new Map(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
  } catch {
    return null;
  }
}
