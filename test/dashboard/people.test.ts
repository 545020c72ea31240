import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invite } from '../../server/staff/members.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { type Answer, Browser, newPerson, PASSWORD } from '../support/people.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const refusal = ({ status, body }: Answer) => [status, body.error?.code];

test('a link is followed once, and opens the dashboard of its account', async () => {
  const { accountId } = await api.newMerchant();
  const { token } = await invite(api.operator, { accountId, email: 'Maria@Loja.test', role: 'owner' });
  const browser = new Browser(api.baseUrl);
  const look = await browser.post('/auth/setup/look', { token });
  expect(look.body).toEqual({
    email: 'maria@loja.test',
    name: '',
    account_name: 'Loja do Teste',
    needs: 'password',
  });
  const { status, body } = await browser.post('/auth/setup', { token, name: 'Maria', password: PASSWORD });
  expect([status, body.accounts, body.staff.name]).toEqual([
    200,
    [{ id: accountId, name: 'Loja do Teste', role: 'owner', refund_limit: 100_000, has_acquirer: false }],
    'Maria',
  ]);
  expect(refusal(await browser.post('/auth/setup', { token, name: 'M', password: PASSWORD }))).toEqual([
    404,
    'SETUP_LINK_INVALID',
  ]);
  expect((await browser.get('/auth/session')).body.staff.email).toBe('maria@loja.test');
});

describe('signing in', () => {
  test('is by e-mail address and password, with a new token each time', async () => {
    const { accountId } = await api.newMerchant();
    const person = await newPerson(api, { accountId, role: 'support' });
    const before = person.cookie;
    const login = await person.post('/auth/login', { email: person.email.toUpperCase(), password: PASSWORD });
    expect(login.status).toBe(200);
    expect(person.cookie).not.toBe(before);
    const former = new Browser(api.baseUrl);
    former.cookie = before;
    expect(refusal(await former.get('/auth/session'))).toEqual([401, 'SESSION_MISSING']);
    await person.post('/auth/logout');
    expect(person.cookie).toBeNull();
  });

  test('says nothing of which part was wrong', async () => {
    const { accountId } = await api.newMerchant();
    const { email } = await newPerson(api, { accountId, role: 'viewer' });
    const stranger = new Browser(api.baseUrl);
    const wrong = await stranger.post('/auth/login', { email, password: 'nao sei a senha' });
    const unknown = await stranger.post('/auth/login', { email: 'ninguem@loja.test', password: PASSWORD });
    expect([refusal(wrong), refusal(unknown)]).toEqual([
      [401, 'LOGIN_FAILED'],
      [401, 'LOGIN_FAILED'],
    ]);
    expect(wrong.body.error.message).toBe(unknown.body.error.message);
  });
});

test('a screen uses the client of merchants, and the log tells who it was', async () => {
  const { accountId, fatura } = await api.newMerchant();
  const person = await newPerson(api, { accountId, role: 'support' });
  const customer = await person.sdk().customers.create({
    name: 'João Souza',
    identifier: '52998224725',
    email: 'joao@example.com',
  });
  expect(await fatura.customers.retrieve(customer.id)).toMatchObject({ name: 'João Souza' });
  const { rows } = await api.composition.database.pool.query(
    `SELECT entry::json->>'action' AS action, entry::json->'actor' AS actor, entry::json->>'object' AS object, entry
     FROM audit_log WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
    [accountId],
  );
  expect(rows[0]).toMatchObject({
    action: 'customers.create',
    object: customer.id,
    actor: { kind: 'staff', user: 'Pessoa support' },
  });
  expect(rows[0].entry).not.toContain('João');
});
