import { taxIdMarks } from '../customers/tax-id.ts';
import { civilSecond } from '../kernel/brazil.ts';

/** A value of the API as a cell shows it; what has no value is an empty cell. */
export type Cell = (value: unknown) => string;

const CENTS_IN_REAL = 100;

const unlessEmpty =
  <Value>(show: (value: Value) => string): Cell =>
  (value) =>
    // Each column says itself what its values are.
    value === undefined || value === null ? '' : show(value as Value);

export const plain = unlessEmpty<string | number>(String);

/** `1234,56`: a spreadsheet in Portuguese takes it for a number. */
export const money = unlessEmpty<number>(
  (amount) => `${Math.trunc(amount / CENTS_IN_REAL)},${String(amount % CENTS_IN_REAL).padStart(2, '0')}`,
);

/** The same of what may be less than nothing. */
export const signedMoney = unlessEmpty<number>((amount) => (amount < 0 ? `-${money(-amount)}` : money(amount)));

export const instant = unlessEmpty(civilSecond);

/** With its marks: of digits alone a spreadsheet makes a number, which loses zeros. */
export const taxId = unlessEmpty(taxIdMarks);

export const json = unlessEmpty<object>((value) => JSON.stringify(value));

/** An object of the API that holds a list. */
interface Inner<Item> {
  readonly data: readonly Item[];
}

export const innerJson = unlessEmpty<Inner<object>>(({ data }) => JSON.stringify(data));

/** `2 × Plano Ouro, 1 × Taxa` */
export const items = unlessEmpty<Inner<{ readonly quantity: number; readonly description: string }>>(({ data }) =>
  data.map(({ quantity, description }) => `${quantity} × ${description}`).join(', '),
);

/** A word of the API in Portuguese. */
export const words = <Word extends string>(names: Readonly<Record<Word, string>>): Cell =>
  unlessEmpty<Word>((word) => names[word]);
