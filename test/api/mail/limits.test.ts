import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../server/admission/limits.ts';
import { takeMail } from '../../../server/mail/limits.ts';
import { sendMails } from '../../../server/mail/sending.ts';
import { readAddress, suppress, unsuppress } from '../../../server/mail/suppression.ts';
import { runAdmin } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';

let server: MailServer;
let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ mail: { smtpUrl: server.url, from: { name: null, address: 'conta@loja.test' } } });
  const merchant = await api.newMerchant();
  shop = { ...merchant, fatura: merchant.live };
});
afterEach(async () => {
  server.delivered.length = 0;
  await pool().query('DELETE FROM mail_count');
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});

const pool = () => api.composition.deps.pool;
const send = (deps = api.composition.deps) => sendMails(deps, { mode: 'live', told: () => {} });

/** An open invoice whose buyer was written to. */
async function aReminded(email: string, of: Merchant = shop): Promise<string> {
  const { id } = await newInvoice(of, { customer_id: (await newCustomer(of, { email })).id });
  await remindOf(api, of, { id, step: 0, liveMode: true });
  return id;
}

/** As if so many of today's had been sent. */
const useUp = (mails: number) => pool().query('UPDATE mail_count SET mails = $1', [mails]);

const alarms = async (): Promise<number> => {
  const { values } = await api.composition.deps.metrics.alarms.get();
  return values.find(({ labels }) => labels.kind === 'mail_held')?.value ?? 0;
};

describe('a mail beyond a budget of the day', () => {
  test('is held with its reason, told to operators and to a merchant who sends another, and released', async () => {
    await aReminded('primeira@example.com');
    expect(await send()).toMatchObject({ sent: 1, held: 0 });
    await useUp(limits.mails.live);
    const id = await aReminded('segunda@example.com');
    const before = await alarms();
    expect(await send()).toMatchObject({ sent: 0, held: 1 });
    expect(await alarms()).toBe(before + 1);
    const why = 'used up: 10000 e-mails a day of the account (limit "mails")';
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'held', last_error: why, attempts: 0 }]);
    await expect(shop.fatura.invoices.send(id)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await pool().query('DELETE FROM mail_count');
    expect(await send()).toMatchObject({ sent: 0, held: 0 });
    const { out } = await runAdmin(api, ['mail', 'release', '--account', shop.accountId]);
    expect(JSON.parse(out)).toMatchObject({ released: 1 });
    expect(await send()).toMatchObject({ sent: 1 });
  });

  test('is one too many to a recipient, of one account or of all, however the address is written', async () => {
    for (let count = 0; count < limits.mails_to_recipient.live; count += 1) await aReminded('maria@example.com');
    const beyond = await aReminded('Maria@Example.com');
    for (let sent = 0; sent < limits.mails_to_recipient.live; ) sent += (await send()).sent || 1;
    await send();
    expect(await mailsOf(api, beyond)).toMatchObject([
      { status: 'held', last_error: expect.stringContaining('to this recipient (limit "mails_to_recipient")') },
    ]);
    await pool().query('UPDATE mail_count SET mails = $1 WHERE counted NOT LIKE $2', [
      limits.mails_to_anyone.live,
      'live acct%',
    ]);
    const merchant = await api.newMerchant();
    const other = await aReminded('maria@example.com', { ...merchant, fatura: merchant.live });
    await send();
    expect(await mailsOf(api, other)).toMatchObject([
      { status: 'held', last_error: expect.stringContaining('limit "mails_to_anyone"') },
    ]);
  });
});

const mailOf = async (invoice: string) => {
  const { rows } = await pool().query(
    `SELECT id, account_id AS "accountId", live_mode AS "liveMode", recipient, counted_on AS "countedOn" FROM mail WHERE invoice_id = $1`,
    [invoice],
  );
  return rows[0];
};

const counts = async (): Promise<number[]> =>
  (await pool().query('SELECT mails FROM mail_count ORDER BY counted')).rows.map(({ mails }) => mails);

test('a process that dies before it sends has counted a mail that is sent later, once', async () => {
  const id = await aReminded('maria@example.com');
  const dying = {
    ...api.composition.deps,
    mailer: { send: () => Promise.reject(new Error('dead')), verify: async () => {}, close: () => {} },
  };
  await expect(send(dying)).rejects.toThrow('dead');
  expect(await counts()).toEqual([1, 1, 1]);
  expect(await mailsOf(api, id)).toMatchObject([{ status: 'queued' }]);
  await pool().query('UPDATE mail SET next_try_at = now() WHERE invoice_id = $1', [id]);
  expect(await send()).toMatchObject({ sent: 1 });
  expect(await counts()).toEqual([1, 1, 1]);
});

test('the last mail of a day goes to one of many who ask at once', async () => {
  const ids = [];
  for (let count = 0; count < 8; count += 1) ids.push(await aReminded(`um${count}@example.com`));
  const mails = await Promise.all(ids.map(mailOf));
  const now = api.clock.now();
  await takeMail(pool(), mails[0], { now, countedOn: null });
  await useUp(limits.mails.live - 1);
  const taken = await Promise.all(mails.slice(1).map((mail) => takeMail(pool(), mail, { now, countedOn: null })));
  expect(taken.filter((usedUp) => usedUp === null)).toHaveLength(1);
  await pool().query(`DELETE FROM mail WHERE status = 'queued'`);
});

test('nothing is sent to an address that is suppressed, however it is written, until it is not any more', async () => {
  await suppress(api.operator.pool, { address: readAddress(' Maria@Example.COM '), reason: 'bounce' });
  const id = await aReminded('maria@example.com');
  expect(await send()).toMatchObject({ sent: 0, dropped: 1 });
  expect(await mailsOf(api, id)).toMatchObject([
    { status: 'dropped', last_error: 'an operator has suppressed the address' },
  ]);
  expect(await unsuppress(api.operator.pool, 'maria@example.com')).toBe(true);
  expect(await unsuppress(api.operator.pool, 'maria@example.com')).toBe(false);
  await aReminded('maria@example.com');
  expect(await send()).toMatchObject({ sent: 1 });
});

test.each(['', 'maria', 'a@b@c', 'a b@c.d', 'a@b\nc.d', `${'a'.repeat(250)}@b.cd`, '<a@b.c>'])(
  '%j is no address to suppress',
  (text) => expect(() => readAddress(text)).toThrow('must be an e-mail address of at most 254 characters'),
);
