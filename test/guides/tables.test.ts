import { describe, expect, test } from 'vitest';
import { declineReasons } from '../../contract/errors.ts';
import { routeLimits } from '../../contract/kernel.ts';
import { COLLECTION_DEFAULTS } from '../../server/accounts/entity.ts';
import { LADDER } from '../../server/events/deliveries/rules.ts';
import { testCardScenarios } from '../../server/payments/acquirer/sandbox/test-cards.ts';
import { guides, LANGUAGES, type Language } from './guide.ts';

/** Cells of the rows of a guide, headings of tables and the lines below them included. */
function rowsOf(slug: string, language: Language): string[][] {
  const guide = guides.find((one) => one.slug === slug && one.language === language);
  return [...(guide?.text ?? '').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
}

const firstsOf = (slug: string, language: Language): string[] =>
  rowsOf(slug, language).map(([first = '']) => first.replaceAll('`', ''));

const UNIT_SECONDS: Readonly<Record<string, number>> = { min: 60, h: 3_600 };

/** `10 min` in seconds. */
function secondsOf(words: string): number {
  const [count = '', unit = ''] = words.split(' ');
  return Number(count) * (UNIT_SECONDS[unit] ?? 1);
}

describe.each(LANGUAGES)('what a table says is what the service does, in %s', (language) => {
  test('test cards and what becomes of them', () => {
    const rows = rowsOf('testing', language).filter(([number = '']) => /^\d[\d ]{14,}$/.test(number));
    expect(rows.map(([number = '']) => number.replaceAll(' ', '')).toSorted()).toEqual(
      [...testCardScenarios.keys()].toSorted(),
    );
    for (const [number = '', words = ''] of rows) {
      const scenario = testCardScenarios.get(number.replaceAll(' ', '')) ?? '';
      if (declineReasons.some((reason) => reason === scenario)) expect(words).toContain(`\`${scenario}\``);
    }
  });

  test('the ladder of deliveries', () => {
    const [, ...after] = rowsOf('webhooks', language).find((row) => row.includes('93 h')) ?? [];
    expect(after.map(secondsOf)).toEqual(LADDER);
  });

  test('the reasons of a decline', () => {
    const told = firstsOf('cards', language).filter((first) => declineReasons.some((reason) => reason === first));
    expect(told.toSorted()).toEqual([...declineReasons].toSorted());
  });

  test('the days of collection', () => {
    const { overdueDays, retryDays, suspendDays, cancelDays } = COLLECTION_DEFAULTS;
    const days = firstsOf('subscriptions', language).flatMap(
      (first) => first.match(/^[\d, −]+$/)?.[0].split(', ') ?? [],
    );
    expect(days.toSorted()).toEqual(
      [...new Set(['−3', '0', ...[overdueDays, ...retryDays, suspendDays, cancelDays].map(String)])].toSorted(),
    );
  });

  test('limits of single routes', () => {
    const told = rowsOf('going-live', language).flatMap(
      ([, value = '']) => /^(\d+) (?:a minute|por minuto)/.exec(value)?.[1] ?? [],
    );
    expect(told.map(Number).toSorted()).toEqual([...new Set(Object.values(routeLimits))].toSorted());
  });
});
