import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../../server/http/readiness.ts';
import { MODES } from '../../../server/kernel/mode.ts';
import { DAY } from '../../../server/kernel/time.ts';
import { sendMails } from '../../../server/mail/sending.ts';
import { measureCertificates, runCertificates } from '../../../server/payments/live/certificates.ts';
import { removeLiveAcquirer } from '../../../server/payments/live/store.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { configureLive } from '../../support/live-settings.ts';
import { rolesOf } from '../../support/roles.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';

let api: TestApi;
let server: MailServer;

beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ mail: { smtpUrl: server.url, from: { name: null, address: 'conta@fatura.test' } } });
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});

afterEach(async () => {
  await api.composition.deps.pool.query('DELETE FROM live_acquirer');
  await api.composition.deps.pool.query(`DELETE FROM mail WHERE status = 'queued'`);
});

const configure = (accountId: string, { days = 60, ...given }: { days?: number; pixKey?: string } = {}) =>
  configureLive(api, accountId, { days, ...given });

const forget = (accountId: string) =>
  removeLiveAcquirer(rolesOf(api.composition.deps.pool).operator.pool, { accountId, method: 'pix' });

const runOnce = () => runCertificates(api.composition.deps, { told: () => {} });

async function letters(accountId: string): Promise<{ subject: string; recipient: string; status: string }[]> {
  const { rows } = await api.composition.deps.pool.query(
    `SELECT subject, recipient, status FROM mail WHERE account_id = $1 AND live_mode ORDER BY id`,
    [accountId],
  );
  return rows;
}

const subjectsOf = async (accountId: string) => (await letters(accountId)).map(({ subject }) => subject);

const LETTERS = ['em 30 dias', 'em 7 dias', 'em menos de 24 horas'].map(
  (words) => `O certificado do seu PIX vence ${words} – Loja do Teste`,
);

test('an account is written to 30, 7 and 1 days before its certificate ends, once each, at its own address', async () => {
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 31 });
  expect(await runOnce()).toEqual({ due: 0, ended: 0 });
  for (const days of [1, 23, 6]) {
    api.clock.advance(days * DAY);
    expect(await runOnce()).toEqual({ due: 1, warned: 1, ended: 0 });
    expect(await runOnce()).toEqual({ due: 0, ended: 0 });
  }
  expect(await subjectsOf(accountId)).toEqual(LETTERS);
  await sendMails(api.composition.deps, { mode: 'live', told: () => {} });
  const sent = await letters(accountId);
  expect(sent.map(({ recipient, status }) => [recipient, status])).toEqual(Array(3).fill(['dono@loja.test', 'sent']));
  expect(server.delivered.at(-1)?.mail.text).toContain('PSP: Efí (Gerencianet)');
});

test('runs at one time write one letter', async () => {
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 5 });
  await Promise.all([runOnce(), runOnce(), runOnce()]);
  expect(await subjectsOf(accountId)).toEqual(['O certificado do seu PIX vence em 5 dias – Loja do Teste']);
});

test('letters that were late are not made up for', async () => {
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 31 });
  api.clock.advance(30.5 * DAY);
  await runOnce();
  await runOnce();
  expect(await subjectsOf(accountId)).toEqual(LETTERS.slice(2));
});

test('another certificate begins anew, and other settings with the same one do not', async () => {
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 20 });
  await runOnce();
  await configure(accountId, { days: 20, pixKey: '+5511999990000' });
  await runOnce();
  expect((await subjectsOf(accountId)).length).toBe(1);
  await configure(accountId, { days: 29 });
  await runOnce();
  expect(await subjectsOf(accountId)).toEqual(
    ['em 20 dias', 'em 29 dias'].map((words) => `O certificado do seu PIX vence ${words} – Loja do Teste`),
  );
});

test('a letter that waits is not sent once another certificate is there, or no acquirer any more', async () => {
  const [renewed, removed] = [await api.newMerchant(), await api.newMerchant()];
  for (const { accountId } of [renewed, removed]) await configure(accountId, { days: 3 });
  await runOnce();
  await configure(renewed.accountId);
  await forget(removed.accountId);
  expect(await sendMails(api.composition.deps, { mode: 'live', told: () => {} })).toMatchObject({
    sent: 0,
    dropped: 2,
  });
});

test('a certificate that has ended is an alarm at each run, and nobody is written to any more', async () => {
  const { metrics } = api.composition.deps;
  const alarms = async () =>
    (await metrics.alarms.get()).values.find(({ labels }) => labels.kind === 'acquirer_certificate_ended')?.value;
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 1 });
  api.clock.advance(DAY);
  expect(await alarms()).toBe(0);
  for (const count of [1, 2]) {
    expect(await runOnce()).toEqual({ due: 0, ended: 1 });
    expect(await alarms()).toBe(count);
  }
  expect(await letters(accountId)).toEqual([]);
});

test('the metric tells when each certificate ends, and forgets an acquirer that was removed', async () => {
  const { metrics, pool } = api.composition.deps;
  const shown = async () => {
    await measureCertificates({ pool, metrics });
    return (await metrics.certificateEnds.get()).values;
  };
  const { accountId } = await api.newMerchant();
  await configure(accountId, { days: 90 });
  const labels = { account: accountId, method: 'pix', profile: 'efi' };
  expect(await shown()).toEqual([{ labels, value: api.clock.real() + 90 * DAY }]);
  await forget(accountId);
  expect(await shown()).toEqual([]);
});

test('readiness tells of a certificate from seven days before its end on', async () => {
  const { pool } = api.composition.deps;
  const { accountId } = await api.newMerchant();
  const degradedWhenItEndsIn = async (interval: string) => {
    await configure(accountId);
    const sql = 'UPDATE live_acquirer SET certificate_ends_at = now() + $2::interval WHERE account_id = $1';
    await pool.query(sql, [accountId, interval]);
    return (await createReadiness(pool, { modes: MODES }).check()).degraded.includes('acquirer_certificate');
  };
  expect(await degradedWhenItEndsIn('7 days 1 minute')).toBe(false);
  expect(await degradedWhenItEndsIn('7 days')).toBe(true);
  expect(await degradedWhenItEndsIn('-1 day')).toBe(true);
  await forget(accountId);
  expect((await createReadiness(pool, { modes: MODES }).check()).degraded).not.toContain('acquirer_certificate');
});
