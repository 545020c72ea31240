import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that this code had of its own, and the field's word for each. */
const BANNED = {
  lane: 'mode',
  pace: 'rate, or speed',
  'fair start': 'round robin',
  'sandbox pace': 'limit',
  'live work': 'mode',
  'beside others': 'fair semaphore',
  'step aside': 'release',
  horizon: 'watermark',
  canary: 'key check value',
  witness: 'process ring',
  stretch: 'index range',
  bell: 'wake-up signal',
  beat: 'heartbeat',
  loud: 'heavy hitter',
  overtook: 'write conflict',
  'under way': 'in flight, or current',
  visit: 'page request',
  news: 'what it is that is new',
} as const;

/** Words of the same kind that are still there, and in how many lines; a number only ever falls. */
const LEFT = {
  standing: 59,
} as const;

const lines = globSync('{server,workflows,ops}/**/*.ts').flatMap((path) => readFileSync(path, 'utf8').split('\n'));

/** Lines with a word, alone or as a part of a name. */
const linesWith = (word: string): string[] => {
  const [first = '', ...rest] = word.split(' ');
  const anyCase = (letter: string) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
  const body = [first, ...rest].map((part) => `${anyCase(part.charAt(0))}${part.slice(1)}`).join('[ _]?');
  const pattern = new RegExp(
    `(?<![a-zA-Z])${body}(?:e?s)?(?![a-z])|(?<=[a-z])${word.charAt(0).toUpperCase()}${word.slice(1)}(?:e?s)?(?![a-z])`,
  );
  return lines.filter((line) => pattern.test(line));
};

test.each(Object.entries(BANNED))('%s is a word of nobody else: %s', (word) => {
  expect(linesWith(word)).toEqual([]);
});

test('words of our own become fewer', () => {
  expect(Object.fromEntries(Object.keys(LEFT).map((word) => [word, linesWith(word).length]))).toEqual(LEFT);
});
