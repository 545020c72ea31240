import { ErrorBody } from '../../contract/errors.ts';
import type { Merchant, TestApi } from '../support/api.ts';

export interface RawRequest {
  method: string;
  /** From `/api/v1` on. */
  path: string;
  /** The API key; null sends none. */
  key: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A request as no SDK would send it; a string body is sent as it is. */
export async function send(api: Pick<TestApi, 'baseUrl'>, request: RawRequest): Promise<RawAnswer> {
  const { method, path, key, body } = request;
  const response = await fetch(`${api.baseUrl}/api/v1${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `ApiKey ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The refusal in an answer, held to the contract's form. */
export function refusalOf(answer: RawAnswer): ErrorBody['error'] & { status: number } {
  return { status: answer.status, ...ErrorBody.parse(answer.body).error };
}

/** What an answer refuses, in short: the status and each violation's parameter and code. */
export function violationsOf(answer: RawAnswer): [status: number, ...violations: string[]] {
  const { status, errors = [] } = refusalOf(answer);
  return [status, ...errors.map(({ param, code }) => `${param} ${code}`)];
}

interface Fact {
  type: string;
  object: unknown;
}

/** Every event of a merchant's sandbox, oldest first. */
export async function factsOf({ fatura }: Merchant): Promise<Fact[]> {
  const events = await fatura.events.list({ limit: 100 }).all({ max: 1_000 });
  return events.toReversed().map(({ type, data }) => ({ type, object: data.object }));
}

/** How many of these promises were fulfilled, and why the others were not. */
export async function outcomesOf<T>(attempts: Promise<T>[]): Promise<{ done: T[]; refused: unknown[] }> {
  const settled = await Promise.allSettled(attempts);
  return {
    done: settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    refused: settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}
