import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anchorLogs } from '../../../server/audit-log/anchor.ts';
import { changeLogged } from '../../../server/audit-log/audit-log.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { adminHere, runAdmin } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';

const MANY_COMMANDS_MS = 120_000;
/** Whoever reads it must see one line; what cannot be seen is refused. */
const HOSTILE = 'Ana" }\n{"id":"log_forged"';

let api: TestApi;
let shop: Merchant;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  folder = mkdtempSync(join(tmpdir(), 'fatura-log-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.stop();
});

const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await api.composition.deps.pool.query(text, values)).rows;

const admin = (...args: string[]) =>
  adminHere(api, args, {
    FATURA_OPERATOR: 'ana@operadora.test',
    SSH_CONNECTION: '198.51.100.9 50022 203.0.113.1 22',
  });

describe('an entry', { timeout: MANY_COMMANDS_MS }, () => {
  const read = async (...args: string[]) => admin('log', ...args);

  test('says who did what to which object, from where and when, without secrets', async () => {
    const { accountId } = await api.newMerchant();
    await admin('--as', 'Bruno', 'account', 'set', accountId, '--name', 'Loja Nova', '--email', 'novo@loja.test');
    const [look, entry] = await read('list', '--account', accountId, '--action', 'account.updated');
    expect(look).toMatchObject({
      ...{ live_mode: true, object: accountId, place: 6 },
      ...{ before: { name: 'Loja do Teste' }, after: { name: 'Loja Nova' } },
    });
    expect(entry).toEqual({
      id: expect.stringMatching(/^log_[0-9a-z]{26}$/),
      at: expect.any(Number),
      actor: { kind: 'operator', id: 'Bruno', user: expect.any(String) },
      action: 'account.updated',
      account: accountId,
      live_mode: null,
      object: accountId,
      before: { email: 'd***@loja.test' },
      after: { email: 'n***@loja.test' },
      from: { host: expect.any(String), address: '198.51.100.9' },
      request_id: null,
      chain: accountId,
      place: 5,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Math.abs(Number(entry?.at) - realTime())).toBeLessThan(60);
  });

  test('of a key has its hint and never the key, nor has any other entry what opens or names somebody', async () => {
    const { accountId } = await api.newMerchant();
    await admin('account', 'set', accountId, '--email', 'maria@loja.test', '--tax-id', '12ABC34501DE35');
    const [issued] = await admin('key', 'create', accountId, '--mode', 'live', '--name', 'erp', '--expires-in', '90d');
    const [entry] = await read('list', '--account', accountId, '--limit', '1');
    expect(entry).toMatchObject({
      action: 'api_key.created',
      object: issued?.id,
      live_mode: true,
      actor: { id: 'ana@operadora.test' },
      after: { name: 'erp', scope: 'full', networks: [], hint: String(issued?.key).slice(-4), replaces: [] },
    });
    const texts = (await query<{ entry: string }>('SELECT entry FROM audit_log')).map((row) => row.entry).join('\n');
    expect(texts).not.toMatch(/sk_live_|sk_sandbox_|maria@loja\.test|12ABC34501DE35/);
  });

  test.each([HOSTILE, '', ' ', 'x'.repeat(101), 'a\u202eb'])('is of nobody who is called %j', async (name) => {
    await expect(admin('--as', name, 'account', 'set', shop.accountId, '--name', 'Loja')).rejects.toThrow(
      'must be 1 to 100 characters in one line',
    );
  });

  test('is found by account, action, actor and instant, page by page, the newest first', async () => {
    const { accountId } = await api.newMerchant();
    for (const general of ['5', '6', '7'])
      await admin('--as', `op ${general}`, 'account', 'set-limits', accountId, '--minute', general);
    const all = await read('--account', accountId);
    const ids = all.map(({ id }) => String(id));
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(all.map(({ action }) => action)).toEqual([
      ...Array(4).fill('account.limits_changed'),
      ...Array(2).fill('api_key.created'),
      'account.created',
    ]);
    const first = await read('--account', accountId, '--limit', '2');
    const second = await read('--account', accountId, '--limit', '2', '--before', String(first[1]?.id));
    expect([...first, ...second]).toEqual(all.slice(0, 4));
    expect(await read('--actor', 'op 6')).toEqual([all[1]]);
    expect(await read('--account', accountId, '--until', '2020-01-01T00:00:00Z')).toEqual([]);
    expect(await read('--account', accountId, '--since', String(realTime() + 60))).toEqual([]);
    expect((await read('--account', accountId, '--since', '2020-01-01T00:00:00Z')).length).toBe(all.length);
  });
});

describe('the database', () => {
  test.each([
    `UPDATE audit_log SET entry = replace(entry, 'ana', 'eva')`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    `INSERT INTO audit_log_head (chain, entries, hash) VALUES ('service', 9, '')`,
    'UPDATE audit_log_head SET entries = 0',
    'DELETE FROM audit_log_head',
    'TRUNCATE audit_log_head',
  ])('refuses %s', async (sql) => {
    await expect(query(sql)).rejects.toThrow('the audit log is only added to');
  });

  test('gives an entry its place and its hashes, whatever came with it', async () => {
    const entry = JSON.stringify({ id: 'log_own', at: 1, action: 'account.updated', actor: { id: 'x' } });
    const sql = `INSERT INTO audit_log (chain, place, former_hash, hash, entry) VALUES ('acct_other', 77, 'x', 'x', $1) RETURNING chain, place`;
    const [{ before } = { before: 0 }] = await query<{ before: number }>(
      `SELECT coalesce(max(place), 0) AS before FROM audit_log WHERE chain = 'service'`,
    );
    expect(await query(sql, [entry])).toEqual([{ chain: 'service', place: before + 1 }]);
    await expect(query(sql, ['{"at":1}'])).rejects.toThrow('violates');
  });

  test('puts entries that come at once into one row of hashes, and those that are rolled back into none', async () => {
    const { accountId } = await api.newMerchant();
    const { pool } = api.composition.deps;
    const log = (city: string) =>
      changeLogged({ pool }, async (tx) => {
        const change = { action: 'account.updated', account: accountId, liveMode: null, object: accountId } as const;
        await tx.log({ ...change, before: null, after: { city } });
        if (city.startsWith('no')) throw new Error('not made');
      });
    const cities = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? `no ${at}` : `${at}`));
    await Promise.allSettled(cities.map(log));
    const places = await query<{ place: number }>('SELECT place FROM audit_log WHERE chain = $1 ORDER BY place', [
      accountId,
    ]);
    expect(places.map(({ place }) => place)).toEqual(Array.from({ length: 4 + 20 }, (_, at) => at + 1));
  });
});

describe('heads that are kept elsewhere', () => {
  const compare = async (heads: unknown[]) => {
    const path = join(folder, 'kept');
    writeFileSync(path, heads.map((head) => JSON.stringify(head)).join('\n'));
    return admin('log', 'compare', path);
  };

  test('are led to by a log that has grown since, and not by another one', async () => {
    const { pool } = api.composition.deps;
    const { anchored, head } = await anchorLogs(pool);
    expect(anchored).toBeGreaterThan(0);
    expect((await anchorLogs(pool)).anchored).toBe(0);
    const kept = await admin('log', 'heads');
    expect(kept).toContainEqual(head);
    await admin('account', 'set', shop.accountId, '--city', 'Recife');
    expect(await compare(kept)).toEqual([]);
    expect((await anchorLogs(pool)).anchored).toBe(1);
    await expect(compare([{ ...head, digest: '0'.repeat(64) }])).rejects.toThrow('1 of 1 heads are not in the log');
    await expect(compare([{ ...head, entries: 9_999 }, head])).rejects.toThrow('1 of 2 heads are not in the log');
    await expect(compare(['nothing'])).rejects.toThrow('Line 1 is none that `log heads` printed');
    await expect(compare([])).rejects.toThrow('Nothing to compare');
  });
});

describe('settings that a merchant changes by the API', () => {
  const logged = async (accountId: string) => {
    const rows = await query<{ entry: string }>(
      `SELECT entry FROM audit_log WHERE account_id = $1 AND actor LIKE 'key_%' ORDER BY place`,
      [accountId],
    );
    return rows.map(({ entry }) => JSON.parse(entry));
  };

  test('are logged with the key, the address and the request, and not when nothing was changed', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const [{ id: key } = { id: '' }] = await query<{ id: string }>(
      'SELECT id FROM api_key WHERE account_id = $1 AND NOT live_mode',
      [accountId],
    );
    await fatura.account.update({ support_email: 'ajuda@loja.test' });
    await fatura.account.update({ support_email: 'ajuda@loja.test' });
    const { id } = await fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/gancho?token=1',
      event_types: ['invoice.paid'],
    });
    await fatura.webhookEndpoints.update(id, { status: 'disabled' });
    await fatura.webhookEndpoints.enable(id);
    await fatura.webhookEndpoints.rotateSecret(id);
    await fatura.webhookEndpoints.delete(id);
    await fatura.testClock.reset();
    const found = await logged(accountId);
    expect(found.map(({ action, object }) => [action, object])).toEqual([
      ['account.updated', accountId],
      ['webhook_endpoint.created', id],
      ['webhook_endpoint.updated', id],
      ['webhook_endpoint.enabled', id],
      ['webhook_endpoint.secret_rotated', id],
      ['webhook_endpoint.deleted', id],
      ['test_clock.reset', accountId],
    ]);
    expect(found[0]).toEqual({
      id: expect.stringMatching(/^log_/),
      at: expect.any(Number),
      actor: { kind: 'api_key', id: key },
      action: 'account.updated',
      account: accountId,
      live_mode: false,
      object: accountId,
      before: { support_email: null },
      after: { support_email: 'a***@loja.test' },
      from: { host: null, address: '127.0.0.1' },
      request_id: expect.stringMatching(/^req_/),
    });
    expect(found[1].after).toMatchObject({ url: 'http://127.0.0.1:9/***', status: 'active' });
    expect(JSON.stringify(found)).not.toMatch(/whsec_|token=1/);
  });

  test('are neither made nor logged where the entry cannot be written', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const name = `refuse_${accountId}`;
    await query(
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$`,
    );
    await query(`CREATE TRIGGER ${name} BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION ${name}()`);
    const failing = fatura.account.update({ color: '#6b21a8' });
    await expect(failing).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await query(`DROP FUNCTION ${name} CASCADE`);
    expect((await fatura.account.retrieve()).color).toBeNull();
  });
});

describe('what operators are shown of buyers', { timeout: MANY_COMMANDS_MS }, () => {
  const entriesOf = (action: string) => admin('log', 'list', '--action', action);

  test('regression-176-an event, e-mails and addresses are printed only behind an entry that says whose', async () => {
    const { accountId } = shop;
    const customer = await newCustomer(shop);
    const invoice = await newInvoice(shop, { customer_id: customer.id });
    const [event] = await query<{ id: string }>('SELECT id FROM event WHERE object_id = $1', [customer.id]);
    const commands = [
      ['event', 'show', event?.id ?? ''],
      ['mail', 'list', '--invoice', invoice.id],
      ['mail', 'list', '--account', accountId, '--limit', '7'],
      ['mail', 'list'],
      ['mail', 'suppressed'],
    ];
    const before = await query('SELECT count(*) FROM audit_log');
    await query(
      `CREATE FUNCTION full_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$`,
    );
    await query('CREATE TRIGGER full_log BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION full_log()');
    for (const command of commands) expect(await runAdmin(api, command)).toMatchObject({ code: 1, out: '' });
    await query('DROP FUNCTION full_log CASCADE');
    expect(await query('SELECT count(*) FROM audit_log')).toEqual(before);

    for (const command of commands) await admin(...command);
    const asked = { actor: { id: 'ana@operadora.test' }, before: null };
    expect(await entriesOf('event.shown')).toMatchObject([
      { ...asked, account: accountId, live_mode: false, object: event?.id, after: null },
    ]);
    expect(await entriesOf('mail.listed')).toMatchObject([
      { ...asked, account: null, live_mode: null, object: null, after: { limit: 20 } },
      { ...asked, account: accountId, live_mode: null, object: accountId, after: { limit: 7 } },
      { ...asked, account: accountId, live_mode: false, object: invoice.id, after: { limit: 20 } },
    ]);
    expect(await entriesOf('mail.suppressions_listed')).toMatchObject([
      { ...asked, account: null, live_mode: null, object: null, after: { limit: 20 } },
    ]);
  });

  test('what does not exist leaves no entry', async () => {
    const before = await query('SELECT count(*) FROM audit_log');
    await expect(admin('event', 'show', 'nothing')).rejects.toThrow('No such event: nothing');
    await expect(admin('mail', 'list', '--invoice', 'in_nothing')).rejects.toThrow('No such invoice: in_nothing');
    await expect(admin('mail', 'list', '--account', 'acct_no')).rejects.toThrow('No such account: acct_no');
    expect(await query('SELECT count(*) FROM audit_log')).toEqual(before);
  });
});
