import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invite, removeMember } from '../../server/staff/members.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer } from '../support/factories.ts';
import { type Answer, Browser, newPerson, PASSWORD, PUBLIC_URL } from '../support/people.ts';

let api: TestApi;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const refusal = ({ status, body }: Answer) => [status, body.error?.code];

describe('a page of another site', () => {
  test.each([
    ['from another origin', { Origin: 'https://outra.test' }],
    ['from an origin that begins as ours', { Origin: `${PUBLIC_URL}.outra.test` }],
    ['from none', { Origin: 'null' }],
    ['of which the browser says so', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('changes nothing: %s', async (_, headers) => {
    const person = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
    const product = { product: { name: 'Roubado' } };
    expect(refusal(await person.post('/api/v1/products', product, headers))).toEqual([403, 'PERMISSION_DENIED']);
    expect(refusal(await person.post('/auth/logout', {}, headers))).toEqual([403, 'PERMISSION_DENIED']);
  });

  test('sends no form', async () => {
    const person = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
    const form = { 'Content-Type': 'text/plain' };
    expect(refusal(await person.post('/api/v1/products', {}, form))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('a session', () => {
  test('that somebody brings is no session of whoever signs in', async () => {
    const { email } = await newPerson(api, { accountId: shop.accountId, role: 'viewer' });
    const browser = new Browser(api.baseUrl);
    browser.cookie = 'fatura=fixed-by-somebody-else';
    await browser.post('/auth/login', { email, password: PASSWORD });
    expect(browser.cookie).not.toBe('fatura=fixed-by-somebody-else');
    const thief = new Browser(api.baseUrl);
    thief.cookie = 'fatura=fixed-by-somebody-else';
    expect(refusal(await thief.get('/auth/session'))).toEqual([401, 'SESSION_MISSING']);
  });

  test('of a removed person ends within a second', async () => {
    const person = await newPerson(api, { accountId: shop.accountId, role: 'support' });
    const { body } = await person.get('/auth/session');
    expect((await person.get('/api/v1/customers')).status).toBe(200);
    await removeMember(api.operator, { accountId: shop.accountId, id: body.staff.id });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(refusal(await person.get('/api/v1/customers'))).toEqual([403, 'PERMISSION_DENIED']);
  });

  test('is refused with an API key beside it in its place', async () => {
    const nobody = new Browser(api.baseUrl);
    const key = { Authorization: `ApiKey ${shop.sandboxKey}` };
    expect(refusal(await nobody.get('/api/v1/customers', key))).toEqual([401, 'SESSION_MISSING']);
  });
});

describe('another account', () => {
  test('is closed, by its id and by the ids of its objects', async () => {
    const person = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
    const other = await api.newMerchant();
    const { id } = await newCustomer(other);
    expect(refusal(await person.get(`/api/v1/customers/${id}`))).toEqual([404, 'RESOURCE_MISSING']);
    person.account = other.accountId;
    expect(refusal(await person.get(`/api/v1/customers/${id}`))).toEqual([403, 'PERMISSION_DENIED']);
    expect(refusal(await person.get('/auth/staff'))).toEqual([403, 'PERMISSION_DENIED']);
  });

  test('is not entered by inviting one of its people and setting them up anew', async () => {
    const other = await api.newMerchant();
    const victim = await newPerson(api, { accountId: other.accountId, role: 'owner' });
    const thief = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
    const { body } = await thief.post('/auth/staff', { email: victim.email, role: 'viewer' });
    const token = new URL(body.link).hash.slice(1);
    const stranger = new Browser(api.baseUrl);
    expect((await stranger.post('/auth/setup/look', { token })).body.needs).toBe('sign_in');
    const set = await stranger.post('/auth/setup', { token, name: 'Ladrão', password: PASSWORD });
    expect(refusal(set)).toEqual([404, 'SETUP_LINK_INVALID']);
    await victim.post('/auth/setup/accept', { token });
    const { id } = (await victim.get('/auth/session')).body.staff;
    expect(refusal(await thief.post(`/auth/staff/${id}/link`))).toEqual([409, 'INVALID_STATE']);
  });

  test('is not entered with a link to set up anew that was made before its person came there', async () => {
    const person = await newPerson(api, { accountId: shop.accountId, role: 'viewer' });
    const owner = await newPerson(api, { accountId: shop.accountId, role: 'owner' });
    const { id } = (await person.get('/auth/session')).body.staff;
    const made = await owner.post(`/auth/staff/${id}/link`);
    const other = await api.newMerchant();
    const invited = await invite(api.operator, { accountId: other.accountId, email: person.email, role: 'owner' });
    expect((await person.post('/auth/setup/accept', { token: invited.token })).status).toBe(200);
    const token = new URL(made.body.link).hash.slice(1);
    const set = await new Browser(api.baseUrl).post('/auth/setup', { token, name: 'Ladrão', password: PASSWORD });
    expect(refusal(set)).toEqual([404, 'SETUP_LINK_INVALID']);
  });
});

describe('people of an account', () => {
  test.each(['finance', 'support', 'developer', 'viewer'] as const)('are not changed by %s', async (role) => {
    const person = await newPerson(api, { accountId: shop.accountId, role });
    const { id } = (await person.get('/auth/session')).body.staff;
    const asked = [
      await person.post('/auth/staff', { email: 'amigo@loja.test', role: 'owner' }),
      await person.ask('PATCH', `/auth/staff/${id}`, { role: 'owner' }),
      await person.post(`/auth/staff/${id}/link`),
      await person.ask('DELETE', `/auth/staff/${id}`),
      await person.ask('PATCH', '/auth/account', { refund_limit: 1 }),
      await person.ask('PUT', '/auth/account/acquirer', { method: 'card', secret_key: 'sk_1', public_key: 'pk_1' }),
      await person.post('/auth/account/acquirer/test', { method: 'pix' }),
    ];
    expect(asked.map(refusal)).toEqual(asked.map(() => [403, 'PERMISSION_DENIED']));
  });

  test('keep an owner: of two who remove each other at once one stays', async () => {
    const { accountId } = await api.newMerchant();
    const owners = [
      await newPerson(api, { accountId, role: 'owner' }),
      await newPerson(api, { accountId, role: 'owner' }),
    ];
    const ids = await Promise.all(owners.map(async (owner) => (await owner.get('/auth/session')).body.staff.id));
    const [one, other] = owners;
    const answers = await Promise.all([
      one?.ask('DELETE', `/auth/staff/${ids[1]}`),
      other?.ask('DELETE', `/auth/staff/${ids[0]}`),
    ]);
    // Whoever comes second is the last owner, or is none any more.
    expect([
      [200, 409],
      [200, 403],
    ]).toContainEqual(answers.map((answer) => answer?.status).toSorted());
  });
});

test('a link is followed by one of two at once', async () => {
  const { token } = await invite(api.operator, { accountId: shop.accountId, email: 'dupla@loja.test', role: 'viewer' });
  const both = await Promise.all(
    ['Uma', 'Outra'].map((name) => new Browser(api.baseUrl).post('/auth/setup', { token, name, password: PASSWORD })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});
