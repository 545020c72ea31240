import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, type MerchantCredentials, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import { openSettings, readLiveAcquirer } from '../../../server/payments/live/store.ts';
import { adminHere, runAdmin } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';

/** Each command is a process of its own. */
const MANY_COMMANDS_MS = 120_000;
const PUBLIC_URL = { PUBLIC_URL: 'https://fatura.loja.test' };

let api: TestApi;
let psp: FakePsp;
let merchant: MerchantCredentials;
let folder: string;
let accountId: string;

const path = (name: string) => join(folder, name);
const admin = (...args: string[]) => runAdmin(api, ['acquirer', ...args], PUBLIC_URL);

beforeAll(async () => {
  api = await startApi();
  psp = await startFakePsp({ profile: 'bb' });
  merchant = await psp.newMerchant();
  folder = mkdtempSync(join(tmpdir(), 'fatura-acquirer-'));
  const texts = {
    'client.pem': merchant.certificatePem,
    'client.key': merchant.keyPem,
    'client-secret': `${merchant.clientSecret}\n`,
    'other-secret': 'outro-segredo',
    'ca.pem': psp.caPem,
    'callback-ca.pem': psp.callbackCaPem,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(path(name), text);
  ({ accountId } = await api.newMerchant());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await psp.close();
  await api.stop();
});

const APP_KEY = () => merchant.extras['gw-dev-app-key'] ?? '';

/** Every option, by name; another value or none at all where one is given. */
function options(given: Readonly<Record<string, string | null>> = {}): string[] {
  const all = {
    '--profile': 'bb',
    '--client-id': merchant.clientId,
    '--client-secret-file': path('client-secret'),
    '--certificate': path('client.pem'),
    '--key': path('client.key'),
    '--pix-key': merchant.pixKey,
    '--base-url': psp.baseUrl,
    '--token-url': psp.tokenUrl,
    '--ca': path('ca.pem'),
    '--callback-ca': path('callback-ca.pem'),
    '--extra': `app_key=${APP_KEY()}`,
    ...given,
  };
  return ['--live', 'pix', ...Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [name, value]))];
}

const rowOf = () => readLiveAcquirer(api.composition.deps.pool, { accountId, method: 'pix' });

async function sealed() {
  const row = await rowOf();
  if (row === null) throw new Error('nothing is configured');
  return openSettings(api.composition.deps.secretBox, row);
}

/** All that only the PSP and the account know; of PEM texts each line. */
function secretsOf(token: string): string[] {
  const lines = [merchant.certificatePem, merchant.keyPem, psp.caPem, psp.callbackCaPem].flatMap((pem) =>
    pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----')),
  );
  return [merchant.clientId, merchant.clientSecret, APP_KEY(), token, 'BEGIN CERTIFICATE', 'PRIVATE KEY', ...lines];
}

const query = async (text: string, values: unknown[] = []) =>
  (await api.composition.deps.pool.query(text, values)).rows;

/** What the log tells of the account's acquirer, the oldest first. */
const logged = async (): Promise<Record<string, unknown>[]> => {
  const sql = `SELECT entry FROM audit_log WHERE account_id = $1 AND action LIKE 'acquirer.%' ORDER BY place`;
  return (await query(sql, [accountId])).map(({ entry }) => JSON.parse(entry));
};

/** Nothing is added to the log meanwhile. */
async function withFullLog<T>(work: () => Promise<T>): Promise<T> {
  await query(`CREATE FUNCTION full_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$`);
  await query('CREATE TRIGGER full_log BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION full_log()');
  try {
    return await work();
  } finally {
    await query('DROP FUNCTION full_log CASCADE');
  }
}

const leaksIn = (text: string, token: string) => secretsOf(token).filter((secret) => text.includes(secret));

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

const shown = () => ({
  account: accountId,
  live: 'pix',
  profile: 'bb',
  client_id: `${merchant.clientId.slice(0, 4)}…`,
  pix_key: merchant.pixKey,
  base_url: psp.baseUrl,
  token_url: psp.tokenUrl,
  certificate: {
    subject: expect.stringMatching(/^CN=/),
    issuer: expect.stringMatching(/^CN=Fake PSP merchants/),
    serial: expect.stringMatching(/^[0-9A-F]+$/),
    not_after: expect.stringMatching(/^20..-..-..T/),
    fingerprint: fingerprintOf(merchant.certificatePem),
  },
  public_key: expect.stringMatching(/^[0-9a-f]{64}$/),
  ca: [fingerprintOf(psp.caPem)],
  callback_ca: [fingerprintOf(psp.callbackCaPem)],
  checks_callback_certificates: true,
  receiver_account: null,
  charges_per_second: 20,
  extras: ['app_key'],
});

describe('a configured acquirer', { timeout: MANY_COMMANDS_MS }, () => {
  test('is set by files, shown and listed without a secret, and kept sealed', async () => {
    const set = await admin('set', accountId, ...options());
    expect([set.code, set.err, JSON.parse(set.out)]).toEqual([0, '', shown()]);
    const { settings, noticeToken } = await sealed();
    expect(settings).toEqual({
      profile: 'bb',
      clientId: merchant.clientId,
      clientSecret: merchant.clientSecret,
      certificate: merchant.certificatePem.trim(),
      key: merchant.keyPem.trim(),
      pixKey: merchant.pixKey,
      baseUrl: psp.baseUrl,
      tokenUrl: psp.tokenUrl,
      ca: psp.caPem.trim(),
      callbackCa: psp.callbackCaPem.trim(),
      extras: { app_key: APP_KEY() },
      receiverAccount: null,
      receiverType: null,
      receiverBranch: null,
      chargesPerSecond: 20,
    });
    const show = await admin('show', accountId, '--live', 'pix');
    expect(JSON.parse(show.out)).toEqual(shown());
    const list = await admin('list');
    expect(JSON.parse(list.out)).toEqual(shown());
    expect(leaksIn([set.out, show.out, list.out].join(), noticeToken)).toEqual([]);
    const asked = await admin('show', accountId, '--live', 'pix', '--callback-url');
    const callback_url = `https://fatura.loja.test/acquirer/notices/${noticeToken}`;
    expect(JSON.parse(asked.out)).toEqual({ ...shown(), callback_url });
    const { rows } = await api.composition.deps.pool.query(
      `SELECT t::text AS row, encode(settings, 'escape') AS settings FROM live_acquirer t`,
    );
    expect(leaksIn(JSON.stringify(rows), noticeToken)).toEqual([]);
  });

  test('is tested at the PSP, one step a line, and fails as a command where a step fails', async () => {
    const passed = await admin('test', accountId, '--live', 'pix');
    const steps = passed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual(
      ['token', 'charge', 'find', 'remove', 'webhook', 'webhook registered'].map((step) => [step, true]),
    );
    const { noticeToken } = await sealed();
    const elsewhere = ['--public-url', 'https://outra.loja.test/'];
    await admin('test', accountId, '--live', 'pix', ...elsewhere);
    psp.troubles.set({ kind: 'unavailable', operation: 'putWebhook' });
    const failed = await admin('test', accountId, '--live', 'pix');
    psp.troubles.clear();
    expect([passed.code, passed.err, failed.code, failed.err]).toEqual([0, '', 1, '']);
    expect(failed.out).toContain(
      '{"step":"webhook registered","ok":false,"detail":"the PSP has https://outra.loja.test/acquirer/notices/…"}',
    );
    expect(leaksIn(passed.out + failed.out, noticeToken)).toEqual([]);
  });

  test('regression-172-takes callbacks at another host, and tells its address, only behind an entry in the log', async () => {
    const tried = ['test', accountId, '--live', 'pix', '--public-url', 'https://outro.host.test/avisos'];
    const show = ['show', accountId, '--live', 'pix', '--callback-url'];
    const registered = () => psp.books(merchant).webhook?.url;
    const [before, entries] = [registered(), await logged()];
    for (const refused of await withFullLog(async () => [await admin(...tried), await admin(...show)]))
      expect([refused.code, refused.out]).toEqual([1, '']);
    expect([registered(), await logged()]).toEqual([before, entries]);
    await adminHere(api, ['acquirer', ...tried]);
    await adminHere(api, ['acquirer', ...show], PUBLIC_URL);
    const { noticeToken } = await sealed();
    expect(registered()).toBe(`https://outro.host.test/avisos/acquirer/notices/${noticeToken}`);
    const entry = { account: accountId, live_mode: true, object: 'pix', actor: { kind: 'operator' }, before: null };
    const added = (await logged()).slice(entries.length);
    expect(added).toMatchObject([
      { ...entry, action: 'acquirer.tested', after: { public_url: 'https://outro.host.test/***' } },
      { ...entry, action: 'acquirer.callback_url_shown', after: null },
    ]);
    expect(leaksIn(JSON.stringify(added), noticeToken)).toEqual([]);
  });

  test.each(['outro.host.test', 'ftp://outro.host.test', 'https://host@outro.host.test', 'https://outro.host.test/?a'])(
    'is not registered at %j, of which the log could not tell the host',
    async (url) => {
      const [before, entries] = [psp.books(merchant).webhook, await logged()];
      const refused = adminHere(api, ['acquirer', 'test', accountId, '--live', 'pix', '--public-url', url]);
      await expect(refused).rejects.toThrow('must be an http:// or https:// URL');
      expect([psp.books(merchant).webhook, await logged()]).toEqual([before, entries]);
    },
  );

  test('regression-173-shows in the log which of its settings became others, and no secret', async () => {
    await admin('set', accountId, ...options());
    const given = {
      '--client-secret-file': path('other-secret'),
      '--token-url': 'https://outro.psp.test/token',
      '--ca': path('callback-ca.pem'),
      '--callback-ca': null,
      '--extra': 'app_key=outra-chave',
    };
    expect(await admin('set', accountId, ...options(given))).toMatchObject({ code: 0, err: '' });
    const entry = (await logged()).at(-1);
    const { account, live, ...before } = shown();
    const told = {
      ...before,
      pix_key: `***${merchant.pixKey.slice(-2)}`,
      base_url: `${new URL(psp.baseUrl).origin}/***`,
      token_url: `${new URL(psp.tokenUrl).origin}/***`,
    };
    expect(entry).toMatchObject({ action: 'acquirer.set', account, object: live });
    expect(entry?.before).toEqual(told);
    expect(entry?.after).toEqual({
      ...told,
      token_url: 'https://outro.psp.test/***',
      ca: [fingerprintOf(psp.callbackCaPem)],
      callback_ca: null,
      checks_callback_certificates: false,
      changed: ['client_secret', 'token_url', 'ca', 'callback_ca', 'extras'],
    });
    const { noticeToken } = await sealed();
    expect(leaksIn(JSON.stringify(entry), noticeToken)).toEqual([]);
    expect(JSON.stringify(entry)).not.toMatch(/outro-segredo|outra-chave/);
  });

  test('is replaced as a whole by one that came by standard input, and keeps its address', async () => {
    const { noticeToken } = await sealed();
    const given = { '--key': '-', '--callback-ca': null, '--base-url': null, '--token-url': null, '--ca': null };
    const set = await runAdmin(api, ['acquirer', 'set', accountId, ...options(given)], PUBLIC_URL, merchant.keyPem);
    expect([set.code, set.err]).toEqual([0, '']);
    const changed = await sealed();
    expect(changed).toMatchObject({
      noticeToken,
      settings: { key: merchant.keyPem.trim(), ca: null, callbackCa: null, baseUrl: null, tokenUrl: null },
    });
  });

  test('is left as it is by what is wrong, and told all that is wrong', async () => {
    const before = await rowOf();
    const wrong = { '--base-url': 'http://psp.test', '--key': path('ca.pem'), '--pix-key': 'x', '--extra': 'a=b' };
    const refused = await admin('set', accountId, ...options(wrong));
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(
      refused.err
        .trim()
        .split('\n')
        .map((line) => line.split(' ', 2).join(' ')),
    ).toEqual(['--base-url must', '--key must', '--extra app_key=…', '--extra a', '--pix-key must']);
    const missing = { '--key': path('no.key'), '--ca': folder };
    expect((await admin('set', accountId, ...options(missing))).err).toMatch(
      /^--key cannot be read: ENOENT.*\n--ca cannot be read: EISDIR.*\n$/,
    );
    const twice = { '--key': '-', '--client-secret-file': '-' };
    expect((await admin('set', accountId, ...options(twice))).err).toBe(
      '--client-secret-file and --key cannot all come by standard input\n',
    );
    expect((await admin('set', accountId, ...options({ '--extra': 'a' }))).err).toContain('must be name=value');
    expect((await admin('set', accountId, ...options({ '--profile': 'banco' }))).err).toContain('Allowed choices are');
    expect((await admin('set', 'acct_nobody', ...options())).err).toBe('No such account: acct_nobody\n');
    expect(await rowOf()).toEqual(before);
  });

  test('is removed once, and nothing is left of it', async () => {
    const removed = await admin('remove', accountId, '--live', 'pix');
    expect(JSON.parse(removed.out)).toEqual({ account: accountId, live: 'pix', removed: true });
    expect(await rowOf()).toBe(null);
    const none = `${accountId} has no live acquirer for pix`;
    expect(await admin('remove', accountId, '--live', 'pix')).toEqual({ code: 1, out: '', err: `${none}\n` });
    for (const verb of ['show', 'test'])
      expect(await admin(verb, accountId, '--live', 'pix')).toEqual({
        code: 1,
        out: '',
        err: `${none}: configure one with \`admin acquirer set\`\n`,
      });
    expect(await admin('list')).toEqual({ code: 0, out: '', err: '' });
    expect((await admin('show', 'acct_nobody', '--live', 'pix')).err).toBe('No such account: acct_nobody\n');
  });
});
