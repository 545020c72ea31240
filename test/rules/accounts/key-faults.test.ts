import { expect, test } from 'vitest';
import { faultOfKey, newApiKey } from '../../../server/accounts/keys.ts';

const key = newApiKey(false);
const SECRET = '51H8abcDEFghiJKL0123456789';

const strangers: [what: string, sent: string, words: RegExp][] = [
  ['a test key of another service', `sk_test_${SECRET}`, /no key of Fatura, maybe one of another service/],
  [
    'a live key of another service',
    `sk_live_${SECRET}`,
    /not whole: behind its prefix it has 26 characters instead of 49/,
  ],
  ['a restricted key of another service', `rk_live_${SECRET}`, /no key of Fatura/],
  ['a token of another service', `$aact_${SECRET}`, /no key of Fatura/],
  ['a publishable key', `pk_live_${SECRET}`, /publishable key, which names an account to pages and opens nothing/],
  ['the secret of a webhook', `whsec_${SECRET}`, /secret of a webhook endpoint/],
  ['the id of a key', `key_${SECRET}`, /id of a key, not the key/],
  ['an account', `acct_${SECRET}`, /no key of Fatura/],
  ['a key in quotes', `"${key}"`, /without quotes and brackets/],
  ['a key in single quotes', `'${key}'`, /without quotes/],
  ['a key with the name of its variable', `FATURA_API_KEY=${key}`, /no key of Fatura/],
  ['the placeholder of the docs', '<API_KEY>', /without quotes and brackets/],
  ['a shortened key', `${key.slice(0, 20)}…`, /without quotes/],
  ['a key without its end', key.slice(0, -1), /not whole: behind its prefix it has 48 characters instead of 49/],
  ['a key that came twice', key + key, /not whole/],
  ['a key with two letters changed', key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')), /mistyped/],
  ['a live key made of a sandbox key', key.replace('sandbox', 'live'), /mistyped/],
  ['nothing of the kind', 'changeme', /no key of Fatura/],
];

test.each(strangers)('%s is refused by what is wrong with it, and not repeated', (_, sent, words) => {
  const fault = faultOfKey(sent) ?? '';
  expect(fault).toMatch(words);
  expect(fault).not.toContain(SECRET);
  expect(fault).not.toContain(key.slice(12));
});

test('what has the form of a key has no fault', () => {
  for (const liveMode of [true, false]) expect(faultOfKey(newApiKey(liveMode))).toBe(null);
});
