import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../../server/accounts/key-changes.ts';
import { limits } from '../../../server/admission/limits.ts';
import { removeOldExports } from '../../../server/exports/retention.ts';
import { exportFileStep } from '../../../server/exports/write.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { factsOf, outcomesOf } from '../requests.ts';
import { exported, idsIn, open, tableAt, write } from './exports-scene.ts';

const DAY = 86_400;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const customersOf = (shop: Merchant) => exported(api, shop.fatura, { type: 'customers' });
const pool = () => api.composition.deps.pool;

const rowsOf = async ({ accountId }: Merchant): Promise<{ exports: number; parts: number }> => {
  const { rows } = await pool().query<{ exports: number; parts: number }>(
    `SELECT (SELECT count(*)::int FROM export WHERE account_id = $1) AS exports,
       (SELECT count(*)::int FROM export_part WHERE account_id = $1) AS parts`,
    [accountId],
  );
  return rows[0] ?? { exports: 0, parts: 0 };
};

describe('an export', () => {
  test('is pending, then completed, and tells so by one event', async () => {
    const shop = await api.newMerchant();
    await newCustomer(shop);
    const made = await shop.fatura.exports.create({ type: 'customers', filters: { external_code: 'ninguém' } });
    expect(made).toEqual({
      id: made.id,
      object: 'export',
      live_mode: false,
      created: api.clock.now(),
      type: 'customers',
      filters: { external_code: 'ninguém' },
      columns: made.columns,
      status: 'pending',
      rows: 0,
      url: null,
      expires_at: null,
      completed_at: null,
    });
    expect(await shop.fatura.exports.retrieve(made.id)).toEqual(made);
    api.clock.advance(7);
    await write(api, made.id);
    const now = api.clock.now();
    const completed = await shop.fatura.exports.retrieve(made.id);
    expect(completed).toEqual({
      ...made,
      status: 'completed',
      url: completed.url,
      expires_at: now + DAY,
      completed_at: now,
    });
    expect((await shop.fatura.exports.list().page()).data).toEqual([completed]);
    await write(api, made.id);
    const facts = await factsOf(shop);
    expect(facts.filter(({ type }) => type.startsWith('export'))).toEqual([
      { type: 'export.completed', object: completed },
    ]);
  });

  test('is asked for once under one Idempotency-Key', async () => {
    const shop = await api.newMerchant();
    const ask = () => shop.fatura.exports.create({ type: 'invoices' }, { idempotencyKey: 'mensal' });
    const [one, other] = [await ask(), await ask()];
    expect(other).toEqual(one);
    expect((await rowsOf(shop)).exports).toBe(1);
  });

  test('is none of another account or mode', async () => {
    const [shop, stranger] = [await api.newMerchant(), await api.newMerchant()];
    const { id } = await customersOf(shop);
    for (const fatura of [stranger.fatura, stranger.live, shop.live]) {
      await expect(fatura.exports.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'RESOURCE_MISSING' });
      expect((await fatura.exports.list().page()).data).toEqual([]);
    }
  });

  test('shows no link to a key that may only read, which may ask for none', async () => {
    const shop = await api.newMerchant();
    const made = await customersOf(shop);
    const { key } = await createKey(api.operator, {
      accountId: shop.accountId,
      liveMode: false,
      name: 'contador',
      scope: 'read',
      networks: [],
      expiresAt: null,
      reads: 'latest',
    });
    const reader = sdkFor(api.baseUrl, key);
    expect(await reader.exports.retrieve(made.id)).toEqual({ ...made, url: null });
    expect((await reader.exports.list().page()).data).toEqual([{ ...made, url: null }]);
    const [event] = (await reader.events.list({ type: ['export.completed'] }).page()).data;
    expect(event?.data.object).toEqual({ ...made, url: null });
    await expect(reader.exports.create({ type: 'customers' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  test('that is not written within a day has failed', async () => {
    const shop = await api.newMerchant();
    const { id } = await shop.fatura.exports.create({ type: 'customers' });
    await pool().query(`UPDATE export SET asked_at = now() - interval '25 hours' WHERE id = $1`, [id]);
    await write(api, id);
    expect(await shop.fatura.exports.retrieve(id)).toMatchObject({ status: 'failed', url: null, completed_at: null });
    expect(await rowsOf(shop)).toEqual({ exports: 1, parts: 0 });
    expect(await factsOf(shop)).toEqual([]);
  });
});

describe('the limits of exports', () => {
  test('two are written at once, whoever asks at the same time', async () => {
    const shop = await api.newMerchant();
    const asked = Array.from({ length: 5 }, () => shop.fatura.exports.create({ type: 'customers' }));
    const { done, refused } = await outcomesOf(asked);
    expect(done).toHaveLength(limits.exports.sandbox);
    for (const error of refused) expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect((refused[0] as Error).message).toMatch(/^2 exports of this account in this mode are being written/);
    await shop.live.exports.create({ type: 'customers' });
    await write(api, done[0]?.id ?? '');
    await shop.fatura.exports.create({ type: 'customers' });
  });

  test('a hundred are kept', async () => {
    const shop = await api.newMerchant();
    const { id } = await customersOf(shop);
    const copy = `INSERT INTO export SELECT (e).* FROM (SELECT jsonb_populate_record(e, jsonb_build_object('id', $1 || lpad(nth::text, 24, '0'))) AS e
      FROM export e, generate_series(1, $3) nth WHERE e.id = $2) copies`;
    await pool().query(copy, ['exp_00', id, limits.exports_kept.sandbox - 1]);
    await expect(shop.fatura.exports.create({ type: 'customers' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('100 exports of this account in this mode are kept'),
    });
    await pool().query(`DELETE FROM export WHERE account_id = $1 AND id LIKE 'exp_00%'`, [shop.accountId]);
  });
});

describe('the link of an export', () => {
  test('sends the file to whoever has it, to be kept nowhere between', async () => {
    const shop = await api.newMerchant();
    await newCustomer(shop);
    const { url } = await customersOf(shop);
    const answer = await open(api, url);
    const body = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries(answer.headers);
    const date = new Intl.DateTimeFormat('fr-CA', { timeZone: 'America/Sao_Paulo' }).format(api.clock.now() * 1_000);
    expect(answer.status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="clientes-${date}.csv"`,
      'content-length': String(body.length),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    const head = await open(api, url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(body.length));
  });

  test('that was not made here, or is of another export, leads to nothing', async () => {
    const shop = await api.newMerchant();
    const [one, other] = [await customersOf(shop), await customersOf(shop)];
    const signature = (url: string | null) => url?.split('/').at(-1) ?? '';
    const wrong = [
      one.url?.replace(signature(one.url), signature(other.url)) ?? '',
      `${one.url?.slice(0, -1)}_`,
      `${one.url}/mais`,
    ];
    for (const url of wrong) expect((await open(api, url)).status).toBe(404);
    const { id } = await shop.fatura.exports.create({ type: 'customers' });
    const pending = api.composition.deps.links.exportFile({ id, liveMode: false });
    expect((await open(api, pending)).status).toBe(404);
  });

  test('ends with the 24th hour on the clock of the account', async () => {
    const shop = await api.newMerchant();
    const file = await customersOf(shop);
    api.clock.advance(DAY - 1);
    expect(await shop.fatura.exports.retrieve(file.id)).toEqual(file);
    expect((await open(api, file.url)).status).toBe(200);
    api.clock.advance(1);
    expect(await shop.fatura.exports.retrieve(file.id)).toEqual({ ...file, url: null });
    const gone = await open(api, file.url);
    expect(gone.status).toBe(410);
    expect(await gone.text()).toContain('24 horas');
  });

  test('is opened ten times a minute', async () => {
    const shop = await api.newMerchant();
    const { url } = await customersOf(shop);
    const statuses: number[] = [];
    for (let times = 0; times < 12; times += 1) statuses.push((await open(api, url, { method: 'HEAD' })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  });
});

/** So many objects that their file has several parts. */
async function manyInvoices(shop: Merchant): Promise<string[]> {
  const customer = await newCustomer(shop);
  const price = await newPrice(shop);
  const metadata = [{ nota: 'x'.repeat(8_000) }];
  const ids: string[] = [];
  for (let nth = 0; nth < 260; nth += 1) {
    const line_items = [{ price_id: price.id, quantity: 1 }];
    const { id } = await newInvoice(shop, { customer_id: customer.id, line_items, metadata, draft: true });
    ids.unshift(id);
  }
  return ids;
}

describe('a file of several parts', () => {
  let shop: Merchant;
  let ids: string[];
  beforeAll(async () => {
    shop = await api.newMerchant();
    ids = await manyInvoices(shop);
  }, 120_000);

  test('is read back as one', async () => {
    const file = await exported(api, shop.fatura, { type: 'invoices', columns: ['id', 'metadata'] });
    expect(file).toMatchObject({ rows: ids.length, status: 'completed' });
    expect((await rowsOf(shop)).parts).toBeGreaterThan(2);
    expect(idsIn(await tableAt(api, file))).toEqual(ids);
  });

  /** Writes with something that happens behind the first part. */
  async function writeAround(id: string, happens: () => Promise<unknown>): Promise<void> {
    const { deps } = api.composition;
    let isFirst = true;
    const transaction: typeof deps.transaction = async (scope, work) => {
      const answer = await deps.transaction(scope, work);
      if (isFirst) {
        isFirst = false;
        await happens();
      }
      return answer;
    };
    await exportFileStep({ ...deps, transaction }, id);
  }

  test('has nothing of what was created once it was begun', async () => {
    const { id } = await shop.fatura.exports.create({ type: 'invoices', columns: ['id', 'metadata'] });
    const customer = await newCustomer(shop);
    let later = '';
    await writeAround(id, async () => {
      later = (await newInvoice(shop, { customer_id: customer.id, draft: true })).id;
    });
    expect(idsIn(await tableAt(api, await shop.fatura.exports.retrieve(id)))).toEqual(ids);
    await pool().query('DELETE FROM event WHERE object_id = $1', [later]);
    await pool().query('DELETE FROM invoice WHERE id = $1', [later]);
  });

  test('is begun anew where the object that it came to is removed', async () => {
    const { id } = await shop.fatura.exports.create({ type: 'invoices', columns: ['id', 'metadata'] });
    let removed = '';
    await writeAround(id, async () => {
      const { rows } = await pool().query<{ lastId: string }>('SELECT last_id AS "lastId" FROM export WHERE id = $1', [
        id,
      ]);
      removed = rows[0]?.lastId ?? '';
      await pool().query('DELETE FROM event WHERE object_id = $1', [removed]);
      await pool().query('DELETE FROM invoice WHERE id = $1', [removed]);
    });
    const file = await shop.fatura.exports.retrieve(id);
    const left = ids.filter((other) => other !== removed);
    expect([file.status, file.rows]).toEqual(['completed', left.length]);
    expect(idsIn(await tableAt(api, file))).toEqual(left);
    ids = left;
    const { data } = await shop.fatura.events.list({ related_object: id }).page();
    expect(data.map(({ type }) => type)).toEqual(['export.completed']);
  });

  test('that its account anonymizes somebody over is gone, and nothing tells of it', async () => {
    const { id } = await shop.fatura.exports.create({ type: 'invoices', columns: ['id', 'metadata'] });
    const customer = await newCustomer(shop);
    await writeAround(id, () => shop.fatura.customers.anonymize(customer.id));
    expect(await rowsOf(shop)).toEqual({ exports: 0, parts: 0 });
    expect((await shop.fatura.events.list({ related_object: id }).page()).data).toEqual([]);
  });
});

describe('what becomes of exports', () => {
  test('an anonymization removes those of its mode, and no others', async () => {
    const [shop, stranger] = [await api.newMerchant(), await api.newMerchant()];
    const { id: customer } = await newCustomer({ ...shop, fatura: shop.live }, { email: 'eva@example.com' });
    const kept = [await customersOf(shop), await exported(api, stranger.live, { type: 'customers' })];
    const gone = await exported(api, shop.live, { type: 'customers', filters: { email: 'eva@example.com' } });
    const pending = await shop.live.exports.create({ type: 'customers' });
    await shop.live.customers.anonymize(customer);
    for (const { id } of [gone, pending])
      await expect(shop.live.exports.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect((await open(api, gone.url)).status).toBe(404);
    expect(await shop.fatura.exports.retrieve(kept[0]?.id ?? '')).toEqual(kept[0]);
    expect(await stranger.live.exports.retrieve(kept[1]?.id ?? '')).toEqual(kept[1]);
    expect(await rowsOf(shop)).toEqual({ exports: 1, parts: 1 });
  });

  test('the retention run removes what had its day, with its file', async () => {
    const shop = await api.newMerchant();
    const [old, young] = [await customersOf(shop), await customersOf(shop)];
    await pool().query(`UPDATE export SET remove_at = now() - interval '1 second' WHERE id = $1`, [old.id]);
    expect(await removeOldExports(pool(), () => {})).toBe(1);
    await expect(shop.fatura.exports.retrieve(old.id)).rejects.toMatchObject({ status: 404 });
    expect((await open(api, old.url)).status).toBe(404);
    expect(await shop.fatura.exports.retrieve(young.id)).toEqual(young);
    expect(await rowsOf(shop)).toEqual({ exports: 1, parts: 1 });
  });

  test('a day of real time is what they have', async () => {
    const shop = await api.newMerchant();
    const { id } = await customersOf(shop);
    const { rows } = await pool().query<{ hours: number }>(
      'SELECT round(extract(epoch FROM remove_at - now()) / 3600)::int AS hours FROM export WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ hours: 24 }]);
  });

  test('a reset of the sandbox removes them', async () => {
    const shop = await api.newMerchant();
    const { id } = await customersOf(shop);
    const live = await exported(api, shop.live, { type: 'customers' });
    const pending = await shop.fatura.exports.create({ type: 'customers' });
    await shop.fatura.testClock.reset();
    await expect(shop.fatura.exports.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(await exportFileStep(api.composition.deps, pending.id)).toEqual({ done: true });
    expect(await rowsOf(shop)).toEqual({ exports: 1, parts: 1 });
    expect(await shop.live.exports.retrieve(live.id)).toEqual(live);
  });

  test('an advance of the clock lets a file wait, and ends its link', async () => {
    const shop = await api.newMerchant();
    const file = await customersOf(shop);
    const { id } = await shop.fatura.exports.create({ type: 'customers' });
    const held = 'UPDATE account SET clock_held_at = $2, clock_target = $3 WHERE id = $1';
    const now = api.clock.now();
    await pool().query(held, [shop.accountId, now, now + 2 * DAY]);
    expect(await exportFileStep(api.composition.deps, id)).toMatchObject({ done: false, status: 'clock advancing' });
    await pool().query(held, [shop.accountId, null, null]);
    await pool().query('UPDATE account SET sandbox_offset_seconds = $2 WHERE id = $1', [shop.accountId, 2 * DAY]);
    expect((await open(api, file.url)).status).toBe(410);
    await write(api, id);
    expect(await shop.fatura.exports.retrieve(id)).toMatchObject({ status: 'completed', completed_at: now + 2 * DAY });
  });

  test('neither filters nor files are stored in clear', async () => {
    const shop = await api.newMerchant();
    const email = 'sigilo@example.com';
    await newCustomer(shop, { email, name: 'Segredo' });
    await exported(api, shop.fatura, { type: 'customers', filters: { email } });
    for (const table of ['export', 'export_part']) {
      const { rows } = await pool().query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t WHERE account_id = $1`,
        [shop.accountId],
      );
      expect(rows).toHaveLength(1);
      for (const secret of [
        email,
        'Segredo',
        Buffer.from(email).toString('hex'),
        Buffer.from('Segredo').toString('hex'),
      ])
        expect(rows[0]?.row).not.toContain(secret);
    }
  });
});
