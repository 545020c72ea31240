import { Fatura } from '../index.ts';
import { type Context, givenOf } from './command.ts';
import { type Login, loginFile, readKept } from './config.ts';
import { CliFailure } from './failure.ts';

export const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/** Whom a command asks, and with what. */
export interface Session {
  readonly fatura: Fatura;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly live: boolean;
}

const isLive = (apiKey: string): boolean => apiKey.startsWith('sk_live_');

/** Where the service runs: what is said now, before what was said at the login. */
export const baseUrlOf = (context: Context, login: Login | null): string =>
  givenOf(context, 'base-url') || context.env.FATURA_BASE_URL || login?.base_url || DEFAULT_BASE_URL;

interface Wanted {
  /** The name of the command, where it works in the sandbox alone. */
  readonly sandboxFor?: string;
  readonly retries?: number;
}

/** The key in FATURA_API_KEY, else of the login, where there is one, and where the service runs. */
export async function knownKey(context: Context): Promise<{ apiKey: string | undefined; baseUrl: string }> {
  const login = await readKept<Login>(loginFile(context.env));
  return { apiKey: context.env.FATURA_API_KEY || login?.api_key, baseUrl: baseUrlOf(context, login) };
}

/** The client of the key in FATURA_API_KEY, else of the login. */
export async function openSession(context: Context, { sandboxFor, retries }: Wanted = {}): Promise<Session> {
  const { apiKey, baseUrl } = await knownKey(context);
  if (apiKey === undefined) throw new CliFailure('No API key: run `fatura login`, or set FATURA_API_KEY.');
  if (sandboxFor !== undefined && isLive(apiKey)) {
    throw new CliFailure(
      `\`fatura ${sandboxFor}\` works in the sandbox alone, and this is a live key: use one that begins with sk_sandbox_.`,
    );
  }
  return { baseUrl, apiKey, live: isLive(apiKey), fatura: clientOf({ apiKey, baseUrl, retries }) };
}

/** A key or an address of a wrong form is the user's mistake, told without a stack. */
export function clientOf({
  apiKey,
  baseUrl,
  retries,
}: {
  apiKey: string;
  baseUrl: string;
  retries?: number | undefined;
}): Fatura {
  try {
    return new Fatura({ apiKey, baseUrl, retries });
  } catch (error) {
    throw new CliFailure(error instanceof Error ? error.message : String(error));
  }
}
