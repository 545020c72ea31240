import type { Fatura, Mail, MailListParams } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { sdkFor } from '../../support/api.ts';
import { newCustomer, newInvoice, unique } from '../../support/factories.ts';
import { rollKey } from '../../support/keys.ts';
import { mailsOf, remindOf } from '../../support/mails.ts';
import { buyer, PageScene, pathOf } from '../checkout/page-scene.ts';
import { refusalOf, send } from '../requests.ts';

const scene = new PageScene();

const list = (params: MailListParams = {}, fatura: Fatura = scene.merchant.fatura): Promise<Mail[]> =>
  fatura.mails.list(params).all({ max: 100 });

/** A letter about an invoice of a new customer, which its merchant sent. */
async function sent(email = `ana${unique()}@loja.test`) {
  const { merchant } = scene;
  const customer = await newCustomer(merchant, { email });
  const invoice = await newInvoice(merchant, { customer_id: customer.id });
  await merchant.fatura.invoices.send(invoice.id);
  const [mail] = await list({ invoice_id: invoice.id });
  if (mail === undefined) throw new Error('no letter was written');
  return { customer, invoice, mail };
}

const mark = (id: string, changes: string) => scene.deps.pool.query(`UPDATE mail SET ${changes} WHERE id = $1`, [id]);

const readingClient = async (): Promise<Fatura> => {
  const { accountId } = scene.merchant;
  const key = await rollKey(scene.api.operator, { accountId, liveMode: false, scope: 'read', hours: 1 });
  return sdkFor(scene.api.baseUrl, key);
};

test('a letter is shown as it is sent, with whom and what it is about, and what became of it', async () => {
  const { customer, invoice, mail } = await sent('maria@example.com');
  const [stored] = await mailsOf(scene.api, invoice.id);
  expect(mail).toEqual({
    id: expect.stringMatching(/^mail_[0-9a-z]{26}$/),
    object: 'mail',
    occasion: 'sent',
    day: null,
    recipient: 'maria@example.com',
    subject: '[Teste] Sua fatura – Loja do Teste',
    text: stored?.body_text,
    status: 'queued',
    reason: null,
    created: scene.api.clock.now(),
    sent_at: null,
    customer: customer.id,
    invoice: invoice.id,
    subscription: null,
    webhook_endpoint: null,
    live_mode: false,
  });
  expect(mail.text).toContain(invoice.payment_url);
  await mark(mail.id, `status = 'sent', sent_at = to_timestamp(1800000000)`);
  expect(await list({ invoice_id: invoice.id })).toEqual([{ ...mail, status: 'sent', sent_at: 1_800_000_000 }]);
});

test('letters are found by customer, invoice and status, newest first, each page behind the one before', async () => {
  const { customer, invoice, mail: first } = await sent();
  await remindOf(scene.api, scene.merchant, { id: invoice.id, step: 1 });
  const other = await newInvoice(scene.merchant, { customer_id: customer.id });
  await scene.merchant.fatura.invoices.send(other.id);
  await sent();
  const ofCustomer = await list({ customer_id: customer.id });
  expect(ofCustomer.map(({ occasion, day, invoice: of }) => [occasion, day, of])).toEqual([
    ['sent', null, other.id],
    ['reminder', 1, invoice.id],
    ['sent', null, invoice.id],
  ]);
  const [newest, reminder] = ofCustomer as [Mail, Mail];
  expect(await list({ invoice_id: invoice.id })).toEqual([reminder, first]);
  expect(await list({ customer_id: customer.id, invoice_id: other.id })).toEqual([newest]);
  expect(await list({ customer_id: (await newCustomer(scene.merchant)).id, invoice_id: other.id })).toEqual([]);
  await mark(reminder.id, `status = 'failed', last_error = '550 no such user'`);
  const failed = { ...reminder, status: 'failed', reason: '550 no such user' };
  expect(await list({ customer_id: customer.id, status: 'failed' })).toEqual([failed]);
  expect(await list({ status: 'failed' })).toEqual([failed]);
  expect(await list({ status: 'sent', invoice_id: invoice.id })).toEqual([]);
  const page = { customer_id: customer.id, limit: 1 };
  expect(await list({ ...page, starting_after: newest.id })).toEqual([failed, first]);
  expect(await list({ ...page, ending_before: first.id })).toEqual([failed, newest]);
  expect(await list({ ...page, created_lte: first.created - 1 })).toEqual([]);
  const all = await list();
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  expect(await list({ starting_after: newest.id })).toEqual(all.slice(all.findIndex(({ id }) => id === newest.id) + 1));
});

test('a key that may only read is shown where a link led, and cannot follow it', async () => {
  const { invoice, mail } = await sent();
  const [shown] = await list({ invoice_id: invoice.id }, await readingClient());
  const signature = invoice.payment_url?.split('/').at(-1) ?? '';
  const hidden = mail.text?.replaceAll(signature, '***').replace(/(?<=\/mail\/mail_[0-9a-z]{26}\/)[\w-]+/, '***');
  expect(shown).toEqual({ ...mail, text: hidden });
  expect(shown?.text).toMatch(/\/pay\/in_[0-9a-z]{26}\/\*\*\*\n/);
  expect(JSON.stringify(shown)).not.toContain(signature);
});

test('nobody is shown the link by which an address is confirmed', async () => {
  const session = await scene.create({ customer_id: null });
  await scene.send(`${pathOf(session)}/buyer`, { body: { ...buyer, email: `ana${unique()}@outra.test` } });
  const { invoice, customer } = await scene.session(session.id);
  await remindOf(scene.api, scene.merchant, { id: invoice ?? '', step: 0 });
  const link = scene.deps.links.confirmation({ id: customer ?? '', liveMode: false });
  expect((await mailsOf(scene.api, invoice ?? ''))[0]?.body_text).toContain(link);
  const [mail] = await list({ invoice_id: invoice ?? '' });
  expect(mail).toMatchObject({ occasion: 'confirmation', customer });
  expect(mail?.text).toContain(`${link.slice(0, link.lastIndexOf('/'))}/***\n`);
  expect(mail?.text).not.toContain(link);
});

test('what was written to the merchant is shown, and in its own mode alone', async () => {
  const { merchant, api } = scene;
  await merchant.live.account.update({ color: '#6b21a8' });
  const [ofLive, ...more] = await list({}, merchant.live);
  expect(more).toEqual([]);
  expect(ofLive).toMatchObject({ occasion: 'account_changed', customer: null, invoice: null, live_mode: true });
  expect((await list()).map(({ live_mode }) => live_mode)).not.toContain(true);
  expect(await list({}, (await api.newMerchant()).fatura)).toEqual([]);
  await expect(list({ starting_after: ofLive?.id ?? '' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
});

test('what was erased with its customer is null, and that it was written stays', async () => {
  const { customer, invoice, mail } = await sent();
  await scene.merchant.fatura.invoices.void(invoice.id);
  await scene.merchant.fatura.customers.anonymize(customer.id);
  const erased = { recipient: null, subject: null, text: null, status: 'dropped' };
  expect(await list({ customer_id: customer.id })).toEqual([{ ...mail, ...erased }]);
});

test.each(['customer_id=in_00000000000000000000000000', 'status=lost', 'invoice_id=x'])(
  '%s is no filter',
  async (search) => {
    const answer = await send(scene.api, { method: 'GET', path: `/mails?${search}`, key: scene.merchant.sandboxKey });
    expect(refusalOf(answer)).toMatchObject({ code: 'PARAMETER_INVALID', param: search.split('=')[0] });
  },
);
