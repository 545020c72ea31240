const part = (length: number): string => 'a'.repeat(length);

/** E-mail addresses that are taken, each with the form in which it is stored. */
export const takenAddresses: readonly [typed: string, stored: string][] = [
  ['a&b@example.com', 'a&b@example.com'],
  ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ['x/y.z@example.com.br', 'x/y.z@example.com.br'],
  ['Ana@Example.COM', 'Ana@Example.COM'],
  ['ana@example.xn--p1ai', 'ana@example.xn--p1ai'],
  ['ana@pães.com.br', 'ana@xn--pes-mla.com.br'],
  ['ana@пример.рф', 'ana@xn--e1afmkfd.xn--p1ai'],
  [`${part(64)}@example.com`, `${part(64)}@example.com`],
  [`a@${part(63)}.com`, `a@${part(63)}.com`],
];
