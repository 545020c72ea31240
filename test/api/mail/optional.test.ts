import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendMails } from '../../../server/mail/sending.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { inEachMode } from '../../support/modes.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';

let server: MailServer;
let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  server = await startMailServer();
  const from = { name: 'Cobranças', address: 'conta@fatura.test' };
  api = await startApi({ mail: { smtpUrl: server.url, from } });
  shop = await api.newMerchant();
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});
beforeEach(() => {
  server.delivered.length = 0;
});

/** What the owner reads, who is the buyer too: of a sandbox nobody else is written to. */
const OWN = 'dono@loja.test';

const send = () => inEachMode((mode) => sendMails(api.composition.deps, { mode, told: () => {} }));

async function received() {
  await send();
  return server.delivered.map(({ mail }) => mail);
}

const aCustomer = () => newCustomer(shop, { email: OWN });

async function tryOut(customer: string): Promise<void> {
  const { id: price } = await newMonthly(shop);
  const trial = { days: 14, requires_payment_method: false };
  await shop.fatura.subscriptions.create({ customer_id: customer, price_id: price, trial });
}

const pathOf = (link: string): string => new URL(link).pathname;
const at = (path: string, init: RequestInit = {}) => fetch(api.baseUrl + path, { redirect: 'manual', ...init });

test('a letter about no money is ended by one click of a mail program, and wanted again on its page', async () => {
  const { id } = await aCustomer();
  await tryOut(id);
  const [letter] = await received();
  const header = letter?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  expect(letter?.headers.find(({ key }) => key === 'list-unsubscribe-post')?.value).toBe('List-Unsubscribe=One-Click');
  const path = pathOf(header.slice(1, -1));
  expect(await (await at(path)).text()).toContain('Parar de receber');
  expect(await shop.fatura.customers.retrieve(id)).toMatchObject({ unsubscribed_at: null });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await at(path, { method: 'POST', headers: type, body: 'List-Unsubscribe=One-Click' })).status).toBe(303);
  const { unsubscribed_at: since } = await shop.fatura.customers.retrieve(id);
  expect(since).toEqual(expect.any(Number));
  server.delivered.length = 0;
  await tryOut(id);
  const { id: invoice } = await newInvoice(shop, { customer_id: id });
  await payByPix(shop, invoice);
  expect((await received()).map(({ subject }) => subject?.replace(/ – .*/, ''))).toEqual([
    '[Teste] Pagamento confirmado: R$ 99,90',
  ]);
  expect(await (await at(path)).text()).toContain('Voltar a receber');
  expect((await at(`${path}/again`, { method: 'POST' })).status).toBe(303);
  expect(await shop.fatura.customers.retrieve(id)).toMatchObject({ unsubscribed_at: null });
  const told = await shop.fatura.events.list({ related_object: id, type: ['customer.updated'] }).all({ max: 10 });
  expect(told).toHaveLength(2);
});

test('a letter about money has no such button', async () => {
  const { id } = await aCustomer();
  const { id: invoice } = await newInvoice(shop, { customer_id: id });
  await payByPix(shop, invoice);
  const [letter] = await received();
  expect(letter?.headers.some(({ key }) => key.startsWith('list-unsubscribe'))).toBe(false);
  expect(letter?.attachments).toEqual([]);
});

test('the account says who letters come from, which sentence they have, whether the receipt is attached, and which are written', async () => {
  const settings = { sender_name: 'Loja da Ana', sentence: 'Obrigado & volte <sempre>!', attach_receipt: true };
  const { mail_settings: set } = await shop.fatura.account.update({
    mail_settings: { ...settings, occasions: { trial_begun: false } },
  });
  expect(set).toMatchObject({ ...settings, occasions: { trial_begun: false, paid: true } });
  const { id } = await aCustomer();
  await tryOut(id);
  const { id: invoice } = await newInvoice(shop, { customer_id: id });
  await payByPix(shop, invoice);
  const [letter, ...more] = await received();
  expect(more).toEqual([]);
  expect(letter?.from).toEqual({ name: 'Loja da Ana', address: 'conta@fatura.test' });
  expect(letter?.text).toContain('Obrigado & volte <sempre>!');
  expect(letter?.html).toContain('Obrigado &amp; volte &lt;sempre&gt;!');
  const [receipt] = letter?.attachments ?? [];
  expect(receipt).toMatchObject({ filename: `recibo-${invoice}.pdf`, mimeType: 'application/pdf' });
  expect(
    Buffer.from(receipt?.content as ArrayBuffer)
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  const { mail_settings: live } = await shop.live.account.retrieve();
  expect(live).toMatchObject({ sender_name: null, occasions: { trial_begun: true } });
  const cleared = { sender_name: null, sentence: null, attach_receipt: false, occasions: { trial_begun: true } };
  expect((await shop.fatura.account.update({ mail_settings: cleared })).mail_settings).toMatchObject(cleared);
});

test.each([
  [{ sender_name: 'Banco <banco@banco.test>' }, 'mail_settings.sender_name'],
  [{ sender_name: '' }, 'mail_settings.sender_name'],
  [{ sentence: 'x'.repeat(301) }, 'mail_settings.sentence'],
  [{ occasions: { declined: false } }, 'mail_settings.occasions'],
])('%o is refused', async (settings, param) => {
  const refused = await shop.fatura.account
    .update({ mail_settings: settings as never })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 400, param: expect.stringContaining(param) });
});

test('a letter is read in a browser until its text is erased, and by no guessed address', async () => {
  const { id } = await aCustomer();
  const { id: invoice } = await newInvoice(shop, { customer_id: id });
  await payByPix(shop, invoice);
  const [letter] = await received();
  const path = pathOf(/Ver no navegador: (\S+)/.exec(letter?.text ?? '')?.[1] ?? '');
  const shown = await at(path);
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await shown.text()).toBe(letter?.html?.trim().concat('\n'));
  expect((await at(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
  await shop.fatura.customers.anonymize(id);
  expect((await at(path)).status).toBe(410);
});
