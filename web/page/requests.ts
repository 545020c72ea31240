import type { PageAnswer, Problem, PurchaseView } from './page-data.ts';

/** Longer than the service waits for an acquirer. */
const ANSWER_MAX_MS = 40_000;
const KEY_BYTES = 16;

const NO_ANSWER: PageAnswer = { purchase: null, problem: { code: 'NETWORK', declineReason: null, fields: [] } };

/** What belongs to the page is below its own address, wherever a proxy has put that, and in the language that is asked for there. */
export const addressOf = (name: string): string => `${location.pathname}/${name}${location.search}`;

function isAnswer(value: unknown): value is PageAnswer {
  return typeof value === 'object' && value !== null && 'purchase' in value && 'problem' in value;
}

async function ask(name: string, init: RequestInit): Promise<PageAnswer> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), ANSWER_MAX_MS);
  try {
    const response = await fetch(addressOf(name), { ...init, signal: waiting.signal });
    const answer: unknown = await response.json();
    return isAnswer(answer) ? answer : NO_ANSWER;
  } catch {
    return NO_ANSWER;
  } finally {
    clearTimeout(timer);
  }
}

export function post(name: string, body: object, key: string | null = null): Promise<PageAnswer> {
  const headers = { 'Content-Type': 'application/json', ...(key === null ? {} : { 'Idempotency-Key': key }) };
  return ask(name, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The purchase as it stands; null when it cannot be read now. */
export const readPurchase = async (): Promise<PurchaseView | null> => (await ask('state', {})).purchase;

/** Works on pages that were loaded without encryption too, where browsers have no `randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a try has come to an end, so that the next one is another; a try of unknown end is repeated under its key. */
export const isOver = (problem: Problem | null, isUncertain: (problem: Problem) => boolean): boolean =>
  problem === null || !isUncertain(problem);
