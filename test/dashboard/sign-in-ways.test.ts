import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { type Answer, Browser, newPerson, PASSWORD } from '../support/people.ts';

const HALF_MINUTE_MS = 30_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const refusal = ({ status, body }: Answer) => [status, body.error?.code];

const person = async () => newPerson(api, { accountId: (await api.newMerchant()).accountId, role: 'support' });

describe('an authenticator app', () => {
  const codeOf = (secret: string, halfMinutes = 0): string =>
    new TOTP({ secret }).generate({ timestamp: Date.now() + halfMinutes * HALF_MINUTE_MS });

  test('counts once a code of it has come, and each code counts once', async () => {
    const one = await person();
    const { body } = await one.post('/auth/totp');
    expect(body.qr).toMatch(/^data:image\/png;base64,/);
    // Without a first code nobody is locked out by a secret that no app has.
    expect((await new Browser(api.baseUrl).post('/auth/login', { email: one.email, password: PASSWORD })).status).toBe(
      200,
    );
    const wrong = await one.post('/auth/totp/confirm', { code: '000000' });
    expect(refusal(wrong)).toEqual([400, 'PARAMETER_INVALID']);
    const code = codeOf(body.secret);
    expect((await one.post('/auth/totp/confirm', { code })).body.sign_in.has_totp).toBe(true);
    const login = (more: object) =>
      new Browser(api.baseUrl).post('/auth/login', { email: one.email, password: PASSWORD, ...more });
    expect(refusal(await login({}))).toEqual([401, 'TOTP_REQUIRED']);
    expect(refusal(await login({ code }))).toEqual([401, 'LOGIN_FAILED']);
    const both = await Promise.all([1, 2].map(() => login({ code: codeOf(body.secret, 1) })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect((await one.ask('DELETE', '/auth/totp')).body.sign_in.has_totp).toBe(false);
    expect((await login({})).status).toBe(200);
  });
});

describe('another password', () => {
  test('ends the other sessions, and the password of before', async () => {
    const one = await person();
    const elsewhere = new Browser(api.baseUrl);
    await elsewhere.post('/auth/login', { email: one.email, password: PASSWORD });
    expect((await one.post('/auth/password', { password: 'outra senha comprida' })).status).toBe(200);
    const asked = [
      await elsewhere.get('/auth/session'),
      await new Browser(api.baseUrl).post('/auth/login', { email: one.email, password: PASSWORD }),
    ];
    expect(asked.map(refusal)).toEqual([
      [401, 'SESSION_MISSING'],
      [401, 'LOGIN_FAILED'],
    ]);
    expect((await one.get('/auth/session')).status).toBe(200);
  });

  test.each([
    ['curta demais', 'must have 12 to 200 characters, has 5', 'curta'],
    ['one character again and again', 'different characters', 'aaaaaaaaaaaaaaaa'],
  ])('is refused: %s', async (_, limit, password) => {
    const { status, body } = await (await person()).post('/auth/password', { password });
    expect([status, body.error.param]).toEqual([400, 'password']);
    expect(body.error.message).toContain(limit);
    expect(body.error.message).not.toContain(password);
  });

  test('is not the own address', async () => {
    const one = await newPerson(api, {
      accountId: (await api.newMerchant()).accountId,
      role: 'viewer',
      email: 'fulana.de.tal@loja.test',
    });
    expect((await one.post('/auth/password', { password: 'Fulana.de.Tal@loja.test' })).body.error.param).toBe(
      'password',
    );
  });
});

test('the sessions of a person are listed, and each is ended by its person alone', async () => {
  const one = await person();
  const other = await person();
  const { body } = await one.get('/auth/sessions');
  expect(body.data).toMatchObject([{ is_current: true, address: '127.0.0.1' }]);
  const [{ id }] = body.data;
  expect(refusal(await other.ask('DELETE', `/auth/sessions/${id}`))).toEqual([404, 'RESOURCE_MISSING']);
  expect((await one.ask('DELETE', `/auth/sessions/${id}`)).status).toBe(200);
});

test('a passkey that answers no challenge of ours is refused', async () => {
  const one = await person();
  const { body } = await one.post('/auth/passkeys/options');
  const answer = { challenge_id: body.challenge_id, response: { id: 'x', type: 'public-key' }, name: 'Celular' };
  expect(refusal(await one.post('/auth/passkeys', answer))).toEqual([401, 'LOGIN_FAILED']);
  // The challenge was used.
  expect(refusal(await one.post('/auth/passkeys', answer))).toEqual([401, 'LOGIN_FAILED']);
  const { body: login } = await new Browser(api.baseUrl).post('/auth/login/passkey/options');
  const shown = { challenge_id: login.challenge_id, response: { id: 'x' } };
  expect(refusal(await new Browser(api.baseUrl).post('/auth/login/passkey', shown))).toEqual([401, 'LOGIN_FAILED']);
});
