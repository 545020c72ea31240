export const CENTS_IN_REAL = 100;
const CPF_DIGITS = 11;

/** `529.982.247-25`, `12.ABC.345/01DE-35` */
export const taxId = (identifier: string): string =>
  identifier.length === CPF_DIGITS
    ? identifier.replace(/^(.{3})(.{3})(.{3})(.{2})$/, '$1.$2.$3-$4')
    : identifier.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');

/** `•••.982.247-••`: enough to tell two people apart. */
export const maskedTaxId = (identifier: string): string =>
  identifier.length === CPF_DIGITS
    ? `•••.${identifier.slice(3, 6)}.${identifier.slice(6, 9)}-••`
    : taxId(identifier).replace(/^.{6}/, '••.•••');

/** `(11) 98765-4321` of a Brazilian number, any other as it is. */
export const phoneNumber = (phone: string): string => phone.replace(/^\+55(\d{2})(\d{4,5})(\d{4})$/, '($1) $2-$3');

const AMOUNT = /^(?:R\$)?\s*(\d{1,3}(?:\.\d{3})+|\d+)(?:[,.](\d{1,2}))?$/;

/** Cents of what a person wrote: `99,90`, `1.234,5`, `R$ 40`; null where it is no amount. */
export function centsOf(text: string): number | null {
  const [, whole, part = ''] = AMOUNT.exec(text.trim()) ?? [];
  return whole === undefined ? null : Number(whole.replaceAll('.', '')) * CENTS_IN_REAL + Number(part.padEnd(2, '0'));
}

/** What a person would write for the cents: `99,90`. */
export const amountText = (cents: number): string => (cents / CENTS_IN_REAL).toFixed(2).replace('.', ',');
