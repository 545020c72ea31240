/** What the issuer of a card says, by its number, its code and its holder, as the simulators of Pagar.me have it (SOURCES.md). */

export type Verdict =
  | { readonly kind: 'approved' }
  | { readonly kind: 'declined'; readonly code: string; readonly message: string }
  /** Refused before the issuer is asked. */
  | { readonly kind: 'suspected' }
  /** At the acquirer for a while, then approved or not. */
  | { readonly kind: 'processing'; readonly isApproved: boolean };

const GENERIC = '05';
const messages: Readonly<Record<string, string>> = {
  '05': 'Contate a central do seu cartão',
  '14': 'Verifique os dados do cartão',
  '51': 'Não autorizada',
  '54': 'Verifique os dados do cartão',
  '57': 'Transação não permitida para o cartão',
  '59': 'Contate a central do seu cartão',
};

export const declined = (code: string): Extract<Verdict, { kind: 'declined' }> => ({
  kind: 'declined',
  code,
  message: messages[code] ?? 'Não autorizada',
});

const byNumber: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['4000000000000028', declined(GENERIC)],
  ['4000000000000036', { kind: 'processing', isApproved: true }],
  ['4000000000000044', { kind: 'processing', isApproved: false }],
]);

/** A document that the simulator of the antifraud refuses. */
export const SUSPECTED_DOCUMENT = '11111111111';

/** `codes`: what a test has the issuer of a number answer. */
export function verdictOf(
  { number, cvv }: { number: string; cvv: string | undefined },
  codes: Readonly<Record<string, string>>,
): Verdict {
  const code = codes[number];
  if (code !== undefined) return declined(code);
  if (cvv?.startsWith('6')) return declined(GENERIC);
  return byNumber.get(number) ?? { kind: 'approved' };
}

const BRANDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:4011|4312|4389|4514|4576|5041|5066|5067|509|6277|6362|6363|650|6516|6550)/, 'Elo'],
  [/^(?:6062|3841)/, 'Hipercard'],
  [/^3[47]/, 'Amex'],
  [/^(?:5[1-5]|2[2-7])/, 'Mastercard'],
  [/^4/, 'Visa'],
];

export const brandOf = (number: string): string | null => BRANDS.find(([form]) => form.test(number))?.[1] ?? null;

/** The check digit of a number (Luhn). */
export function isNumber(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, place) => {
    const weighed = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return sum % 10 === 0;
}
