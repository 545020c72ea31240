import { expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { Stories, type Story, told } from '../support/story.ts';

const stories = new Stories();

/** A monthly subscription whose renewals are declined; what came of its beginning is told already. */
async function failingByCard(day = '2027-01-10') {
  const story = await stories.startOn(day);
  const { id } = await story.subscribeByCard(cards.renewals_declined);
  await story.news();
  return { story, id };
}

async function unpaidByPix(day = '2027-01-10') {
  const story = await stories.startOn(day);
  const { id } = await story.subscribeByPix();
  await story.news();
  return { story, id };
}

const openInvoice = async (story: Story, id: string): Promise<string> => {
  const [invoice] = await story.fatura.invoices.list({ subscription_id: id, status: 'open' }).all({ max: 1 });
  return invoice?.id ?? '';
};

const FIRST = '2027-02-10';
const declinedAtFirst = [...told.renewing(FIRST), ...told.declined(FIRST)];
const chargedAgain = (day: string) => [...told.retried(day), ...told.declined(day)];
/** The first renewal up to its suspension. */
const untilSuspended = [
  ...declinedAtFirst,
  ...chargedAgain('2027-02-11'),
  ...told.overdue('2027-02-11'),
  ...chargedAgain('2027-02-13'),
  ...chargedAgain('2027-02-17'),
  ...told.suspended('2027-02-20'),
];

test('a card that fails twice is charged a third time, and the subscription was overdue meanwhile', async () => {
  const story = await stories.startOn('2027-01-10');
  const { id } = await story.subscribeByCard(cards.renewals_delayed);
  await story.news();
  await story.to('2027-03-05');
  expect(await story.news()).toEqual([
    ...declinedAtFirst,
    ...chargedAgain('2027-02-11'),
    ...told.overdue('2027-02-11'),
    ...told.retried('2027-02-13'),
    ...told.paid('2027-02-13'),
  ]);
  const { data } = await story.fatura.paymentIntents.list({ limit: 1 }).page();
  expect(data).toMatchObject([{ status: 'paid', attempts: 3, max_attempts: 4, next_attempt: null }]);
  expect(await story.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
});

test('overdue, then regularized by the buyer with another card, which renewals are charged to from then on', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-02-12');
  const invoice = await openInvoice(story, id);
  await story.fatura.invoices.checkout(invoice, byCard(cards.mastercard));
  await story.to('2027-03-15');
  expect(await story.news()).toEqual([
    ...declinedAtFirst,
    ...chargedAgain('2027-02-11'),
    ...told.overdue('2027-02-11'),
    '2027-02-12 payment_intent.discarded',
    ...told.chargeSent('2027-02-12'),
    ...told.paidByCard('2027-02-12'),
    ...told.renewed('2027-03-10'),
  ]);
});

test('an overdue episode is announced once, and a later one again', async () => {
  const story = await stories.startOn('2027-01-10');
  const { id } = await story.subscribeByCard(cards.renewals_declined, {
    price: { recurring: { interval: 'day', interval_count: 3 } },
  });
  await story.news();
  await story.to('2027-01-18');
  const news = await story.news();
  expect(news.filter((line) => line.endsWith('subscription.overdue'))).toEqual(['2027-01-14 subscription.overdue']);
  expect(news.filter((line) => line.endsWith('invoice.overdue'))).toEqual([
    '2027-01-14 invoice.overdue',
    '2027-01-17 invoice.overdue',
  ]);
  for (const { id: invoice } of await story.fatura.invoices
    .list({ subscription_id: id, status: 'open' })
    .all({ max: 9 }))
    await story.fatura.invoices.checkout(invoice, byCard(cards.renewals_declined));
  await story.news();
  await story.to('2027-01-21');
  const later = await story.news();
  expect(later.filter((line) => line.includes('overdue'))).toEqual(told.overdue('2027-01-20'));
});

test('overdue, suspended, reactivated and activated with a new anchor', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-02-25');
  await story.fatura.subscriptions.reactivate(id);
  await story.to('2027-02-27');
  await story.fatura.subscriptions.checkout(id, byCard());
  await story.to('2027-04-01');
  expect(await story.news()).toEqual([
    ...untilSuspended,
    '2027-02-25 subscription.reactivated',
    '2027-02-27 payment_intent.discarded',
    ...told.chargeSent('2027-02-27'),
    ...told.paidByCard('2027-02-27'),
    ...told.activated('2027-02-27'),
    ...told.renewed('2027-03-27'),
  ]);
});

test('a suspended subscription is activated by the payment of its open invoice', async () => {
  const { story, id } = await unpaidByPix();
  await story.to('2027-02-25');
  await story.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
  await story.payPix(await openInvoice(story, id));
  expect(await story.news()).toEqual([
    ...told.billed('2027-02-07'),
    ...told.periodStarted(FIRST),
    ...told.overdue('2027-02-11'),
    ...told.suspended('2027-02-20'),
    '2027-02-25 payment_intent.discarded',
    '2027-02-25 payment_intent.created',
    ...told.paid('2027-02-25'),
    '2027-02-25 subscription.reactivated',
    ...told.activated('2027-02-25'),
  ]);
});

test('reactivated and not paid in seven days, it ends and its invoice is voided', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-02-25');
  await story.fatura.subscriptions.reactivate(id);
  await story.to('2027-04-01');
  expect(await story.news()).toEqual([
    ...untilSuspended,
    '2027-02-25 subscription.reactivated',
    '2027-03-04 payment_intent.discarded',
    '2027-03-04 invoice.voided',
    '2027-03-04 subscription.canceled',
  ]);
});

test('suspended and never paid, it is cancelled on day 30 with its invoice uncollectible', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-06-01');
  expect(await story.news()).toEqual([...untilSuspended, ...told.givenUp('2027-03-12')]);
  const { data } = await story.fatura.invoices.list({ subscription_id: id, limit: 1 }).page();
  expect(data).toMatchObject([{ status: 'uncollectible', amount_remaining: 9_990 }]);
});

test('the suspension of a PIX subscription voids the younger bill', async () => {
  const { story, id } = await unpaidByPix('2027-01-10');
  // Weekly bills overlap: the second comes before the first has suspended.
  const weekly = await stories.startOn('2027-01-10');
  await weekly.subscribeByPix({ price: { recurring: { interval: 'week' } } });
  await weekly.news();
  await weekly.to('2027-03-01');
  expect(await weekly.news()).toEqual([
    ...told.billed('2027-01-14'),
    ...told.periodStarted('2027-01-17'),
    ...told.overdue('2027-01-18'),
    ...told.billed('2027-01-21'),
    ...told.periodStarted('2027-01-24'),
    '2027-01-25 invoice.overdue',
    ...told.suspended('2027-01-27'),
    '2027-01-27 payment_intent.discarded',
    '2027-01-27 invoice.voided',
    ...told.givenUp('2027-02-16'),
  ]);
  await story.fatura.subscriptions.cancel(id);
});

test('a new card given while overdue is charged at the next scheduled time', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-02-12');
  await story.fatura.subscriptions.updatePaymentMethod(id, byCard(cards.elo));
  await story.to('2027-03-15');
  expect(await story.news()).toEqual([
    ...declinedAtFirst,
    ...chargedAgain('2027-02-11'),
    ...told.overdue('2027-02-11'),
    '2027-02-12 payment_method.attached',
    '2027-02-12 subscription.updated',
    ...told.retried('2027-02-13'),
    ...told.paid('2027-02-13'),
    ...told.renewed('2027-03-10'),
  ]);
});

test('a buyer’s QR code that stands unpaid gives way to the next scheduled charge', async () => {
  const { story, id } = await failingByCard();
  await story.to('2027-02-12');
  await story.fatura.invoices.checkout(await openInvoice(story, id), { payment_method_type: 'pix' });
  await story.to('2027-02-14');
  expect(await story.news()).toEqual([
    ...declinedAtFirst,
    ...chargedAgain('2027-02-11'),
    ...told.overdue('2027-02-11'),
    '2027-02-12 payment_intent.discarded',
    '2027-02-12 payment_intent.created',
    '2027-02-13 payment_intent.discarded',
    ...told.chargeSent('2027-02-13'),
    ...told.declined('2027-02-13'),
  ]);
  const { data } = await story.fatura.paymentIntents.list({ limit: 1 }).page();
  expect(data).toMatchObject([{ status: 'failed', attempts: 3, max_attempts: 4 }]);
});
