import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realTime } from '../../../server/kernel/time.ts';
import { type CardSubject, cardCases } from '../../../server/payments/acquirer/conformance.ts';
import { measureCertificates, runCertificates } from '../../../server/payments/live/certificates.ts';
import { liveMethods } from '../../../server/payments/live/methods.ts';
import { openSettings, readLiveAcquirer, setLiveAcquirer } from '../../../server/payments/live/store.ts';
import { runSweep } from '../../../server/payments/live/sweep.ts';
import { adminHere } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { configureLive } from '../../support/live-settings.ts';
import { rolesOf } from '../../support/roles.ts';
import { conformanceCards, openSandboxBank, type SandboxBank } from '../sandbox/sandbox-bank.ts';
import { cardMethodAt, forEachMerchant, type OpenedCards } from './card-method.ts';

const KEY = 'sk_segredo_do_banco';
const OF_ALL_RUNS = { told: () => {} };

let api: TestApi;
let bank: SandboxBank;
let opened: OpenedCards[];
let folder: string;
let accountId: string;
const own = liveMethods.card;

const deps = () => api.composition.deps;
const operator = () => rolesOf(deps().pool).operator.pool;
const of = () => ({ accountId, method: 'card' }) as const;
const admin = (verb: string, ...args: string[]) =>
  adminHere(api, ['acquirer', verb, ...args], { PUBLIC_URL: 'https://fatura.loja.test' });
const adapterNow = () => deps().acquirers.live.card(accountId);

function set(key: string, ...options: string[]) {
  const path = join(folder, 'key');
  writeFileSync(path, `${key}\n`);
  return admin('set', accountId, '--live', 'card', '--secret-key-file', path, ...options);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fatura-cards-'));
  bank = await openSandboxBank();
  const { method, opened: all } = cardMethodAt(bank.acquirer);
  liveMethods.card = method;
  opened = all;
  api = await startApi();
  ({ accountId } = await api.newMerchant());
});
afterAll(async () => {
  liveMethods.card = own;
  rmSync(folder, { recursive: true });
  await api.stop();
  await bank.close();
});

describe('an acquirer of another method', () => {
  const shown = () => ({ account: accountId, live: 'card', profile: 'card-bank', soft_descriptor: 'LOJA' });

  test('is set by its own options, sealed, shown, and listed beside PIX', async () => {
    expect(await adapterNow()).toBe(null);
    expect(await set(KEY, '--soft-descriptor', 'LOJA')).toEqual([shown()]);
    const row = await readLiveAcquirer(deps().pool, of());
    if (row === null) throw new Error('it was set');
    expect(row.settings.includes(KEY)).toBe(false);
    expect(openSettings(deps().secretBox, row)).toMatchObject({ settings: { secretKey: KEY }, former: [] });
    await configureLive(api, accountId, { days: 365 });
    expect(await admin('show', accountId, '--live', 'card')).toEqual([shown()]);
    expect(await admin('list')).toMatchObject([shown(), { account: accountId, live: 'pix', profile: 'efi' }]);
  });

  test('refuses options of PIX, and what is wrong or missing', async () => {
    await expect(set(KEY, '--pix-key', 'dono@loja.test')).rejects.toThrow("'--pix-key <key>' is of another method");
    await expect(set('curta')).rejects.toThrow('--secret-key-file must have at least 8 characters');
    const none = admin('set', accountId, '--live', 'card');
    await expect(none).rejects.toThrow("required option '--secret-key-file <path>' not specified");
    const ofPix = admin('set', accountId, '--live', 'pix', '--profile', 'efi');
    await expect(ofPix).rejects.toThrow("required option '--client-id <id>' not specified");
  });

  test('is tested step by step, and the secret of its callbacks is not shown', async () => {
    expect(await admin('test', accountId, '--live', 'card')).toEqual([
      { step: 'key', ok: true },
      { step: 'webhook', ok: true, detail: 'https://fatura.loja.test/acquirer/notices/…' },
    ]);
  });

  test('charges live money', async () => {
    const merchant = await api.newMerchant();
    const row = { accountId: merchant.accountId, method: 'card', certificateEndsAt: null } as const;
    const settings = { profile: 'card-bank', secretKey: KEY, softDescriptor: null, chargesPerSecond: 20 };
    await setLiveAcquirer(operator(), deps().secretBox, { ...row, settings });
    const shop = { ...merchant, fatura: merchant.live };
    const { id } = await newInvoice(shop, { amount: 4_000 });
    expect(await payByCard(shop, id)).toMatchObject({ status: 'paid', live_mode: true });
  });

  test('takes callbacks by what it alone checks of them', async () => {
    const row = await readLiveAcquirer(deps().pool, of());
    const { noticeToken } = openSettings(deps().secretBox, row ?? expect.fail('it was set'));
    const post = (signature: string) =>
      fetch(`${api.baseUrl}/acquirer/notices/${noticeToken}`, {
        method: 'POST',
        headers: { 'x-signature': signature },
        body: '{"id":"hook_1"}',
      });
    expect((await post(`15 ${KEY}`)).status).toBe(200);
    expect((await post('15 of nobody')).status).toBe(400);
  });

  test('has no certificate that ends and nothing to sweep, and PIX beside it has', async () => {
    const days = (count: number) => realTime() + count * 86_400;
    api.clock.advance(days(360) - api.clock.real());
    expect(await runCertificates(deps(), OF_ALL_RUNS)).toEqual({ due: 1, warned: 1, ended: 0 });
    await measureCertificates(deps());
    const { values } = await deps().metrics.certificateEnds.get();
    expect(values.map(({ labels }) => labels)).toEqual([{ account: accountId, method: 'pix', profile: 'efi' }]);
    expect(await runSweep(deps(), OF_ALL_RUNS)).toMatchObject({ due: 1, postponed: 1, not_due: 2 });
  });

  test('that is replaced stands behind the new one until it is forgotten', async () => {
    expect(await set('sk_outro_banco')).toMatchObject([{ soft_descriptor: null }]);
    const [logged] = await operator()
      .query(`SELECT entry FROM audit_log WHERE action = 'acquirer.set' ORDER BY place DESC LIMIT 1`)
      .then(({ rows }) => rows);
    expect(JSON.parse(logged.entry)).toMatchObject({
      object: 'card',
      after: { changed: ['secret_key', 'soft_descriptor'] },
    });
    await expect
      .poll(async () => (await adapterNow()) && opened.at(-1))
      .toEqual({
        secretKey: 'sk_outro_banco',
        former: [KEY],
      });
    const forgotten = await admin('forget-former', accountId, '--live', 'card');
    expect(forgotten).toEqual([{ account: accountId, live: 'card', forgotten: 1 }]);
  });

  test('is removed, and PIX stays', async () => {
    const removed = await admin('remove', accountId, '--live', 'card');
    expect(removed).toEqual([{ account: accountId, live: 'card', removed: true }]);
    await expect.poll(adapterNow).toBe(null);
    expect(await admin('list')).toMatchObject([{ account: accountId, live: 'pix' }, { live: 'card' }]);
  });
});

describe('the conformance suite judges it as each account has it', () => {
  const subject: Omit<CardSubject, 'acquirer'> = {
    ...conformanceCards,
    newMerchant: async () => {
      const { accountId } = await api.newMerchant();
      const settings = { profile: 'card-bank', secretKey: KEY, softDescriptor: null, chargesPerSecond: 20 };
      const row = { accountId, method: 'card', settings, certificateEndsAt: null } as const;
      await setLiveAcquirer(operator(), deps().secretBox, row);
      return { accountId, liveMode: true, name: 'Loja do Teste', city: 'SAO PAULO', now: realTime() };
    },
    afterReturn: async (merchant) => ({ ...merchant, now: merchant.now + 5 }),
  };

  test.each(cardCases)('$name', async ({ run }) => {
    const acquirer = forEachMerchant(bank.acquirer, (id) => deps().acquirers.live.card(id));
    await run({ ...subject, acquirer });
  });
});
