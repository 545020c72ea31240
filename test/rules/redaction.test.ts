import { expect, test } from 'vitest';
import { shown } from '../../server/audit-log/redaction.ts';

test.each<[name: string, value: unknown, as: unknown]>([
  ['name', 'Loja', 'Loja'],
  ['client_secret', 'segredo', '***'],
  ['key', 'PEM', '***'],
  ['public_key', '9f2c', '9f2c'],
  ['logo_digest', '9f2c', '9f2c'],
  ['token', { of: 'somebody' }, '***'],
  ['support_email', 'maria@loja.test', 'm***@loja.test'],
  ['pix_key', '52998224725', '***25'],
  ['url', 'https://loja.test/gancho?token=1', 'https://loja.test/***'],
  ['public_url', 'https://loja.test', 'https://loja.test'],
  ['logo_url', 'a file', '***'],
  ['token_url', 7, '***'],
  ['token_url', ['https://psp.test/'], '***'],
])('the log shows %s of %j as %j', (name, value, as) => {
  expect(shown({ [name]: value })).toEqual({ [name]: as });
  expect(shown({ of: { [name]: value } })).toEqual({ of: { [name]: as } });
});

test('regression-170-the log shows at which host tokens are asked for', () => {
  const url = 'https://psp.test/oauth/token?client=1';
  expect(shown({ token_url: url, certificate: { token_url: url } })).toEqual({
    token_url: 'https://psp.test/***',
    certificate: { token_url: 'https://psp.test/***' },
  });
});
