import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedEmail } from '../../../contract/forms.ts';
import type { Deps } from '../../../server/deps.ts';
import { createMailer } from '../../../server/mail/mailer.ts';
import { sendMails } from '../../../server/mail/sending.ts';
import { takenAddresses } from '../../support/addresses.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';
import { inEachMode } from '../../support/modes.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';

const FROM = { name: 'Loja, Conta', address: 'conta@loja.test' };
const NONE = { sent: 0, failed: 0, retried: 0, dropped: 0, kept: 0, held: 0 };
const HOUR = 3_600;

const failpoints = new Failpoints();
let server: MailServer;
let api: TestApi;
/** Whoever buys there is a real buyer. */
let liveShop: Merchant;
let sandboxShop: Merchant;

beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ failpoint: failpoints.hook, mail: { smtpUrl: server.url, from: FROM } });
  const shop = await api.newMerchant();
  sandboxShop = shop;
  liveShop = { ...shop, fatura: shop.live };
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});
beforeEach(() => {
  server.delivered.length = 0;
  server.answer = () => null;
});
afterEach(() => api.composition.deps.pool.query(`DELETE FROM mail WHERE status = 'queued'`));

const sendBy = (deps: Deps, told = () => {}) => inEachMode((mode) => sendMails(deps, { mode, told }));
const send = () => sendBy(api.composition.deps);

/** An open invoice whose buyer was written to. */
async function aReminded(email: string, name = "José D'Ávila-Souza Jr.", shop = liveShop): Promise<string> {
  const customer = await newCustomer(shop, { email, name });
  const { id, live_mode: liveMode } = await newInvoice(shop, { customer_id: customer.id });
  await remindOf(api, shop, { id, step: 0, liveMode });
  return id;
}

const aRemindedOfSandbox = (email: string): Promise<string> => aReminded(email, 'Leia: você ganhou', sandboxShop);

/** As if the pause until the next try had passed. */
const passPause = (invoice: string) =>
  api.composition.deps.pool.query(`UPDATE mail SET next_try_at = now() WHERE invoice_id = $1`, [invoice]);

const alarms = async (): Promise<number> => {
  const { values } = await api.composition.deps.metrics.alarms.get();
  return values.find(({ labels }) => labels.kind === 'mail_failed')?.value ?? 0;
};

test('answers to a mail go to the support address that the account has when it is sent, if it has one', async () => {
  const { account } = sandboxShop.live;
  await aReminded('jose@example.com');
  await account.update({ support_email: 'ajuda@loja.test' });
  await sandboxShop.fatura.account.update({ support_email: 'outra@loja.test' });
  await send();
  await account.update({ support_email: null });
  await aReminded('maria@example.com');
  await send();
  // The owner is told of the changes.
  const toBuyers = server.delivered.filter(({ to }) => !to.includes('dono@loja.test'));
  expect(toBuyers.map(({ to, mail }) => [to, mail.replyTo, mail.from])).toEqual([
    [['jose@example.com'], [{ name: '', address: 'ajuda@loja.test' }], FROM],
    [['maria@example.com'], undefined, FROM],
  ]);
});

test('a mail arrives as it was written, once', async () => {
  const id = await aReminded('jose@example.com');
  const [written] = await mailsOf(api, id);
  let told = 0;
  const counts = await sendBy(api.composition.deps, () => {
    told += 1;
  });
  expect([counts, told]).toEqual([{ ...NONE, sent: 1 }, 1]);
  expect(await send()).toEqual(NONE);
  const [arrived, ...more] = server.delivered;
  expect(more).toEqual([]);
  expect(arrived).toMatchObject({ from: FROM.address, to: ['jose@example.com'] });
  expect(arrived?.mail).toMatchObject({
    from: FROM,
    to: [{ name: "José D'Ávila-Souza Jr.", address: 'jose@example.com' }],
    subject: written?.subject,
    messageId: written?.message_id,
  });
  expect(arrived?.mail.text?.replaceAll('\r\n', '\n').trim()).toBe(written?.body_text);
  expect(arrived?.mail.html?.replaceAll('\r\n', '\n').trim()).toBe(written?.body_html?.trim());
  expect(arrived?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  expect(await mailsOf(api, id)).toMatchObject([
    { status: 'sent', attempts: 1, last_error: null, sent_at: expect.any(Date) },
  ]);
});

describe('a sandbox mail', () => {
  const OWN = 'dono@loja.test';

  test.each([OWN, 'Dono@LOJA.test'])('to the account’s own address is sent (%s)', async (address) => {
    const id = await aRemindedOfSandbox(address);
    expect(await send()).toEqual({ ...NONE, sent: 1 });
    // The domain is written as mail servers do.
    expect(server.delivered.flatMap(({ to }) => to)).toEqual([address.replace('LOJA', 'loja')]);
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'sent', attempts: 1 }]);
  });

  test('regression-44-to anybody else is kept and shown, and says why it is not sent', async () => {
    const ids = await Promise.all([`x${OWN}`, `${OWN}.br`, 'vitima@example.com'].map(aRemindedOfSandbox));
    expect(await send()).toEqual({ ...NONE, kept: 3 });
    expect(await send()).toEqual(NONE);
    expect(server.delivered).toEqual([]);
    const kept = {
      status: 'kept',
      attempts: 0,
      body_text: expect.stringContaining('/pay/'),
      last_error: "a sandbox mail is sent only to the account's own address",
    };
    for (const id of ids) expect(await mailsOf(api, id)).toMatchObject([kept]);
  });
});

test('a name with line breaks makes no header', async () => {
  await aReminded('maria@example.com', 'Maria\r\nBcc: todos@loja.test\r\n\r\nOutro corpo');
  await send();
  const [arrived] = server.delivered;
  expect(arrived?.to).toEqual(['maria@example.com']);
  expect(arrived?.mail.bcc).toBeUndefined();
  expect(arrived?.mail.headers.map(({ key }) => key)).not.toContain('bcc');
  expect(arrived?.mail.to).toEqual([{ name: '', address: 'maria@example.com' }]);
});

test.each(takenAddresses)('an address that is taken is one that mail reaches: %s', async (address) => {
  const { id } = await newCustomer(liveShop, { email: address });
  const { email } = await liveShop.live.customers.retrieve(id);
  await aReminded(address);
  expect(await send()).toEqual({ ...NONE, sent: 1 });
  // A domain is sent in lower case, and the server shows it as people write it.
  const sent = String(email).replace(/@.*$/, (domain) => domain.toLowerCase());
  expect(server.delivered.map(({ to, mail }) => [to.map(storedEmail), mail.to?.[0]?.address])).toEqual([
    [[sent], sent],
  ]);
});

test('many mails go over few connections', async () => {
  const ids = await Promise.all(Array.from({ length: 120 }, (_, index) => aReminded(`buyer${index}@example.com`)));
  server.connections = 0;
  expect(await send()).toEqual({ ...NONE, sent: ids.length });
  expect(new Set(server.delivered.flatMap(({ to }) => to)).size).toBe(ids.length);
  expect(server.connections).toBeLessThanOrEqual(20);
});

test('two processes that send at once send each mail once', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, index) => aReminded(`both${index}@example.com`)));
  const counts = await Promise.all([send(), send()]);
  expect(counts.reduce((sum, { sent }) => sum + sent, 0)).toBe(30);
  expect(server.delivered).toHaveLength(30);
});

describe('a mail that is not taken', () => {
  test.each(['recipient', 'content'] as const)('for now (%s) is tried again after a pause', async (at) => {
    const id = await aReminded('busy@example.com');
    server.answer = () => ({ at, code: 451 });
    expect(await send()).toEqual({ ...NONE, retried: 1 });
    const [waiting] = await mailsOf(api, id);
    expect(waiting).toMatchObject({
      status: 'queued',
      attempts: 1,
      last_error: expect.stringContaining('451 busy@example.com is not taken here'),
    });
    expect(waiting?.wait).toBeGreaterThan(50);
    expect(waiting?.wait).toBeLessThanOrEqual(60);
    expect(await send()).toEqual(NONE);
    server.answer = () => null;
    await passPause(id);
    expect(await send()).toEqual({ ...NONE, sent: 1 });
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'sent', attempts: 2, last_error: null }]);
    expect(server.delivered.map(({ mail }) => mail.messageId)).toEqual([waiting?.message_id]);
  });

  test('for three days is given up, with an alarm', async () => {
    const id = await aReminded('never@example.com');
    server.answer = () => ({ at: 'recipient', code: 450 });
    const before = await alarms();
    const waits: number[] = [];
    for (let tries = 1; tries < 10; tries += 1) {
      expect(await send()).toEqual({ ...NONE, retried: 1 });
      const [mail] = await mailsOf(api, id);
      waits.push(mail?.wait ?? 0);
      await passPause(id);
    }
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(71.9 * HOUR);
    expect(await alarms()).toBe(before);
    expect(await send()).toEqual({ ...NONE, failed: 1 });
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'failed', attempts: 10, sent_at: null }]);
    expect(await alarms()).toBe(before + 1);
    await passPause(id);
    expect(await send()).toEqual(NONE);
  });

  test.each(['recipient', 'content'] as const)('for good (%s) is given up at once, with an alarm', async (at) => {
    const id = await aReminded('unknown@example.com');
    const before = await alarms();
    server.answer = () => ({ at, code: 550 });
    expect(await send()).toEqual({ ...NONE, failed: 1 });
    expect(await mailsOf(api, id)).toMatchObject([
      { status: 'failed', attempts: 1, last_error: expect.stringContaining('550') },
    ]);
    expect(await alarms()).toBe(before + 1);
  });

  test('because of its sender waits for the operator to mend that', async () => {
    const id = await aReminded('maria@example.com');
    server.answer = () => ({ at: 'sender', code: 550 });
    expect(await send()).toEqual({ ...NONE, retried: 1 });
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'queued', attempts: 1 }]);
  });

  test('does not keep the others from being sent', async () => {
    const bad = await aReminded('bad@example.com');
    const good = await aReminded('good@example.com');
    server.answer = (recipient) => (recipient === 'bad@example.com' ? { at: 'recipient', code: 550 } : null);
    expect(await send()).toEqual({ ...NONE, sent: 1, failed: 1 });
    expect(await mailsOf(api, bad)).toMatchObject([{ status: 'failed' }]);
    expect(await mailsOf(api, good)).toMatchObject([{ status: 'sent' }]);
  });
});

describe('a mail whose invoice', () => {
  test.each(['paid', 'voided', 'given up'])('is %s meanwhile is not sent', async (how) => {
    const id = await aRemindedOfSandbox('late@example.com');
    const { invoices, testHelpers } = sandboxShop.fatura;
    if (how === 'voided') await invoices.void(id);
    if (how === 'given up') await invoices.markUncollectible(id);
    if (how === 'paid') {
      const { payment_intent } = await invoices.checkout(id, { payment_method_type: 'pix' });
      await testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
    }
    const isTold = how === 'paid';
    expect(await send()).toEqual({ ...NONE, dropped: 1, kept: isTold ? 1 : 0 });
    expect(server.delivered).toEqual([]);
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'dropped', attempts: 0, sent_at: null }]);
  });

  test('has an anonymized customer is not sent', async () => {
    const id = await aReminded('gone@example.com');
    const { customer } = await liveShop.fatura.invoices.markUncollectible(id);
    await liveShop.fatura.customers.anonymize(customer);
    expect(await send()).toEqual(NONE);
    expect(server.delivered).toEqual([]);
  });
});

test('a process that ends between sending and booking sends again under the same Message-ID', async () => {
  const id = await aReminded('twice@example.com');
  failpoints.crashAt('mail.after-send');
  await expect(send()).rejects.toThrow('crashed at mail.after-send');
  const [leased] = await mailsOf(api, id);
  expect(leased).toMatchObject({ status: 'queued', attempts: 0 });
  expect(leased?.wait).toBeGreaterThan(300);
  expect(await send()).toEqual(NONE);
  await passPause(id);
  expect(await send()).toEqual({ ...NONE, sent: 1 });
  const sent = server.delivered.map(({ mail }) => mail.messageId);
  expect(sent).toEqual([leased?.message_id, leased?.message_id]);
});

test('a mail that was on its way when its customer was anonymized counts as sent and tells nothing', async () => {
  const id = await aReminded('leaving@example.com');
  failpoints.meanwhile('mail.after-send', async () => {
    const { customer } = await liveShop.fatura.invoices.markUncollectible(id);
    await liveShop.fatura.customers.anonymize(customer);
  });
  expect(await send()).toEqual({ ...NONE, sent: 1 });
  expect(await mailsOf(api, id)).toMatchObject([{ status: 'sent', recipient: null, body_text: null }]);
});

describe('a mail server that', () => {
  const mailerTo = (smtpUrl: string) => createMailer({ smtpUrl, from: FROM });

  test('is away is not asked for the rest of the queue', async () => {
    for (let made = 0; made < 60; made += 1) await aReminded(`waits${made}@example.com`);
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const address = nobody.address();
    await new Promise((resolve) => nobody.close(resolve));
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
    const mailer = mailerTo(`smtp://127.0.0.1:${address.port}`);
    const counts = await sendBy({ ...api.composition.deps, mailer });
    mailer.close();
    expect(counts).toEqual({ ...NONE, retried: 10 });
    expect(await send()).toEqual({ ...NONE, sent: 50 });
  });

  test('is on another machine and offers no encryption gets no mail', async () => {
    const id = await aReminded('plain@example.com');
    const { port } = new URL(server.url);
    // The same server by an address that is not taken for this machine's.
    const mailer = mailerTo(`smtp://[::ffff:127.0.0.1]:${port}`);
    const before = server.delivered.length;
    const counts = await sendBy({ ...api.composition.deps, mailer });
    mailer.close();
    expect(counts).toEqual({ ...NONE, retried: 1 });
    expect(server.delivered).toHaveLength(before);
    expect((await mailsOf(api, id))[0]?.last_error).toContain('STARTTLS');
    await api.composition.deps.pool.query(`UPDATE mail SET status = 'dropped' WHERE invoice_id = $1`, [id]);
  });

  test('takes no login of ours loses no mail', async () => {
    const id = await aReminded('login@example.com');
    const { port } = new URL(server.url);
    const mailer = mailerTo(`smtp://user:wrong@127.0.0.1:${port}`);
    const counts = await sendBy({ ...api.composition.deps, mailer });
    mailer.close();
    expect(counts).toEqual({ ...NONE, retried: 1 });
    expect(await mailsOf(api, id)).toMatchObject([{ status: 'queued', attempts: 1 }]);
  });
});

test('what came of a mail is counted by its mode', async () => {
  const { mails } = api.composition.deps.metrics.business;
  const countOf = async (mode: string, outcome: string): Promise<number> =>
    (await mails.get()).values.find(({ labels }) => labels.mode === mode && labels.outcome === outcome)?.value ?? -1;
  const before = [await countOf('live', 'sent'), await countOf('sandbox', 'kept')];
  await aReminded('contada@example.com');
  await aRemindedOfSandbox('guardada@example.com');
  await send();
  expect([await countOf('live', 'sent'), await countOf('sandbox', 'kept')]).toEqual(before.map((count) => count + 1));
});
