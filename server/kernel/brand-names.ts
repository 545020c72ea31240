import type { CardBrand } from '../../contract/payment-methods.ts';

/** What buyers call the brand of a card. */
export const brandNames = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  elo: 'Elo',
  hipercard: 'Hipercard',
} as const satisfies Record<CardBrand, string>;
