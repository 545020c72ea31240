/** Cents as the API writes them: `40.00`. */
export const decimal = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** Of a text that passed the document's pattern. */
export const centsOf = (text: string): number => Number(text.replace('.', ''));
