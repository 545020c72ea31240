import type { CheckoutSession } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../support/cards.ts';
import { newCustomer } from '../support/factories.ts';
import { Stories, type Story, told } from '../support/story.ts';

const stories = new Stories();

const pages = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };

/** A monthly plan of R$ 99,90 sold by a session at ten in the morning. */
async function sold(): Promise<{ story: Story; session: CheckoutSession }> {
  const story = await stories.startOn('2027-01-10');
  const [customer, price] = [await newCustomer(story.merchant), await story.price()];
  const line_items = [{ price_id: price.id, quantity: 1 }];
  const session = await story.fatura.checkoutSessions.create({
    ...pages,
    mode: 'subscription',
    customer_id: customer.id,
    line_items,
  });
  await story.news();
  return { story, session };
}

const expired = (at: string) =>
  ['invoice.voided', 'subscription.canceled', 'checkout_session.expired'].map((type) => `${at} ${type}`);

describe('a session that nobody pays', () => {
  test('expires an hour after its creation, with its subscription', async () => {
    const { story, session } = await sold();
    await story.to('2027-01-10 10:59');
    expect(await story.news()).toEqual([]);
    await story.to('2027-03-01');
    expect(await story.news()).toEqual(expired('2027-01-10 11:00'));
    expect(await story.fatura.checkoutSessions.retrieve(session.id)).toMatchObject({ status: 'expired' });
  });

  test('expires as of its deadline where a QR code stood too: the bank is asked half a minute later', async () => {
    const { story, session } = await sold();
    await story.fatura.invoices.checkout(session.invoice ?? '', { payment_method_type: 'pix' });
    await story.to('2027-01-12');
    const discarded = (await story.news()).slice(-4);
    expect(discarded.map((news) => news.split(' ').at(-1))).toEqual([
      'payment_intent.discarded',
      'invoice.voided',
      'subscription.canceled',
      'checkout_session.expired',
    ]);
    const { data } = await story.fatura.events.list({ related_object: session.id, limit: 1 }).page();
    expect(data.at(0)?.created).toBe(session.expires_at);
  });
});

describe('a session that is paid', () => {
  test('a minute before its deadline is complete, and its cycles begin there', async () => {
    const { story, session } = await sold();
    await story.to('2027-01-10 10:59');
    await story.fatura.invoices.checkout(session.invoice ?? '', byCard());
    await story.to('2027-02-10 12:00');
    expect(await story.news()).toEqual([
      ...told.chargeSent('2027-01-10 10:59'),
      ...told.paidByCard('2027-01-10 10:59'),
      ...told.activated('2027-01-10 10:59'),
      '2027-01-10 10:59 checkout_session.completed',
      ...told.renewed('2027-02-10 10:59'),
    ]);
  });

  test('stays complete after its deadline', async () => {
    const { story, session } = await sold();
    await story.fatura.invoices.checkout(session.invoice ?? '', { payment_method_type: 'pix' });
    await story.payPix(session.invoice ?? '');
    await story.to('2027-01-11');
    expect(await story.fatura.checkoutSessions.retrieve(session.id)).toMatchObject({ status: 'complete' });
  });
});
