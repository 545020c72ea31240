import type { AuditLogEntry, AuditLogListParams, Fatura } from '@fatura/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminHere } from '../../support/admin.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { refusalOf, send } from '../requests.ts';

let api: TestApi;
let shop: Merchant;
let key: string;

/** What became of a shop: by an operator in both modes, and by a key in each. */
beforeAll(async () => {
  api = await startApi();
  await (await api.newMerchant()).fatura.account.update({ support_email: 'outra@loja.test' });
  shop = await api.newMerchant();
  key = (await shop.fatura.apiKeys.list().all({ max: 1 }))[0]?.id ?? '';
  await adminHere(api, ['--as', 'Ana', 'account', 'set', shop.accountId, '--city', 'Recife']);
  await shop.live.account.update({ color: '#6b21a8' });
  await shop.fatura.account.update({ support_email: 'ajuda@loja.test' });
  await shop.fatura.apiKeys.create({ name: 'ERP', scope: 'read', networks: ['10.0.0.0/8'] });
}, 60_000);
afterAll(() => api.stop());

const list = (params: AuditLogListParams = {}, fatura: Fatura = shop.fatura): Promise<AuditLogEntry[]> =>
  fatura.auditLog.list(params).all({ max: 100 });
const actionsOf = (entries: readonly AuditLogEntry[]) => entries.map(({ action, live_mode }) => [action, live_mode]);

const OF_SANDBOX = [
  ['api_key.created', false],
  ['account.updated', false],
  ['account.updated', null],
  ['account.limits_changed', null],
  ['api_key.created', false],
  ['account.created', null],
];

test('entries are those of the account and mode, and of both its modes, newest first', async () => {
  const entries = await list();
  expect(actionsOf(entries)).toEqual(OF_SANDBOX);
  expect(entries[1]).toEqual({
    id: expect.stringMatching(/^log_/),
    object: 'audit_log_entry',
    created: expect.any(Number),
    actor: { kind: 'api_key', id: key, name: null },
    action: 'account.updated',
    object_id: shop.accountId,
    before: { support_email: null },
    after: { support_email: 'a***@loja.test' },
    from: { host: null, address: '127.0.0.1' },
    request_id: expect.stringMatching(/^req_/),
    live_mode: false,
  });
  expect(entries[2]).toMatchObject({
    actor: { kind: 'operator', id: 'Ana', name: 'Ana' },
    before: { city: 'SAO PAULO' },
    after: { city: 'Recife' },
    from: { host: expect.any(String) },
    request_id: null,
  });
  expect(entries.at(-1)).toMatchObject({ actor: { kind: 'service', id: 'service', name: null }, before: null });
  expect(actionsOf(await list({}, shop.live))).toEqual([
    ['account.updated', true],
    ['account.updated', null],
    ['account.limits_changed', null],
    ['api_key.created', true],
    ['account.created', null],
  ]);
});

test('they are found by action, object, actor and instant', async () => {
  const all = await list();
  expect(await list({ action: 'account.updated' })).toEqual(all.slice(1, 3));
  expect(await list({ actor: key })).toEqual(all.slice(0, 2));
  expect(await list({ actor: key, action: 'account.updated' })).toEqual(all.slice(1, 2));
  expect(await list({ object_id: all[0]?.object_id ?? '' })).toEqual(all.slice(0, 1));
  expect(await list({ actor: 'Ana', object_id: shop.accountId })).toEqual(all.slice(2, 3));
  expect(await list({ created_lte: 1_600_000_000 })).toEqual([]);
  expect(await list({ created_gte: (all[0]?.created ?? 0) + 1 })).toEqual([]);
  expect(await list({ created_gte: all.at(-1)?.created ?? 0, created_lte: all[0]?.created ?? 0 })).toEqual(all);
});

test('pages go on from an entry, in both directions', async () => {
  const all = await list();
  const page = async (params: Record<string, string>) => {
    const path = `/audit_log?${new URLSearchParams({ limit: '2', ...params })}`;
    return (await send(api, { method: 'GET', path, key: shop.sandboxKey })).body;
  };
  const id = (nth: number) => all.at(nth)?.id ?? '';
  expect(await page({})).toMatchObject({ has_more: true, data: all.slice(0, 2), url: '/api/v1/audit_log' });
  expect(await page({ starting_after: id(1) })).toMatchObject({ has_more: true, data: all.slice(2, 4) });
  expect(await page({ starting_after: id(3) })).toMatchObject({ has_more: false, data: all.slice(4) });
  expect(await page({ ending_before: id(5) })).toMatchObject({ has_more: true, data: all.slice(3, 5) });
  expect(await page({ ending_before: id(0) })).toMatchObject({ has_more: false, data: [] });
  const [ofLive] = await list({}, shop.live);
  for (const cursor of [ofLive?.id, 'log_00000000000000000000000000', 'x'])
    expect(await page({ starting_after: cursor ?? '' })).toMatchObject({ error: { code: 'CURSOR_INVALID' } });
});

test('who reads forward sees an entry whose id was made before that of one committed earlier', async () => {
  const { fatura, accountId } = await api.newMerchant();
  const [newest] = await list({}, fatura);
  const ids = ['log_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'log_00000000000000000000000000'];
  for (const id of ids) {
    const of = { action: 'account.updated', account: accountId, live_mode: false, object: accountId };
    const by = { at: 1, actor: { kind: 'staff', id: 'staff_1', user: 'Maria' }, from: { host: null, address: null } };
    const entry = JSON.stringify({ id, ...of, ...by, before: null, after: null, request_id: null });
    await api.composition.deps.pool.query('INSERT INTO audit_log (entry) VALUES ($1)', [entry]);
  }
  const forward = async (from = '') => (await list({ limit: 1, ending_before: from }, fatura)).map(({ id }) => id);
  expect(await forward(newest?.id)).toEqual(ids);
  expect(await forward(ids[0])).toEqual(ids.slice(1));
  expect((await list({}, fatura))[0]?.actor).toEqual({ kind: 'staff', id: 'staff_1', name: 'Maria' });
});

test('a key that may only read is not shown what became of keys', async () => {
  const { key: reader = '' } = await shop.fatura.apiKeys.create({ name: 'Leitura', scope: 'read' });
  const shown = await list({}, sdkFor(api.baseUrl, reader));
  const [own, erp, ...rest] = await list();
  const ofKeys = { before: null, after: null };
  expect(erp).toMatchObject({ after: { networks: ['10.0.0.0/8'] } });
  expect(shown.slice(0, 2)).toEqual([
    { ...own, ...ofKeys },
    { ...erp, ...ofKeys },
  ]);
  expect(shown.slice(2)).toEqual(
    rest.map((entry) => (entry.action === 'api_key.created' ? { ...entry, ...ofKeys } : entry)),
  );
});

test.each(['action', 'object_id', 'actor'])('an empty %s is no filter', async (name) => {
  const answer = await send(api, { method: 'GET', path: `/audit_log?${name}=`, key: shop.sandboxKey });
  expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: name });
});
