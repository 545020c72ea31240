/** A card as its buyer typed it: digits with or without spaces and hyphens, month 1 to 12, year of four digits. */
export interface TypedCard {
  number: string;
  exp_month: number;
  exp_year: number;
  /** Security code: 3 digits, 4 for American Express. */
  cvc: string;
  /** Name of the holder, as printed on the card. */
  name: string;
}

/** What an acquirer answers in place of a card; `refused`: these fields are at fault; `unavailable`: it has told neither. */
export type CardPost =
  | { readonly status: 'taken'; readonly token: string }
  | { readonly status: 'refused'; readonly fields: readonly (keyof TypedCard)[] }
  | { readonly status: 'unavailable' };

/** Longer than an acquirer takes to answer a token, and shorter than a token lives. */
const ANSWER_MAX_MS = 20_000;
const UNPROCESSABLE = 422;

/** The fields of a card as Pagar.me names them, and as we do. */
const places: readonly (readonly [form: RegExp, field: keyof TypedCard])[] = [
  [/exp_year/, 'exp_year'],
  [/exp_month/, 'exp_month'],
  [/cvv/, 'cvc'],
  [/holder_name/, 'name'],
  [/./, 'number'],
];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function refusedFields(answer: unknown): (keyof TypedCard)[] {
  const names = isObject(answer) && isObject(answer.errors) ? Object.keys(answer.errors) : [];
  const fields = names.map((name) => places.find(([form]) => form.test(name))?.[1] ?? 'number');
  return fields.length === 0 ? ['number'] : [...new Set(fields)];
}

/** Gives a card to the acquirer, straight from this browser. Whatever becomes of it, a token charges nothing. */
export async function postCard(url: string, { number, cvc, name, ...rest }: TypedCard): Promise<CardPost> {
  const card = { ...rest, number: number.replace(/[\s-]/g, ''), cvv: cvc, holder_name: name };
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'card', card }),
      credentials: 'omit',
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    const told: unknown = await answer.json();
    if (answer.status === UNPROCESSABLE) return { status: 'refused', fields: refusedFields(told) };
    if (answer.ok && isObject(told) && typeof told.id === 'string') return { status: 'taken', token: told.id };
    return { status: 'unavailable' };
  } catch {
    return { status: 'unavailable' };
  }
}
