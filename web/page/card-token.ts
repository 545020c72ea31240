import type { CardRequest } from './card-fields.ts';
import type { Problem } from './page-data.ts';

/** Longer than an acquirer takes to answer a token, and shorter than a token lives. */
const ANSWER_MAX_MS = 20_000;
const UNPROCESSABLE = 422;

/** The fields of a card as the acquirer names them, and as the page does. */
const places: readonly (readonly [form: RegExp, field: string])[] = [
  [/exp_month|exp_year/, 'card.exp_month'],
  [/cvv/, 'card.cvc'],
  [/holder_name/, 'billing_details.name'],
  [/./, 'card.number'],
];

const problem = (code: Problem['code'], fields: readonly string[] = []): Problem => ({
  code,
  declineReason: null,
  fields,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function refusedFields(answer: unknown): string[] {
  const errors = isObject(answer) && isObject(answer.errors) ? Object.keys(answer.errors) : [];
  const names = errors.length === 0 ? [''] : errors;
  return names.map((name) => places.find(([form]) => form.test(name))?.[1] ?? 'card.number');
}

/** Gives a card to the acquirer, straight from this browser; what it answers in its place is all that we get. */
export async function tokenOfCard(
  url: string,
  { card, billing_details: holder }: CardRequest,
): Promise<{ readonly token: string } | { readonly problem: Problem }> {
  const { number, exp_month, exp_year, cvc: cvv } = card;
  const body = JSON.stringify({ type: 'card', card: { number, exp_month, exp_year, cvv, holder_name: holder.name } });
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      credentials: 'omit',
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    const told: unknown = await answer.json();
    if (answer.status === UNPROCESSABLE) return { problem: problem('PARAMETER_INVALID', refusedFields(told)) };
    if (answer.ok && isObject(told) && typeof told.id === 'string') return { token: told.id };
    return { problem: problem('ACQUIRER_UNAVAILABLE') };
  } catch {
    // Whatever became of it, a token charges nothing.
    return { problem: problem('ACQUIRER_UNAVAILABLE') };
  }
}
