import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { type Answer, Browser, newPerson, PASSWORD } from '../support/people.ts';

const NAME_TRIES = 10;
const ADDRESS_TRIES = 50;
const GUESSES = 10_000;
const AT_ONCE = 100;
const MANY_MS = 120_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test(
  'of 10,000 guesses of a password ten are looked at; the person is told, and its account is',
  async () => {
    const { accountId } = await api.newMerchant();
    const person = await newPerson(api, { accountId, role: 'owner' });
    const stranger = new Browser(api.baseUrl);
    const seen = new Map<string, number>();
    const guess = async (password: string): Promise<Answer> => {
      const answer = await stranger.post('/auth/login', { email: person.email, password });
      seen.set(answer.body.error.code, (seen.get(answer.body.error.code) ?? 0) + 1);
      return answer;
    };
    for (let done = 0; done < GUESSES; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => guess(`palpite numero ${done + at}`)));
    }
    const last = await guess(PASSWORD);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    // The invitation of the person was a try from the same address.
    expect(Object.fromEntries(seen)).toEqual({ LOGIN_FAILED: NAME_TRIES, RATE_LIMITED: GUESSES + 1 - NAME_TRIES });
    const { rows } = await api.operator.pool.query(
      "SELECT count(*)::int AS told FROM audit_log WHERE account_id = $1 AND action = 'staff.sign_ins_refused'",
      [accountId],
    );
    expect(rows).toEqual([{ told: 1 }]);
    const metrics = await (await fetch(`${api.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/fatura_staff_sign_ins_total\{outcome="limited",process="[^"]+"\} [1-9]\d{3}/);
  },
  MANY_MS,
);

test('guesses of many names end at the limit of their address', async () => {
  const stranger = new Browser(api.baseUrl);
  const codes: string[] = [];
  for (let at = 0; at < ADDRESS_TRIES; at += 1) {
    const { body } = await stranger.post('/auth/login', { email: `nome${at}@loja.test`, password: PASSWORD });
    codes.push(body.error.code);
  }
  expect(codes.at(-1)).toBe('RATE_LIMITED');
});
