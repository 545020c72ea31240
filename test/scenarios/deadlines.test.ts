import { describe, expect, test } from 'vitest';
import { Stories, type Story, told } from '../support/story.ts';

const stories = new Stories();

/** A subscription paid by PIX since 10 January, in the time of its first bill: due on 10 February. */
async function billed(until: string) {
  const story = await stories.startOn('2027-01-10');
  const { id } = await story.subscribeByPix();
  await story.news();
  await story.to(until);
  const { latest_invoice } = await story.fatura.subscriptions.retrieve(id);
  return { story, id, invoice: latest_invoice ?? '' };
}

async function payAndSee(story: Story, invoice: string): Promise<string[]> {
  await story.payPix(invoice);
  await story.to('2027-02-28');
  return story.news();
}

const dueThen = [...told.billed('2027-02-07'), ...told.periodStarted('2027-02-10')];
const overdueThen = [...dueThen, ...told.overdue('2027-02-11')];

describe('a bill by PIX is paid a minute', () => {
  test('before it is due', async () => {
    const { story, invoice } = await billed('2027-02-10 09:59');
    expect(await payAndSee(story, invoice)).toEqual([
      ...told.billed('2027-02-07'),
      ...told.paid('2027-02-10 09:59'),
      ...told.periodStarted('2027-02-10'),
    ]);
  });

  test('after it is due', async () => {
    const { story, invoice } = await billed('2027-02-10 10:01');
    expect(await payAndSee(story, invoice)).toEqual([...dueThen, ...told.paid('2027-02-10 10:01')]);
  });

  test('before it is overdue', async () => {
    const { story, invoice } = await billed('2027-02-11 09:59');
    expect(await payAndSee(story, invoice)).toEqual([...dueThen, ...told.paid('2027-02-11 09:59')]);
  });

  test('after it is overdue', async () => {
    const { story, invoice } = await billed('2027-02-11 10:01');
    expect(await payAndSee(story, invoice)).toEqual([...overdueThen, ...told.paid('2027-02-11 10:01')]);
  });

  test('before it suspends its subscription', async () => {
    const { story, invoice } = await billed('2027-02-20 09:59');
    expect(await payAndSee(story, invoice)).toEqual([...overdueThen, ...told.paid('2027-02-20 09:59')]);
  });

  test('after it suspended its subscription: that QR code has ended, and a late payment activates all the same', async () => {
    const { story, invoice } = await billed('2027-02-20 10:01');
    const { payment_intent } = await story.fatura.invoices.retrieve(invoice);
    const pay = story.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
    await expect(pay).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await story.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid_late' });
    expect(await story.news()).toEqual([
      ...overdueThen,
      ...told.suspended('2027-02-20'),
      ...told.paid('2027-02-20 10:01'),
      '2027-02-20 10:01 subscription.reactivated',
      ...told.activated('2027-02-20 10:01'),
    ]);
  });

  test('before it is given up', async () => {
    const { story, id, invoice } = await billed('2027-03-12 09:59');
    await story.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
    await story.payPix(invoice);
    await story.to('2027-03-13');
    expect(await story.news()).toEqual([
      ...overdueThen,
      ...told.suspended('2027-02-20'),
      '2027-03-12 09:59 payment_intent.discarded',
      '2027-03-12 09:59 payment_intent.created',
      ...told.paid('2027-03-12 09:59'),
      '2027-03-12 09:59 subscription.reactivated',
      ...told.activated('2027-03-12 09:59'),
    ]);
    expect(await story.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
  });

  test('after it was given up: the invoice is paid, and the subscription stays ended', async () => {
    const { story, id, invoice } = await billed('2027-03-12 10:01');
    await story.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
    await story.payPix(invoice);
    expect(await story.news()).toEqual([
      ...overdueThen,
      ...told.suspended('2027-02-20'),
      ...told.givenUp('2027-03-12'),
      '2027-03-12 10:01 payment_intent.created',
      ...told.paid('2027-03-12 10:01'),
    ]);
    expect(await story.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive' });
  });
});

test('the first bill is paid a minute before its seven days are over, and a minute after they were', async () => {
  const intime = await stories.startOn('2027-01-10');
  const { id, latest_invoice } = await intime.subscribe();
  await intime.to('2027-01-17 09:59');
  await intime.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
  await intime.payPix(latest_invoice ?? '');
  await intime.to('2027-01-18');
  expect(await intime.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });

  const late = await stories.startOn('2027-01-10');
  const ended = await late.subscribe();
  await late.fatura.subscriptions.checkout(ended.id, { payment_method_type: 'pix' });
  const { payment_intent } = await late.fatura.invoices.retrieve(ended.latest_invoice ?? '');
  await late.to('2027-01-17 10:01');
  await late.news();
  await late.fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid_late' });
  await late.to('2027-01-17 10:02');
  expect(await late.news()).toEqual([
    '2027-01-17 10:01 payment_intent.created',
    '2027-01-17 10:01 payment_intent.paid',
    '2027-01-17 10:01 payment_intent.refunding',
    '2027-01-17 10:01:05 payment_intent.refunded',
  ]);
  expect(await late.fatura.subscriptions.retrieve(ended.id)).toMatchObject({ status: 'inactive' });
});
