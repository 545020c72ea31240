/** So many lines are named; a bill of a hundred says how many more there are. */
const LINES_NAMED_MAX = 3;

/** What an invoice is for, as its buyer reads it: `Plano Ouro, 2 × Aula avulsa`. */
export function purposeOf(lineItems: readonly { readonly quantity: number; readonly description: string }[]): string {
  const named = lineItems
    .slice(0, LINES_NAMED_MAX)
    .map(({ quantity, description }) => (quantity === 1 ? description : `${quantity} × ${description}`));
  const more = lineItems.length - named.length;
  if (more === 0) return named.join(', ');
  return `${named.join(', ')} e mais ${more} ${more === 1 ? 'item' : 'itens'}`;
}
