import { postCard, type TypedCard } from '../../sdk/src/card-post.ts';
import type { CardRequest } from './card-fields.ts';
import type { Problem } from './page-data.ts';

/** The fields of a card as the page names them. */
const names: Readonly<Record<keyof TypedCard, string>> = {
  number: 'card.number',
  exp_month: 'card.exp_month',
  exp_year: 'card.exp_month',
  cvc: 'card.cvc',
  name: 'billing_details.name',
};

const problem = (code: Problem['code'], fields: readonly string[] = []): { readonly problem: Problem } => ({
  problem: { code, declineReason: null, fields },
});

/** Gives a card to the acquirer, straight from this browser; what it answers in its place is all that we get. */
export async function tokenOfCard(
  url: string,
  { card, billing_details: { name } }: CardRequest,
): Promise<{ readonly token: string } | { readonly problem: Problem }> {
  const { number, exp_month, exp_year, cvc } = card;
  const posted = await postCard(url, { number, exp_month, exp_year, cvc, name });
  if (posted.status === 'taken') return { token: posted.token };
  if (posted.status === 'unavailable') return problem('ACQUIRER_UNAVAILABLE');
  return problem('PARAMETER_INVALID', [...new Set(posted.fields.map((field) => names[field]))]);
}
