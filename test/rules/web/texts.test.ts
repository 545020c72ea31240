import { describe, expect, test } from 'vitest';
import { declineReasons } from '../../../contract/errors.ts';
import { installmentOptions } from '../../../server/web/purchase.ts';
import { testCards } from '../../../server/web/test-cards.ts';
import { date, moment, money, percentage, timeLeft } from '../../../web/page/format.ts';
import { spoken } from '../../../web/page/spoken.ts';
import { cardProblemText, problemText } from '../../../web/page/texts.ts';

const { pt, en } = spoken;

const problem = (code: Parameters<typeof problemText>[1]['code']) => ({ code, declineReason: null, fields: [] });

describe('a buyer reads', () => {
  test.each([
    [9_990, 'R$ 99,90'],
    [123_456_789, 'R$ 1.234.567,89'],
    [0, 'R$ 0,00'],
  ])('%i cents as %s', (cents, text) => {
    expect(money(cents)).toBe(text);
  });

  test('dates by the calendar of São Paulo, wherever the reader is', () => {
    const justAfterMidnightInLondon = Date.UTC(2026, 10, 25, 0, 30) / 1_000;
    expect(date(justAfterMidnightInLondon)).toBe('24/11/2026');
    expect(moment(justAfterMidnightInLondon)).toBe('24/11/2026 às 21:30');
  });

  test('percentages without needless decimals', () => {
    expect([percentage(10), percentage(12.5), percentage(12.34)]).toEqual(['10%', '12,5%', '12,34%']);
  });

  test.each([
    [-5, '00:00'],
    [1, '00:01'],
    [59_001, '01:00'],
    [3_599_000, '59:59'],
    [3_600_000, '1 h 0 min'],
    [86_399_000, '23 h 59 min'],
    [86_400_000, '1 dia'],
    [2 * 86_400_000 + 3_600_000, '2 dias e 1 hora'],
  ])('%i ms as %s', (ms, text) => {
    expect(timeLeft(ms)).toBe(text);
  });
});

describe('in English', () => {
  test('amounts, dates and times are written as there, by the calendar of São Paulo', () => {
    const at = Date.UTC(2026, 10, 25, 0, 30) / 1_000;
    expect([en.money(123_456), en.date(at), en.moment(at)]).toEqual([
      ...['R$1,234.56', '24/11/2026', '24/11/2026 at 21:30'],
    ]);
    expect(en.timeLeft(2 * 86_400_000 + 3_600_000)).toBe('2 days and 1 hour');
  });

  test('nothing is left in Portuguese', () => {
    const letters = /[ãõçáéíóúâêô]/i;
    const left = JSON.stringify(en.texts).replaceAll('Pix Automático', '').match(letters);
    expect(left).toBeNull();
  });
});

test.each([
  [{ interval: 'month', count: 1 }, 'todo mês', 'mês', 'every month'],
  [{ interval: 'month', count: 3 }, 'a cada 3 meses', '3 meses', 'every 3 months'],
  [{ interval: 'month', count: 12 }, 'todo ano', 'ano', 'every year'],
  [{ interval: 'month', count: 24 }, 'a cada 2 anos', '2 anos', 'every 2 years'],
  [{ interval: 'week', count: 1 }, 'toda semana', 'semana', 'every week'],
  [{ interval: 'day', count: 30 }, 'a cada 30 dias', '30 dias', 'every 30 days'],
] as const)('%j is read as %s', (every, each, period, english) => {
  expect([pt.texts.everyTime(every), pt.texts.period(every), en.texts.everyTime(every)]).toEqual([
    each,
    period,
    english,
  ]);
});

test.each(['pt', 'en'] as const)('each decline says what happened and what to do (%s)', (language) => {
  const { declines } = spoken[language].texts;
  expect(Object.keys(declines).toSorted()).toEqual([...declineReasons].toSorted());
  for (const { title, advice } of Object.values(declines)) {
    expect(title).toMatch(/^\S.*[^.]$/);
    expect(advice).toMatch(/\.$/);
  }
});

test('a lost answer says of a card that nobody knows, and of a PIX that nothing was charged', () => {
  for (const code of ['NETWORK', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] as const) {
    expect(cardProblemText(pt.texts, problem(code)), code).not.toContain('nada foi cobrado');
    expect(cardProblemText(pt.texts, problem(code)), code).toContain('não é cobrado duas vezes');
  }
  expect(cardProblemText(pt.texts, problem('RATE_LIMITED'))).toMatch(/ ou pague com PIX\.$/);
  expect(problemText(pt.texts, problem('SERVICE_UNAVAILABLE'))).toContain('nada foi cobrado');
});

test('installments come to the total', () => {
  const options = installmentOptions(10_001, 12);
  expect(options.map(({ count }) => count)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  for (const { count, first, last } of options) {
    expect(first - last === 0 || first - last === 1).toBe(true);
    expect(count * last).toBeLessThanOrEqual(10_001);
    expect(count * first).toBeGreaterThanOrEqual(10_001);
  }
});

test('a page offers the test cards that differ in a checkout', () => {
  expect(testCards).toHaveLength(14);
  expect(testCards[0]).toEqual({ number: '4242424242424242', outcome: { pt: 'Visa, aprovado', en: 'Visa, approved' } });
});
