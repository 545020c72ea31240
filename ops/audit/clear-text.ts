import { holdsCardNumber } from '../../server/payments/card/number.ts';
import type { Check } from './check.ts';

/** Whatever merchants and buyers write and the database keeps in clear. */
const FREE_TEXTS: Readonly<Record<string, readonly string[]>> = {
  customer: ['external_code'],
  product: ['name', 'description', 'external_code'],
  price: ['description', 'external_code'],
  coupon: ['name', 'external_code'],
  promotion_code: ['code'],
  redemption: ['name'],
  invoice_item: ['description'],
  subscription: ['external_code', 'discounts', 'cancel_comment', 'consent_text'],
  invoice: ['description', 'external_code', 'metadata', 'discounts'],
  payment_link: ['description', 'metadata', 'success_url', 'return_url', 'external_code'],
  checkout_session: ['external_code', 'metadata', 'discounts', 'success_url', 'return_url'],
  webhook_endpoint: ['url', 'description'],
};

/** As many digits as the shortest card number has, with nothing but blanks and hyphens between them. */
const MANY_DIGITS = String.raw`\d([[:space:]-]*\d){12}`;

const freeTexts = Object.entries(FREE_TEXTS).map(([table, columns]) => {
  const text = `concat_ws(E'\n.\n', ${columns.map((column) => `t.${column}`).join(', ')})`;
  return `SELECT t.id, t.account_id, ${text} AS text FROM ${table} t`;
});

export const clearTextChecks: readonly Check[] = [
  {
    name: 'card-number-in-clear',
    sql: `SELECT id, account_id, text FROM (${freeTexts.join(' UNION ALL ')}) AS free WHERE text ~ '${MANY_DIGITS}'`,
    isBreach: ({ text }) => holdsCardNumber(String(text)),
    describe: '{id} of {account_id} holds the number of a card in one of its texts',
  },
];
