import { FaturaError, type FaturaErrorCode } from '@fatura/sdk';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { AcquirerCredentials, AcquirerTest, SettingsView } from '../../contract/account-settings.ts';
import type { Role } from '../../contract/roles.ts';
import type { SampleLetter, SampleLetterQuery } from '../../contract/sample-letters.ts';
import { ROOT } from './root.ts';
import type { Mode, Scope } from './scope.ts';
import { sessionFetch } from './session-fetch.ts';

export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Cents above which a refund asks for a recent sign-in. */
  readonly refund_limit: number;
  /** Whether its live mode can be paid. */
  readonly has_acquirer: boolean;
}

/** Who is signed in, and what they may see. */
export interface Session {
  readonly staff: { readonly id: string; readonly email: string; readonly name: string };
  readonly accounts: readonly Membership[];
  /** Those that the process serves. */
  readonly modes: readonly Mode[];
  /** Until when the sign-in counts as recent. Unix seconds; 0: it does not. */
  readonly fresh_until: number;
  readonly sign_in: {
    readonly has_password: boolean;
    readonly passkeys: number;
    readonly has_totp: boolean;
    readonly oidc_only: boolean;
  };
  /** The list of workflows in Temporal's own pages; null: nowhere from here. */
  readonly temporal_ui: string | null;
  readonly public_url: string;
}

export interface SessionRow {
  readonly id: string;
  readonly created: number;
  readonly last_seen_at: number;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly is_current: boolean;
}

export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly last_used_at: number | null;
}

/** What whoever follows a set-up link has to do. */
export interface SetupLook {
  readonly email: string;
  readonly name: string;
  /** Null: the link is of no account, and sets up anew how its person signs in. */
  readonly account_name: string | null;
  readonly needs: 'password' | 'sign_in' | 'accept' | 'oidc';
}

export type LiveMethod = SettingsView['live_acquirers'][number]['method'];

type RowList<T> = { readonly data: readonly T[] };
export type Challenge<T> = { readonly challenge_id: string; readonly options: T };

function errorOf(response: Response, body: unknown): FaturaError {
  const { error } = (body ?? {}) as {
    error?: { code?: string; message?: string; param?: string; errors?: FaturaError['errors']; request_id?: string };
  };
  return new FaturaError({
    message: error?.message ?? `the answer, of status ${response.status}, is not one of the service`,
    // A code of the sign-in is none of the merchants' API.
    code: (error?.code ?? 'RESPONSE_INVALID') as FaturaErrorCode,
    type: 'client_error',
    status: response.status,
    param: error?.param ?? null,
    errors: error?.errors ?? [],
    requestId: error?.request_id ?? response.headers.get('Request-Id'),
    retryAfterSeconds: Number(response.headers.get('Retry-After')) || null,
  });
}

async function send<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  const json: RequestInit =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } };
  let response: Response;
  try {
    response = await sessionFetch(`${ROOT}/auth${path}`, { method, headers, ...json });
  } catch (cause) {
    throw new FaturaError({ message: 'no answer', code: 'CONNECTION_FAILED', type: 'client_error', cause });
  }
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorOf(response, answer);
  return answer as T; // the server answers what its own types say
}

const post = <T>(path: string, body: object = {}): Promise<T> => send<T>('POST', path, body);

const searchOf = ({ sentence, ...rest }: SampleLetterQuery, scope: Partial<Scope> = {}): URLSearchParams =>
  new URLSearchParams({ ...rest, ...(sentence !== undefined && { sentence }), ...scope });

/** The sign-in of persons. It is no part of the merchants' API. */
export const auth = {
  session: () => send<Session>('GET', '/session'),
  methods: () => send<{ password: boolean; oidc: boolean }>('GET', '/methods'),
  login: (login: { email: string; password: string; code?: string }) => post<Session>('/login', login),
  passkeyOptions: () => post<Challenge<PublicKeyCredentialRequestOptionsJSON>>('/login/passkey/options'),
  loginByPasskey: (login: { challenge_id: string; response: AuthenticationResponseJSON }) =>
    post<Session>('/login/passkey', login),
  logout: () => post<object>('/logout'),
  lookAtSetup: (token: string) => post<SetupLook>('/setup/look', { token }),
  setup: (setup: { token: string; name: string; password: string }) => post<Session>('/setup', setup),
  acceptSetup: (token: string) => post<Session>('/setup/accept', { token }),
  fresh: (proof: { password: string; code?: string }) => post<Session>('/fresh', proof),
  freshByPasskey: (proof: { challenge_id: string; response: AuthenticationResponseJSON }) =>
    post<Session>('/fresh/passkey', proof),
  changePassword: (password: string) => post<Session>('/password', { password }),
  passkeys: () => send<RowList<PasskeyRow>>('GET', '/passkeys'),
  newPasskeyOptions: () => post<Challenge<PublicKeyCredentialCreationOptionsJSON>>('/passkeys/options'),
  addPasskey: (passkey: { challenge_id: string; name: string; response: RegistrationResponseJSON }) =>
    post<Session>('/passkeys', passkey),
  removePasskey: (id: string) => send<Session>('DELETE', `/passkeys/${encodeURIComponent(id)}`),
  beginTotp: () => post<{ secret: string; uri: string; qr: string }>('/totp'),
  confirmTotp: (code: string) => post<Session>('/totp/confirm', { code }),
  removeTotp: () => send<Session>('DELETE', '/totp'),
  sessions: () => send<RowList<SessionRow>>('GET', '/sessions'),
  endSession: (id: string) => send<object>('DELETE', `/sessions/${encodeURIComponent(id)}`),
  settings: ({ account, mode }: Scope) =>
    send<SettingsView>('GET', '/account', undefined, { 'Fatura-Account': account, 'Fatura-Mode': mode }),
  setRefundLimit: ({ account }: Scope, cents: number) =>
    send<Session>('PATCH', '/account', { refund_limit: cents }, { 'Fatura-Account': account }),
  setAcquirer: ({ account }: Scope, credentials: AcquirerCredentials) =>
    send<object>('PUT', '/account/acquirer', credentials, { 'Fatura-Account': account }),
  sampleLetter: ({ account, mode }: Scope, query: SampleLetterQuery) =>
    send<SampleLetter>('GET', `/account/sample_letter?${searchOf(query)}`, undefined, {
      'Fatura-Account': account,
      'Fatura-Mode': mode,
    }),
  testAcquirer: ({ account }: Scope, method: LiveMethod) =>
    send<AcquirerTest>('POST', '/account/acquirer/test', { method }, { 'Fatura-Account': account }),
  /** Any other call of the session API, for an account: who its staff is, for instance. */
  ofAccount: <T>(account: string, method: string, path: string, body?: object) =>
    send<T>(method, path, body, { 'Fatura-Account': account }),
};

/** Where the browser goes to sign in at the provider, and comes back from. */
export const oidcUrl = (returnTo: string): string => `${ROOT}/auth/oidc?return_to=${encodeURIComponent(returnTo)}`;

/** The same for whoever is signed in and confirms it. */
export const freshOidcUrl = (returnTo: string): string => `${oidcUrl(returnTo)}&fresh=1`;

/** Where a frame finds the HTML of a letter. */
export const sampleFrameUrl = (scope: Scope, query: SampleLetterQuery): string =>
  `${ROOT}/auth/account/sample_letter/frame?${searchOf(query, scope)}`;
