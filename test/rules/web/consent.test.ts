import { expect, test } from 'vitest';
import { consentText } from '../../../web/page/consent.ts';
import type { Method } from '../../../web/page/page-data.ts';
import { spoken } from '../../../web/page/spoken.ts';

const PURCHASE = {
  kind: 'session',
  merchant: 'Academia Boa Forma',
  renewal: { every: { interval: 'month', count: 1 }, amount: 9_990, isBound: false },
  amount: 9_990,
  dueAt: 1_800_000_000,
} as const;
const textOf = (methods: readonly Method[]): string => consentText(spoken.pt, { ...PURCHASE, methods }) ?? '';

test.each<[readonly Method[], string | null]>([
  [['pix', 'card'], 'Se você pagar com cartão, ele fica guardado para essas cobranças.'],
  [['card'], 'O cartão fica guardado para essas cobranças.'],
  [['pix'], null],
])('whoever subscribes where %j is taken agrees to what becomes of a card: %s', (methods, sentence) => {
  const text = textOf(methods);
  expect(text).toContain('a cobrar R$');
  if (sentence === null) expect(text).not.toContain('cartão');
  else expect(text).toContain(sentence);
});
