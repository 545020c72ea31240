import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Identity, issue, newAuthority } from '../../../dev/fake-psp/certificates.ts';
import { type ApiPixSettings, problemsOf, showSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import { changedSettings } from '../../../server/payments/live/rules.ts';
import { settingsOfNobody } from '../../support/live-settings.ts';

let sound: ApiPixSettings;
let other: Identity;

beforeAll(async () => {
  sound = await settingsOfNobody({
    ...{ clientId: 'Client_Id_9f3c', clientSecret: 'Client_Secret_77aa' },
    ...{ baseUrl: null, tokenUrl: null },
  });
  other = await issue(await newAuthority('another PSP'), { name: 'outra', days: 1 });
});

const problems = (given: Partial<ApiPixSettings>, now = new Date()): string[] =>
  problemsOf({ ...sound, ...given }, now).map(({ name, message }) => `${name} ${message}`);

const OF_PFX = expect.stringContaining('openssl pkcs12 -legacy -in FILE -clcerts -nokeys -out client.pem');

test('sound settings have no problem', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ profile: 'standard', baseUrl: 'https://psp.test/v2', tokenUrl: 'https://psp.test/t' })).toEqual([]);
  expect(problems({ profile: 'sicoob', clientSecret: null })).toEqual([]);
  expect(problems({ profile: 'bb', extras: { app_key: 'abc' } })).toEqual([]);
  expect(problems({ profile: 'inter', extras: { account: '123' } })).toEqual([]);
});

describe('certificates and keys', () => {
  test('of a PFX are led to openssl, whichever file it was given for', () => {
    const pfx = '0\u0082\u0005\u0000*\u0086H';
    expect(problems({ certificate: pfx })).toEqual([OF_PFX]);
    expect(problems({ key: pfx })).toEqual([OF_PFX]);
    expect(problems({ certificate: pfx, key: pfx })).toEqual([OF_PFX, OF_PFX]);
  });

  test('of an old PFX are made by the commands that the messages name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fatura-pfx-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    writeFileSync(join(folder, 'in.pem'), `${sound.certificate}\n${sound.key}\n`);
    const made = ['-out', 'file.p12', '-passout', 'pass:x'];
    run('pkcs12', '-export', '-legacy', '-descert', '-in', 'in.pem', ...made);
    const read = ['pkcs12', '-legacy', '-in', 'file.p12', '-passin', 'pass:x'];
    run(...read, '-clcerts', '-nokeys', '-out', 'client.pem');
    run(...read, '-nocerts', '-noenc', '-out', 'client.key');
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(problems({ certificate: text('client.pem'), key: text('client.key') })).toEqual([]);
  });

  test('with a passphrase are led to openssl', () => {
    const cipher = { cipher: 'aes-256-cbc', passphrase: 'x', format: 'pem' } as const;
    const key = createPrivateKey(sound.key).export({ type: 'pkcs8', ...cipher }) as string; // PEM is text
    const traditional = createPrivateKey(sound.key).export({ type: 'sec1', ...cipher }) as string;
    const problem = 'key has a passphrase: openssl pkey -in FILE -out client.key takes it off';
    expect(problems({ key })).toEqual([problem]);
    expect(problems({ key: traditional })).toEqual([problem]);
  });

  test('must belong together', () => {
    expect(problems({ key: other.keyPem })).toEqual(['key is not the key of the certificate']);
  });

  test('must be valid now', () => {
    const at = (date: string) => problems({}, new Date(date));
    expect(at('2100-01-01')).toEqual([expect.stringMatching(/^certificate ended at .*: ask the PSP for a new one$/)]);
    expect(at('2001-01-01')).toEqual([expect.stringMatching(/^certificate begins at /)]);
  });

  test('of authorities may be several in one file, and none of them broken', () => {
    const both = `${other.certificatePem}\n${sound.certificate}`;
    expect(problems({ ca: both, callbackCa: both })).toEqual([]);
    const broken = `${both}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    expect(problems({ ca: broken, callbackCa: 'a file' })).toEqual([
      'ca must hold PEM certificates',
      'callbackCa must hold PEM certificates',
    ]);
  });
});

describe('what a profile needs', () => {
  test.each<[Partial<ApiPixSettings>, string[]]>([
    [
      { profile: 'standard' },
      ['baseUrl is needed for the profile standard', 'tokenUrl is needed for the profile standard'],
    ],
    [{ profile: 'efi', clientSecret: null }, ['clientSecret is needed for the profile efi']],
    [
      { profile: 'bb' },
      [
        'extras app_key=… is needed for the profile bb: developer_application_key of the application at developers.bb.com.br',
      ],
    ],
    [
      { profile: 'inter', extras: { acount: '1' } },
      ['extras acount is unknown to the profile inter, which knows account'],
    ],
    [{ extras: { app_key: 'x' } }, ['extras app_key is unknown to the profile efi, which takes none']],
  ])('%j', (given, found) => {
    expect(problems(given)).toEqual(found);
  });
});

const HTTPS = 'must be an https:// URL without user, query or fragment';

test.each([
  'http://psp.test/v2',
  'psp.test',
  '',
  'https://user:password@psp.test',
  'https://psp.test/v2?a=1',
  'https://psp.test/#a',
])('the PSP is not called at %j', (url) => {
  expect(problems({ baseUrl: url })).toEqual([`baseUrl ${HTTPS}`]);
  expect(problems({ tokenUrl: url })).toEqual([`tokenUrl ${HTTPS}`]);
});

test.each(['529.982.247-25', '12345', 'abc', '', '+5511', `${'x'.repeat(80)}@loja.test`])(
  '%j is no Pix key',
  (pixKey) => {
    expect(problems({ pixKey })).toEqual([expect.stringMatching(/^pixKey must be a CPF or CNPJ/)]);
  },
);

test('all problems are told together, each by its setting, and no value of a secret', () => {
  const given = { profile: 'bb', clientId: '', clientSecret: '', pixKey: 'x', baseUrl: 'http://a.test' } as const;
  const found = problems({ ...given, certificate: 'CCC', key: 'KKK', ca: 'AAA', callbackCa: 'BBB', extras: { x: '' } });
  expect(found.map((problem) => problem.split(' ').slice(0, 2).join(' '))).toEqual([
    'clientId must',
    'clientSecret must',
    'baseUrl must',
    'extras x',
    'certificate must',
    'key must',
    'ca must',
    'callbackCa must',
    'extras app_key=…',
    'extras x',
    'pixKey must',
  ]);
  expect(found.join('\n')).not.toMatch(/CCC|KKK|AAA|BBB/);
});

test('what is shown holds neither secret, key nor certificate', () => {
  const settings: ApiPixSettings = { ...sound, callbackCa: other.certificatePem, extras: { app_key: 'extra-5512' } };
  const shown = JSON.stringify(showSettings(settings));
  expect(shown).toContain('Clie…');
  const secrets = [sound.clientId, sound.clientSecret ?? '', 'extra-5512'];
  const lines = [sound.certificate, sound.key, other.certificatePem].flatMap((pem) =>
    pem.split('\n').filter((line) => line.length > 0),
  );
  for (const secret of [...secrets, ...lines]) expect(shown).not.toContain(secret);
});

describe('settings that replace others', () => {
  const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256;
  const shownWith = (given: Partial<ApiPixSettings>) => showSettings({ ...sound, ...given });

  test('regression-171-show another host of tokens, other authorities, another key and other extras', () => {
    expect(shownWith({})).toMatchObject({
      token_url: 'https://pix.api.efipay.com.br/oauth/token',
      ca: null,
      callback_ca: null,
      extras: [],
    });
    const authorities = `${other.certificatePem}\n${sound.certificate}`;
    expect(
      shownWith({
        tokenUrl: 'https://outro.psp.test/token',
        ca: authorities,
        callbackCa: other.certificatePem,
        extras: { b: '2', a: '1' },
      }),
    ).toMatchObject({
      token_url: 'https://outro.psp.test/token',
      ca: [fingerprintOf(other.certificatePem), fingerprintOf(sound.certificate)],
      callback_ca: [fingerprintOf(other.certificatePem)],
      extras: ['a', 'b'],
    });
    const { certificate, public_key } = shownWith({});
    const { certificatePem, keyPem } = other;
    const anew = shownWith({ certificate: certificatePem, key: keyPem });
    expect([certificate.fingerprint, anew.certificate.fingerprint]).toEqual([
      fingerprintOf(sound.certificate),
      fingerprintOf(certificatePem),
    ]);
    expect(anew.public_key).not.toBe(public_key);
  });

  test('show of a key what openssl says of its public half', () => {
    const publicHalf = execFileSync('openssl', ['pkey', '-pubout', '-outform', 'DER'], { input: sound.key });
    const said = execFileSync('openssl', ['sha256', '-r'], { input: publicHalf, encoding: 'utf8' });
    expect(shownWith({}).public_key).toBe(said.split(' ')[0]);
  });

  test('name each one that is another', () => {
    const others = {
      profile: 'bb',
      clientId: 'Client_Id_other',
      clientSecret: 'other',
      certificate: other.certificatePem,
      key: other.keyPem,
      pixKey: 'outra@loja.test',
      baseUrl: 'https://psp.test/v2',
      tokenUrl: 'https://psp.test/t',
      ca: other.certificatePem,
      callbackCa: other.certificatePem,
      extras: { app_key: 'abc' },
      receiverAccount: '1',
      receiverType: 'poupanca',
      receiverBranch: '0001',
      chargesPerSecond: 7,
    } as const satisfies ApiPixSettings;
    for (const [name, value] of Object.entries(others)) {
      const shownName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(changedSettings(sound, { ...sound, [name]: value })).toEqual([shownName]);
    }
    expect(changedSettings(sound, { ...sound })).toEqual([]);
    const extras = { a: '1', b: '2' };
    expect(changedSettings({ ...sound, extras }, { ...sound, extras: { b: '2', a: '1' } })).toEqual([]);
    expect(changedSettings({ ...sound, extras }, { ...sound, extras: { ...extras, b: '3' } })).toEqual(['extras']);
  });
});
