import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { switchedOccasions } from '../../../contract/mails.ts';
import { readLook } from '../../../server/accounts/look.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { rollKey } from '../../support/keys.ts';
import { rolesOf } from '../../support/roles.ts';
import { refusalOf, send, violationsOf } from '../requests.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const patch = (key: string, account: unknown, headers: Record<string, string> = {}) =>
  send(api, { method: 'PATCH', path: '/account', key, body: { account }, headers });

const whole = {
  tax_id: '12ABC34501DE35',
  support_email: 'ajuda@loja.test',
  support_phone: '+551140028922',
  color: '#6b21a8',
  cover_color: '#f3ead7',
  corner_radius: 16,
  font: 'serif' as const,
  terms_url: 'https://loja.test/termos',
  privacy_url: 'https://loja.test/privacidade',
};

const NO_LOOK = {
  ...{ tax_id: null, support_email: null, support_phone: null, color: null, logo_url: null },
  ...{ cover_color: null, corner_radius: null, font: null, terms_url: null, privacy_url: null },
};

describe('the account', () => {
  test('is answered whole, to both modes', async () => {
    const shop = await api.newMerchant();
    const mails = { sender_name: null, sentence: null, attach_receipt: false };
    const occasions = Object.fromEntries(switchedOccasions.map((name) => [name, true]));
    const own = {
      id: shop.accountId,
      object: 'account',
      name: 'Loja do Teste',
      mail_settings: { ...mails, occasions },
    };
    const account = { ...own, ...NO_LOOK };
    const created = expect.any(Number);
    expect(await shop.fatura.account.retrieve()).toEqual({
      ...account,
      created,
      publishable_key: shop.accountId.replace('acct', 'pk_sandbox'),
      live_mode: false,
    });
    expect(await shop.live.account.retrieve()).toEqual({
      ...account,
      created,
      publishable_key: shop.accountId.replace('acct', 'pk_live'),
      live_mode: true,
    });
  });

  test('is stored in one form, however it was written', async () => {
    const { fatura } = await api.newMerchant();
    const written = {
      name: ' Loja Nova ',
      tax_id: '12.abc.345/01de-35',
      support_email: ' ajuda@loja.test ',
      support_phone: '(11) 4002-8922',
      color: '#6B21A8',
      cover_color: '#F3EAD7',
      corner_radius: 16,
      font: 'serif' as const,
      terms_url: 'HTTPS://loja.test/termos',
      privacy_url: ' https://loja.test/privacidade ',
    };
    expect(await fatura.account.update(written)).toMatchObject({ ...whole, name: 'Loja Nova' });
    expect(await fatura.account.update({ tax_id: '529.982.247-25' })).toMatchObject({ tax_id: '52998224725' });
  });

  test('changes in the fields sent: absent keeps, null clears', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const set = await fatura.account.update(whole);
    expect(set).toMatchObject({ ...whole, name: 'Loja do Teste' });
    expect(await fatura.account.update({})).toEqual(set);
    const cleared = await fatura.account.update({ tax_id: null, color: null, terms_url: null, corner_radius: null });
    expect(cleared).toEqual({ ...set, tax_id: null, color: null, terms_url: null, corner_radius: null });
    expect(await fatura.account.retrieve()).toEqual(cleared);
    expect(await readLook(api.composition.deps.pool, { accountId, liveMode: false })).toEqual({
      name: 'Loja do Teste',
      taxId: null,
      supportEmail: whole.support_email,
      supportPhone: whole.support_phone,
      color: null,
      coverColor: whole.cover_color,
      cornerRadius: null,
      font: 'serif',
      termsUrl: null,
      privacyUrl: whole.privacy_url,
      logoDigest: null,
      logoSize: null,
    });
  });

  test.each(['fatura', 'live'] as const)('is changed in the mode of the key alone (%s)', async (mode) => {
    const shop = await api.newMerchant();
    const other = shop[mode === 'fatura' ? 'live' : 'fatura'];
    const before = await other.account.retrieve();
    const changed = await shop[mode].account.update({ ...whole, name: 'Loja Nova' });
    expect(await shop[mode].account.retrieve()).toEqual(changed);
    expect(changed).toMatchObject({ ...whole, name: 'Loja Nova', live_mode: mode === 'live' });
    expect(await other.account.retrieve()).toEqual(before);
  });

  test('of another merchant is another one', async () => {
    const shop = await api.newMerchant();
    const other = await api.newMerchant();
    const before = await other.fatura.account.retrieve();
    await shop.fatura.account.update(whole);
    expect(await other.fatura.account.retrieve()).toEqual(before);
  });

  test('is named anew to whoever pays from then on', async () => {
    const { fatura, accountId } = await api.newMerchant();
    await fatura.account.update({ name: 'Padaria Aurora' });
    expect(await readLook(api.composition.deps.pool, { accountId, liveMode: false })).toMatchObject({
      name: 'Padaria Aurora',
    });
  });
});

test('changes at the same moment lose nothing of each other', async () => {
  const { fatura } = await api.newMerchant();
  await Promise.all([
    fatura.account.update({ tax_id: whole.tax_id }),
    fatura.account.update({ support_email: whole.support_email }),
    fatura.account.update({ support_phone: whole.support_phone }),
    fatura.account.update({ color: whole.color, cover_color: whole.cover_color, font: whole.font }),
    fatura.account.update({ corner_radius: whole.corner_radius, terms_url: whole.terms_url }),
    fatura.account.update({ privacy_url: whole.privacy_url }),
  ]);
  expect(await fatura.account.retrieve()).toMatchObject(whole);
});

test('a change waits for one under way, and keeps what that one writes', async () => {
  const { fatura, accountId } = await api.newMerchant();
  const client = await rolesOf(api.composition.deps.pool).superuser.connect();
  await client.query('BEGIN');
  await client.query(`UPDATE account_look SET support_email = 'outra@loja.test' WHERE account_id = $1`, [accountId]);
  const changing = fatura.account.update({ color: whole.color });
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM account_look r WHERE%FOR UPDATE'`;
  await expect.poll(async () => (await api.composition.deps.pool.query(waiting)).rowCount).toBe(1);
  await client.query('COMMIT');
  client.release();
  expect(await changing).toMatchObject({ color: whole.color, support_email: 'outra@loja.test' });
});

describe('a change is refused', () => {
  const wrong: [change: object, message: string][] = [
    [{ name: '' }, 'account.name must not be empty, got ""'],
    [{ name: null }, 'account.name must be of type string, got null'],
    [{ name: 'N'.repeat(256) }, 'account.name must have at most 255 characters, has 256'],
    [{ name: 'a\u0007b' }, 'account.name must not contain control characters'],
    [{ tax_id: '12ABC34501DE36' }, 'account.tax_id is not a CNPJ: check digits differ'],
    [{ tax_id: '111.111.111-11' }, 'account.tax_id is not a CPF: all its digits are equal'],
    [{ tax_id: 52998224725 }, 'account.tax_id must be of type string'],
    [{ support_email: 'ajuda' }, 'account.support_email must be an e-mail address, got "ajuda"'],
    [{ support_email: 'a@loja.test\nBcc: b@loja.test' }, 'account.support_email must be an e-mail address'],
    [{ support_phone: '3333-4444' }, 'account.support_phone is not a Brazilian number with area code'],
    [{ color: 'purple' }, 'account.color must be a color of the form #rrggbb, got "purple"'],
    [{ color: '#6b21a8ff' }, 'account.color must be a color of the form #rrggbb'],
    [{ color: '#777777' }, 'white text has a contrast of at least 4.5; it has 4.47, got "#777777"'],
    [{ color: '#ffffff' }, 'it has 1, got "#ffffff"'],
    [{ color: '' }, 'account.color must not be empty'],
    [{ cover_color: 'beige' }, 'account.cover_color must be a color of the form #rrggbb, got "beige"'],
    [{ corner_radius: 25 }, 'account.corner_radius must be at most 24, got 25'],
    [{ corner_radius: -1 }, 'account.corner_radius must be at least 0, got -1'],
    [{ font: 'comic' }, 'account.font must be one of sans, serif, rounded, got "comic"'],
    [{ terms_url: 'termos' }, 'account.terms_url must begin with https:// or http://'],
    [{ privacy_url: 'javascript:alert(1)' }, 'account.privacy_url must begin with https:// or http://'],
    [{ logo_url: 'loja.test/logo.png' }, 'account.logo_url must begin with https:// or http:// and a host'],
    [{ logo_url: 'ftp://loja.test/logo.png' }, 'account.logo_url must begin with https:// or http://'],
    [{ logo_url: 'https://user:secret@loja.test/' }, 'account.logo_url must not carry a user name or password'],
    [{ logo_url: `https://loja.test/${'x'.repeat(2_048)}` }, 'account.logo_url must have at most 2048 characters'],
  ];

  test.each(wrong)('to %j', async (change, message) => {
    const { fatura, sandboxKey } = await api.newMerchant();
    const before = await fatura.account.retrieve();
    const refused = refusalOf(await patch(sandboxKey, change));
    const [field] = Object.keys(change);
    expect(refused).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: `account.${field}` });
    expect(refused.message).toContain(message);
    expect(refused.errors).toHaveLength(1);
    expect(await fatura.account.retrieve()).toEqual(before);
  });

  test('with all that is wrong of it, and never repeats a tax id', async () => {
    const { sandboxKey } = await api.newMerchant();
    const all = Object.fromEntries(wrong.map(([change]) => Object.entries(change)[0] ?? ['', '']));
    const answer = await patch(sandboxKey, { ...all, tax_id: '12ABC34501DE36', email: 'dono@loja.test' });
    const fields = ['name', 'tax_id', 'support_email', 'support_phone', 'color', 'logo_url'].concat([
      'cover_color',
      'corner_radius',
      'font',
      'terms_url',
      'privacy_url',
    ]);
    expect(violationsOf(answer).toSorted()).toEqual(
      [
        400,
        ...fields.map((field) => `account.${field} PARAMETER_INVALID`),
        'account.email PARAMETER_UNKNOWN',
      ].toSorted(),
    );
    expect(JSON.stringify(answer.body)).not.toContain('12ABC');
  });

  test.each([[{}], [{ account: null }], [{ account: [] }]])('of a body %j', async (body) => {
    const { sandboxKey } = await api.newMerchant();
    const answer = await send(api, { method: 'PATCH', path: '/account', key: sandboxKey, body });
    expect(refusalOf(answer)).toMatchObject({ status: 400, param: 'account' });
  });

  test('of a key that may only read, which reads the account', async () => {
    const { accountId } = await api.newMerchant();
    const key = await rollKey(api.operator, { accountId, liveMode: true, scope: 'read', hours: 1 });
    expect(refusalOf(await patch(key, whole))).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect((await send(api, { method: 'GET', path: '/account', key })).body).toMatchObject({ tax_id: null });
  });

  test.each(['#767676', '#000000', '#E60000'])('but not for the color %s, on which white is read', async (color) => {
    const { fatura } = await api.newMerchant();
    expect((await fatura.account.update({ color })).color).toBe(color.toLowerCase());
  });
});

test('a repeat under an Idempotency-Key is answered as the first was, whatever was changed since', async () => {
  const { sandboxKey, fatura } = await api.newMerchant();
  const headers = { 'Idempotency-Key': 'look-1' };
  const first = await patch(sandboxKey, { color: '#6b21a8' }, headers);
  await fatura.account.update({ color: '#0b5d3b' });
  const repeated = await patch(sandboxKey, { color: '#6b21a8' }, headers);
  expect([repeated.status, repeated.body]).toEqual([200, first.body]);
  expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  expect((await fatura.account.retrieve()).color).toBe('#0b5d3b');
  const other = await patch(sandboxKey, { color: '#000000' }, headers);
  expect(refusalOf(other)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
});
