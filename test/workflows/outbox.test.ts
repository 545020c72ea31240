import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readScope } from '../../server/accounts/scope.ts';
import {
  backoffSeconds,
  claimOutbox,
  completeOutbox,
  failOutbox,
  type OutboxClaim,
  type OutboxRow,
  type OutboxWork,
  releaseOutbox,
} from '../../server/outbox/outbox.ts';
import type { OutboxEntry } from '../../server/unit-of-work/facts.ts';
import type { Scope } from '../../server/unit-of-work/tx.ts';
import { startApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let scope: Scope;

beforeAll(async () => {
  api = await startApi();
  const { accountId } = await api.newMerchant();
  scope = await readScope(pool(), { accountId, liveMode: false });
});
beforeEach(() => pool().query('DELETE FROM outbox'));
afterAll(async () => {
  await pool().query('DELETE FROM outbox');
  await api.stop();
});

const pool = () => api.composition.deps.pool;

const claim = (of: Partial<OutboxClaim> = {}): Promise<OutboxRow[]> =>
  claimOutbox(pool(), {
    liveMode: false,
    work: 'others',
    after: '',
    share: 10,
    max: 10,
    ...of,
  });

const enqueue = (entry: Partial<OutboxEntry> = {}): Promise<void> =>
  api.composition.deps.transaction(scope, async (tx) => tx.enqueue({ kind: 'pix-settlement', key: 'a', ...entry }));

/** The only row that is due. */
async function claimOne(): Promise<OutboxRow> {
  const [row, ...others] = await claim();
  if (row === undefined || others.length > 0) throw new Error('one row should be due');
  return row;
}

const dueIn = async (): Promise<number[]> => {
  const { rows } = await pool().query(
    'SELECT extract(epoch FROM due_at - now())::float8 AS wait FROM outbox ORDER BY key',
  );
  return rows.map(({ wait }) => Math.round(wait));
};

describe('a row of the outbox', () => {
  test('is taken once for as long as its lease lasts, and goes when its work was started', async () => {
    await enqueue();
    const row = await claimOne();
    expect(row).toMatchObject({
      kind: 'pix-settlement',
      key: 'a',
      accountId: scope.accountId,
      version: 1,
      failures: 0,
    });
    expect(await claim()).toEqual([]);
    await completeOutbox(pool(), [row]);
    expect(await dueIn()).toEqual([]);
  });

  test('asked for again before it is taken is one row', async () => {
    await enqueue({ afterSeconds: 600 });
    await enqueue();
    expect(await claimOne()).toMatchObject({ version: 2 });
  });

  test('asked for again while it is taken is due once more', async () => {
    await enqueue();
    const taken = await claimOne();
    await enqueue();
    await completeOutbox(pool(), [taken]);
    const again = await claimOne();
    expect(again).toMatchObject({ id: taken.id, version: 2 });
    await completeOutbox(pool(), [again]);
    expect(await dueIn()).toEqual([]);
  });

  test('waits until it is due', async () => {
    await enqueue({ afterSeconds: 600 });
    expect(await claim()).toEqual([]);
    expect(await dueIn()).toEqual([600]);
  });

  test('that fails waits longer each time, and is due at once when it is asked for again', async () => {
    await enqueue();
    await failOutbox(pool(), [await claimOne()]);
    expect(await dueIn()).toEqual([1]);
    await pool().query(`UPDATE outbox SET due_at = now(), failures = 5`);
    await failOutbox(pool(), [await claimOne()]);
    expect(await dueIn()).toEqual([32]);
    await enqueue();
    expect(await claimOne()).toMatchObject({ failures: 6 });
    expect([0, 1, 8, 9, 1_000].map(backoffSeconds)).toEqual([1, 2, 256, 300, 300]);
  });

  test('given back is due at once and has not failed', async () => {
    await enqueue();
    await releaseOutbox(pool(), [await claimOne()]);
    expect(await claimOne()).toMatchObject({ failures: 0 });
  });

  test('goes to one of several relays', async () => {
    for (const key of 'abcdefghijklmnopqrst') await enqueue({ key });
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim()));
    expect(
      claims
        .flat()
        .map((row) => row.key)
        .sort()
        .join(''),
    ).toBe('abcdefghijklmnopqrst');
  });

  test('asked for and taken at once stays until the last wish was taken', async () => {
    const taken: OutboxRow[] = [];
    const relay = async () => {
      for (let round = 0; round < 60; round += 1) {
        const rows = await claim();
        taken.push(...rows);
        await completeOutbox(pool(), rows);
      }
    };
    const ask = async () => {
      for (let round = 0; round < 60; round += 1) await enqueue();
    };
    await Promise.all([relay(), relay(), ask(), ask()]);
    await pool().query('UPDATE outbox SET due_at = now()');
    // A row goes only with its newest version, so an empty outbox means that no wish came after the last taking.
    await relay();
    expect(taken.length).toBeGreaterThan(0);
    expect(await dueIn()).toEqual([]);
  });

  test('is taken by the relay of its mode alone', async () => {
    await enqueue();
    expect(await claim({ liveMode: true })).toEqual([]);
    expect(await claim({ liveMode: false })).toHaveLength(1);
  });

  test('of a ladder and of another case are taken apart', async () => {
    await enqueue({ key: 'money' });
    await enqueue({ kind: 'webhook-delivery', key: 'evt_1/we_1/1' });
    const keys = async (work: OutboxWork) => (await claim({ work })).map(({ key }) => key);
    expect([await keys('ladders'), await keys('others')]).toEqual([['evt_1/we_1/1'], ['money']]);
  });

  test('is taken up to the share of its account', async () => {
    for (const key of ['a', 'b', 'c']) await enqueue({ key });
    expect(await claim({ share: 2 })).toHaveLength(2);
    expect(await claim({ share: 2 })).toHaveLength(1);
  });

  test('of one account waits for no more than a claim of another account’s flood', async () => {
    await pool().query(`INSERT INTO outbox (kind, key, account_id, live_mode, due_at)
      SELECT 'pix-settlement', n::text, 'acct_00_flood', false, now() - interval '1 day' FROM generate_series(1, 500) n`);
    await enqueue();
    const first = await claim();
    expect(new Set(first.map(({ accountId }) => accountId))).toEqual(new Set(['acct_00_flood']));
    const [next] = await claim({ after: 'acct_00_flood' });
    expect(next).toMatchObject({ key: 'a', accountId: scope.accountId });
  });
});
