import { storedEmail } from '../../contract/forms.ts';

/** What a query may name beside words, each looked for where it stands. */
export interface Sought {
  /** An id, a code, a txid or an end-to-end id, as it was sent. */
  readonly text: string;
  readonly email: string | null;
  /** Cents. */
  readonly amount: number | null;
  /** Last digits of a card. */
  readonly last4: string | null;
  /** Whether a customer may have the words of the query: what is plainly an amount has none. */
  readonly hasWords: boolean;
}

/** Bullets, stars or dots may stand for the digits before. */
const LAST_DIGITS = /^[•*x.\s]*(\d{4})$/i;

const CURRENCY = /^R\$\s*/i;
/** Groups of three with dots, or digits alone; two decimals behind a comma or a dot. */
const AMOUNT = /^(\d{1,3}(?:\.\d{3})+|\d+)(?:[.,](\d{2}))?$/;
const PLAINLY_MONEY = /^R\$|,/i;

/** Cents of an amount as people at home write it: `99,90`, `R$ 1.234,56`, `1234`; null: it is none. */
function amountIn(text: string): number | null {
  const [, reais = '', decimals = '00'] = AMOUNT.exec(text.replace(CURRENCY, '')) ?? [];
  const cents = Number(`${reais.replaceAll('.', '')}${decimals}`);
  return reais !== '' && Number.isSafeInteger(cents) ? cents : null;
}

/** Reads what was typed into one box (docs/product/search.md). */
export function soughtIn(text: string): Sought {
  const amount = amountIn(text);
  return {
    text,
    email: storedEmail(text),
    amount,
    last4: LAST_DIGITS.exec(text)?.[1] ?? null,
    hasWords: amount === null || !PLAINLY_MONEY.test(text),
  };
}
