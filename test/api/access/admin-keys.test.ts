import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realTime } from '../../../server/kernel/time.ts';
import { adminHere } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const MANY_COMMANDS_MS = 120_000;
const DAY = 86_400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is read field by field
const done = (...args: string[]): Promise<any[]> => adminHere(api, ['key', ...args]);

const refused = async (...args: string[]): Promise<string> => {
  const refusal = await done(...args).catch((error: unknown) => error);
  if (!(refusal instanceof Error)) throw new Error(`${args.join(' ')} was not refused`);
  return refusal.message;
};

describe('keys', { timeout: MANY_COMMANDS_MS }, () => {
  test('are made, listed, shown, changed, rolled and revoked by their ids', async () => {
    const { accountId } = await api.newMerchant();
    const networks = ['--network', '203.0.113.0/24', '--network', '2001:db8::1', '--network', '203.0.113.0/24'];
    const terms = ['--name', ' ERP ', '--read-only', '--reads', 'eventual', ...networks, '--expires-in', '90d'];
    const [made] = await done('create', accountId, '--mode', 'live', ...terms);
    const stored = {
      id: expect.stringMatching(/^key_/),
      account: accountId,
      live_mode: true,
      name: 'ERP',
      scope: 'read',
      networks: ['203.0.113.0/24', '2001:db8::1/128'],
      reads: 'eventual',
      hint: made.key.slice(-4),
      status: 'valid',
      created: expect.any(Number),
      last_used: null,
      expires_at: expect.any(Number),
      revoked_at: null,
      replaced_by: null,
    };
    expect(made).toEqual({ ...stored, key: expect.stringMatching(/^sk_live_/) });
    expect(Math.abs(made.expires_at - realTime() - 90 * DAY)).toBeLessThan(60);
    expect(await done('show', made.id)).toEqual([stored]);
    expect((await done('list', accountId)).map(({ live_mode, name }) => [live_mode, name])).toEqual([
      [false, 'default'],
      [true, 'default'],
      [true, 'ERP'],
    ]);
    expect(await done('list', accountId, '--mode', 'sandbox')).toHaveLength(1);
    const [renamed] = await done('set', made.id, '--name', 'ERP novo', '--network', 'any');
    expect(renamed).toEqual({ ...stored, name: 'ERP novo', networks: [] });
    const [rolled] = await done('roll', made.id, '--expire-hours', '1');
    expect(rolled).toMatchObject({ name: 'ERP novo', scope: 'read', live_mode: true, key: expect.any(String) });
    const [former] = await done('show', made.id);
    expect(former).toMatchObject({ status: 'valid', replaced_by: rolled.id });
    expect(Math.abs(former.expires_at - realTime() - 3_600)).toBeLessThan(60);
    expect(await done('revoke', rolled.id)).toEqual([
      expect.objectContaining({ id: rolled.id, status: 'revoked', revoked_at: expect.any(Number) }),
    ]);
  });

  test('of an account and mode are rolled as one, and those of the other scope stay', async () => {
    const { accountId } = await api.newMerchant();
    const [reader] = await done('roll', accountId, '--mode', 'sandbox', '--read-only');
    expect(reader).toMatchObject({ account: accountId, live_mode: false, scope: 'read', name: 'default' });
    const [full] = await done('roll', accountId, '--mode', 'sandbox', '--expire-hours', '0');
    expect(full).toMatchObject({ account: accountId, live_mode: false, scope: 'full' });
    const keys = await done('list', accountId, '--mode', 'sandbox');
    expect(keys.map(({ scope, status }) => [scope, status])).toEqual([
      ['full', 'expired'],
      ['read', 'valid'],
      ['full', 'valid'],
    ]);
    expect(await refused('revoke', full.id)).toContain('Create another one first');
    expect(await done('revoke', full.id, '--yes')).toMatchObject([{ status: 'revoked' }]);
  });

  test('are not made of what makes no sense, and say why', async () => {
    const { accountId } = await api.newMerchant();
    const create = ['create', accountId, '--mode', 'live'];
    const named = [...create, '--name', 'erp'];
    const wrong: [args: string[], message: string][] = [
      [create, "required option '--name <name>' not specified"],
      [['create', accountId, '--name', 'erp'], "required option '--mode <mode>' not specified"],
      [[...create, '--name', ' '], 'must have 1 to 100 characters'],
      [[...create, '--name', 'x'.repeat(101)], 'must have 1 to 100 characters'],
      [[...create, '--name', 'erp\u202e'], 'must not contain control characters'],
      [[...create, '--name', 'a\n{"id":"key_1"}'], 'must not contain control characters'],
      [[...named, '--network', '203.0.113.7/24'], 'the network is 203.0.113.0/24'],
      [[...named, '--network', 'loja.test'], 'is no network such as 203.0.113.0/24'],
      [[...named, '--network', 'any', '--network', '10.0.0.0/8'], '--network any stands alone'],
      [[...named, '--expires-in', '90'], 'must be a number of minutes, hours or days'],
      [[...named, '--expires-in', '4000d'], 'must be a number of minutes, hours or days'],
      [[...named, '--expires-at', '2020-01-01T00:00:00Z'], 'must be an instant ahead'],
      [[...named, '--expires-at', 'tomorrow'], 'must be an instant ahead'],
      [[...named, '--expires-in', '1d', '--expires-at', String(realTime() + DAY)], 'cannot be used with option'],
      [['roll', accountId], '--mode must be given with an account'],
      [['roll', 'key_1', '--mode', 'live'], 'leave --mode and --read-only out'],
      [['roll', 'key_1'], 'No such key: key_1'],
      [['roll', accountId, '--mode', 'live', '--expire-hours', '2'], 'Allowed choices are 0, 1, 24, 168'],
      [['set', 'key_1'], 'Nothing to change: give at least one of --name, --network'],
      [['revoke', 'key_1'], 'No such key: key_1'],
      [['list', 'acct_nobody'], 'No such account: acct_nobody'],
    ];
    for (const [args, message] of wrong) expect(await refused(...args)).toContain(message);
    expect(await done('list', accountId)).toHaveLength(2);
  });
});
