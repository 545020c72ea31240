import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLook } from '../../../server/accounts/look.ts';
import { runAdmin } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { png, serveFile, serveFiles } from '../../support/images.ts';

/** Each command is a process of its own. */
const MANY_COMMANDS_MS = 120_000;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

describe('what buyers see of an account', { timeout: MANY_COMMANDS_MS }, () => {
  const set = (accountId: string, ...options: string[]) => runAdmin(api, ['account', 'set', accountId, ...options]);
  const lookOf = ({ out }: { out: string }) => {
    const shown = JSON.parse(out);
    return Object.fromEntries(['name', ...Object.keys(NOTHING)].map((field) => [field, shown[field]]));
  };
  const NOTHING = {
    ...{ tax_id: null, support_email: null, support_phone: null, color: null, logo_url: null },
    ...{ cover_color: null, corner_radius: null, font: null, terms_url: null, privacy_url: null },
  };
  const whole = {
    tax_id: '12ABC34501DE35',
    support_email: 'ajuda@loja.test',
    support_phone: '+551140028922',
    color: '#6b21a8',
    cover_color: '#f3ead7',
    corner_radius: 0,
    font: 'rounded',
    terms_url: 'https://loja.test/termos',
    privacy_url: 'https://loja.test/privacidade',
  };

  test('is set field by field, listed, and cleared by none', async () => {
    const { accountId, live } = await api.newMerchant();
    const given = ['--tax-id', '12.abc.345/01de-35', '--support-email', ' ajuda@loja.test ', '--color', '#6B21A8'];
    const page = ['--cover-color', '#F3EAD7', '--corner-radius', '0', '--font', 'rounded'];
    const links = ['--terms-url', whole.terms_url, '--privacy-url', whole.privacy_url];
    const some = await set(accountId, ...given, ...page, ...links, '--name', 'Loja Nova');
    expect(lookOf(some)).toEqual({ ...NOTHING, ...whole, name: 'Loja Nova', support_phone: null });
    expect(lookOf(await set(accountId, '--support-phone', '(11) 4002-8922'))).toMatchObject(whole);
    expect(await live.account.retrieve()).toMatchObject(whole);
    const listed = (await runAdmin(api, ['account', 'list'])).out.split('\n').find((line) => line.includes(accountId));
    expect(JSON.parse(listed ?? '')).toMatchObject(whole);
    const none = ['--tax-id', '--support-email', '--support-phone', '--color', '--logo-url'].concat([
      '--cover-color',
      '--corner-radius',
      '--font',
      '--terms-url',
      '--privacy-url',
    ]);
    const cleared = await set(accountId, ...none.flatMap((option) => [option, 'none']));
    expect(lookOf(cleared)).toEqual({ ...NOTHING, name: 'Loja Nova' });
  });

  test('is refused with all that is wrong of it, and nothing is changed', async () => {
    const { accountId, live } = await api.newMerchant();
    const wrong = ['--tax-id', '1', '--support-email', 'x', '--support-phone', '1', '--color', '#ffffff', '--logo-url'];
    expect(await set(accountId, '--name', 'Loja Nova', ...wrong, 'ftp://loja.test')).toEqual({
      code: 1,
      out: '',
      err:
        'support_email must be an e-mail address\n' +
        'logo_url must begin with https:// or http:// and a host\n' +
        'tax_id must be a CPF of 11 digits or a CNPJ of 12 letters or digits and 2 digits; 1 came\n' +
        'support_phone must be a phone number in E.164, or a Brazilian one with area code\n' +
        'color must be a color on which white text has a contrast of at least 4.5; it has 1\n',
    });
    expect(await live.account.retrieve()).toMatchObject({ ...NOTHING, name: 'Loja do Teste' });
    expect(await set('acct_nobody', '--color', '#6b21a8')).toMatchObject({
      code: 1,
      err: 'No such account: acct_nobody\n',
    });
  });

  test('has a logo that is fetched, from where the settings let it be', async () => {
    const { accountId, live } = await api.newMerchant();
    const url = await serveFile(png({ seed: 71 }));
    const refused = await set(accountId, '--logo-url', url, '--color', '#6b21a8');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('private_address: 127.0.0.1 is outside') });
    expect(await live.account.retrieve()).toMatchObject(NOTHING);
    const allowed = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    const taken = await runAdmin(api, ['account', 'set', accountId, '--logo-url', url], allowed);
    expect(lookOf(taken)).toMatchObject({ logo_url: url });
    const look = await readLook(api.composition.deps.pool, { accountId, liveMode: true });
    expect(look).toMatchObject({ logoDigest: expect.any(String), logoSize: { width: 120, height: 40 } });
    await set(accountId, '--logo-url', 'none');
    expect(await readLook(api.composition.deps.pool, { accountId, liveMode: true })).toMatchObject({
      logoDigest: null,
      logoSize: null,
    });
  });

  test('is that of live buyers unless the sandbox is named, and each of both is listed', async () => {
    const { accountId, fatura, live } = await api.newMerchant();
    const before = await live.account.retrieve();
    const changed = await set(accountId, '--mode', 'sandbox', '--name', 'Loja em teste', '--color', '#6b21a8');
    const sandbox_look = { ...NOTHING, name: 'Loja em teste', color: '#6b21a8' };
    expect(JSON.parse(changed.out)).toMatchObject({ ...NOTHING, name: 'Loja do Teste', sandbox_look });
    expect(await fatura.account.retrieve()).toMatchObject(sandbox_look);
    expect(await live.account.retrieve()).toEqual(before);
    await set(accountId, '--name', 'Loja Nova');
    const listed = (await runAdmin(api, ['account', 'list'])).out.split('\n').find((line) => line.includes(accountId));
    expect(JSON.parse(listed ?? '')).toMatchObject({ ...NOTHING, name: 'Loja Nova', sandbox_look });
  });

  test('regression-177-shows another logo in the log, though its address stays', async () => {
    const { accountId } = await api.newMerchant();
    const allowed = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    const [former, newer] = [png({ seed: 72 }), png({ seed: 73 })];
    let content = former;
    const { origin } = await serveFiles((_, response) => response.end(content));
    for (content of [former, newer]) await runAdmin(api, ['account', 'set', accountId, '--logo-url', origin], allowed);
    await set(accountId, '--city', 'Recife');
    await set(accountId, '--logo-url', 'none');
    const { rows } = await api.composition.deps.pool.query(
      `SELECT entry::jsonb -> 'before' AS before, entry::jsonb -> 'after' AS after FROM audit_log
       WHERE account_id = $1 AND action = 'account.updated' ORDER BY place`,
      [accountId],
    );
    const [first, second] = [former, newer].map((image) => createHash('sha256').update(image).digest('hex'));
    expect(rows).toEqual([
      { before: { logo_url: null, logo_digest: null }, after: { logo_url: origin, logo_digest: first } },
      { before: { logo_digest: first }, after: { logo_digest: second } },
      { before: { city: 'SAO PAULO' }, after: { city: 'Recife' } },
      { before: { logo_url: origin, logo_digest: second }, after: { logo_url: null, logo_digest: null } },
    ]);
  });
});
