import { expect, test } from 'vitest';
import { shown } from '../../../server/audit-log/redaction.ts';

test('what is logged of a state has no secrets, and masks what names a person', () => {
  const state = {
    name: 'Loja',
    email: 'dono@loja.test',
    support_email: null,
    tax_id: '12ABC34501DE35',
    support_phone: '+551140028922',
    pix_key: 'chave@loja.test',
    logo_url: 'https://cdn.loja.test/a/b.png?sig=1',
    url: 'https://hooks.loja.test',
    base_url: 'no address',
    secret: 'whsec_1',
    client_secret: { of: 'anything' },
    key: '-----BEGIN PRIVATE KEY-----',
    limits: { minute: 9 },
    networks: ['203.0.113.0/24'],
    nested: [{ recipient: 'maria@example.com', api_token: 7 }],
    expires_at: undefined,
  };
  expect(shown(state)).toEqual({
    name: 'Loja',
    email: 'd***@loja.test',
    support_email: null,
    tax_id: '***35',
    support_phone: '***22',
    pix_key: '***st',
    logo_url: 'https://cdn.loja.test/***',
    url: 'https://hooks.loja.test',
    base_url: '***',
    secret: '***',
    client_secret: '***',
    key: '***',
    limits: { minute: 9 },
    networks: ['203.0.113.0/24'],
    nested: [{ recipient: 'm***@example.com', api_token: '***' }],
    expires_at: null,
  });
  expect(shown(null)).toBeNull();
});
