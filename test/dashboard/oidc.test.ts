import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invite } from '../../server/staff/members.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { signInAtProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { Browser, newPerson, PASSWORD } from '../support/people.ts';

const identities = new Map([
  ['maria', { email: 'Maria@Loja.test', email_verified: true, name: 'Maria da Silva' }],
  ['joana', { email: 'joana@loja.test', email_verified: true, name: 'Joana' }],
  ['estranha', { email: 'estranha@loja.test', email_verified: true, name: 'Estranha' }],
  ['impostor', { email: 'vitima@loja.test', email_verified: false, name: 'Impostor' }],
]);

let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let api: TestApi;
beforeAll(async () => {
  provider = await startIdentityProvider(identities);
  api = await startApi({ oidc: provider.settings });
});
afterAll(async () => {
  await api.stop();
  await provider.close();
});

/** A browser that went to the provider and came back, and where it was sent then. */
async function cameBack(name: string, returnTo = '/dashboard/sales?status=paid') {
  const browser = new Browser(api.baseUrl);
  const sent = await browser.get(`/auth/oidc?return_to=${encodeURIComponent(returnTo)}`);
  const query = await signInAtProvider(sent.headers.get('location') ?? '', name);
  const answer = await browser.get(`/auth/oidc/callback${query}`, { Cookie: browser.cookieOf('fatura-oidc') });
  return { browser, query, to: answer.headers.get('location') };
}

test('whoever was invited comes in under the address that the provider has verified, to where they wanted to go', async () => {
  const { accountId } = await api.newMerchant();
  await invite(api.operator, { accountId, email: 'maria@loja.test', role: 'finance' });
  const { browser, to } = await cameBack('maria');
  expect(to).toBe('/dashboard/sales?status=paid');
  const { body } = await browser.get('/auth/session');
  expect(body).toMatchObject({ staff: { name: 'Maria da Silva' }, accounts: [{ id: accountId, role: 'finance' }] });
});

test('the first sign-in there ends the password of before', async () => {
  const { accountId } = await api.newMerchant();
  const known = await newPerson(api, { accountId, role: 'viewer', email: 'joana@loja.test' });
  const { browser } = await cameBack('joana');
  expect((await browser.get('/auth/session')).body.accounts).toMatchObject([{ id: accountId }]);
  expect((await known.get('/auth/session')).status).toBe(401);
  expect((await known.post('/auth/login', { email: 'joana@loja.test', password: PASSWORD })).status).toBe(401);
});

describe('nobody comes in', () => {
  test.each([
    ['whom nobody invited', 'estranha'],
    ['whose address the provider has not verified', 'impostor'],
  ])('%s', async (_, name) => {
    const { accountId } = await api.newMerchant();
    await invite(api.operator, { accountId, email: 'vitima@loja.test', role: 'owner' });
    const { browser, to } = await cameBack(name);
    expect(to).toBe('/dashboard/sign-in?refused=LOGIN_FAILED');
    expect((await browser.get('/auth/session')).status).toBe(401);
  });

  test('with an answer that another browser asked for, nor with one twice', async () => {
    const { browser, query } = await cameBack('maria');
    const refused = '/dashboard/sign-in?refused=LOGIN_FAILED';
    const other = await new Browser(api.baseUrl).get(`/auth/oidc/callback${query}`);
    expect(other.headers.get('location')).toBe(refused);
    const again = await browser.get(`/auth/oidc/callback${query}`, { Cookie: browser.cookieOf('fatura-oidc') });
    expect(again.headers.get('location')).toBe(refused);
  });
});

test.each(['https://outra.test/', '//outra.test', '/dashboard/../outra', '/dashboard/x\\y'])(
  'nobody is led to %s',
  async (returnTo) => {
    expect((await cameBack('maria', returnTo)).to).toBe('/dashboard');
  },
);
