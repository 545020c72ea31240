import { isLateKind } from './rules.ts';

/** So many lines are named; a bill of a hundred says how many more there are. */
const LINES_NAMED_MAX = 3;

interface NamedLine {
  readonly quantity: number;
  readonly description: string;
  readonly kind?: string;
}

const inPortuguese = (more: number): string => ` e mais ${more} ${more === 1 ? 'item' : 'itens'}`;

/**
 * What an invoice is for, as its buyer reads it: `Plano Ouro, 2 × Aula avulsa`; `andMore` tells of those that are not named. Late fees
 * are for nothing.
 */
export function purposeOf(lineItems: readonly NamedLine[], andMore: (more: number) => string = inPortuguese): string {
  const bought = lineItems.filter(({ kind }) => !isLateKind(kind));
  const named = bought
    .slice(0, LINES_NAMED_MAX)
    .map(({ quantity, description }) => (quantity === 1 ? description : `${quantity} × ${description}`));
  const more = bought.length - named.length;
  return named.join(', ') + (more === 0 ? '' : andMore(more));
}
